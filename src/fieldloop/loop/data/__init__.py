"""Logs on their way in: ingest, dry run, watch, check, and what a page shows of an episode."""
