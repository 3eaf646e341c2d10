"""serve/engines."""
