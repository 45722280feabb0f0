"""From a graph and labels to responses: one problem, several ways to solve it."""
