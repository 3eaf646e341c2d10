"""Look at an episode: its cameras, signals, segments and findings on one timeline, with or without a workspace."""
