"""Labels from and for other tools."""
