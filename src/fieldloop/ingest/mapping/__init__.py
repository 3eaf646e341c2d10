"""Mappings: translate a team's names, units and frames into fieldloop's.

A mapping is a file that fieldloop proposes and people edit. It changes how a log is read, never the log.
"""

from fieldloop.ingest.mapping.apply import apply_mapping
from fieldloop.ingest.mapping.mapping import LogMapping, find_unused_entries, parse_mapping
from fieldloop.ingest.mapping.propose import propose_mapping

__all__ = ["LogMapping", "apply_mapping", "find_unused_entries", "parse_mapping", "propose_mapping"]
