"""What the multi-label page is made of: label sets, their canvas, thresholds, measures."""
