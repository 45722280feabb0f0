"""What leans on the server and its internals: start, live channel, memory, errors."""
