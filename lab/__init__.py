"""What the pages share: the view and its link, caches, the point canvas, the P editor, figures."""
