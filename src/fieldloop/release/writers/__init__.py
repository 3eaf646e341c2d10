"""release/writers."""
