"""respond."""
