"""The command line: `python -m mavr fit|reproduce|bench`."""
