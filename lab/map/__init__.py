"""The map: every setting of a plane at once, and the picture under the pointer."""
