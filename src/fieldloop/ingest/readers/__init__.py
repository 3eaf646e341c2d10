"""ingest/readers."""
