"""The deployment map: read it into strata with exposure, score its completeness, and compare it with logs.

`parse` reads the map and the catalogue, `ask` scores how complete they are, `compare` compares them with the logs.
"""

from fieldloop.audit.catalogue import TIERS, read_master
from fieldloop.audit.compare import compare
from fieldloop.audit.exposure import with_measured_shares
from fieldloop.audit.map_file import parse
from fieldloop.audit.oddities import oddities
from fieldloop.audit.order_lines import OrderLines, Skipped, read_order_lines
from fieldloop.audit.questions import ask
from fieldloop.audit.velocity import catalogue_from, catalogue_text

__all__ = [
    "TIERS",
    "OrderLines",
    "Skipped",
    "ask",
    "catalogue_from",
    "catalogue_text",
    "compare",
    "oddities",
    "parse",
    "read_master",
    "read_order_lines",
    "with_measured_shares",
]
