"""Error curves: the page's view and sidebar, its sweeps in the background, its figure."""
