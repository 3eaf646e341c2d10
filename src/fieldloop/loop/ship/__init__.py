"""From accepted episodes to a gated policy: annotate, release, export, convert, train, gate."""
