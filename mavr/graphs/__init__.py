"""From points to a graph: similarities, Laplacians, and the extension to points outside it."""
