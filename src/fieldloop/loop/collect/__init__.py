"""Data collection: sessions, verified clocks, deliveries of providers."""
