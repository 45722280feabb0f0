"""Views that teach, as data: the presets of the Playground, the panels of the figure."""
