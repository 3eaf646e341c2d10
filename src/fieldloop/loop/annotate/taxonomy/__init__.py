"""Taxonomies: files, versions, locks, and labels carried over from one version to the next."""
