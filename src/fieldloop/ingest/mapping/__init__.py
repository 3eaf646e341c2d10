"""Mappings: translate a team's names, units and frames into fieldloop's.

A mapping is a file that fieldloop proposes and people edit. It changes how a log is read, never the log.
"""

from fieldloop.ingest.mapping.apply import apply
from fieldloop.ingest.mapping.mapping import LogMapping, parse_mapping, unused_entries
from fieldloop.ingest.mapping.propose import propose

__all__ = ["LogMapping", "apply", "parse_mapping", "propose", "unused_entries"]
