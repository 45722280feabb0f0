"""What a visitor takes away from a page with a board: points, view, code and pictures."""
