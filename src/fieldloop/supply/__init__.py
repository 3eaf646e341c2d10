"""supply."""
