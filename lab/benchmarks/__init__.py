"""Benchmarks: the page's view, its runs in the background, its figure and table."""
