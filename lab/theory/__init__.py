"""Sections of the Theory page: each a picture that moves, a paragraph beside it, and numbers."""
