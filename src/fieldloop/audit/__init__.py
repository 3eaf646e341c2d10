"""The deployment map: read it into strata with exposure, score its completeness, and compare it with logs.

`parse_deployment_map` reads the map and the catalogue, `score_questions` scores how complete they are,
`compare_map_with_logs` compares them with the logs.
"""

from fieldloop.audit.catalogue import TIERS, read_item_master
from fieldloop.audit.compare import compare_map_with_logs
from fieldloop.audit.exposure import apply_measured_shares
from fieldloop.audit.map_file import parse_deployment_map
from fieldloop.audit.oddities import list_unusual_values
from fieldloop.audit.order_lines import OrderLines, Skipped, read_order_lines
from fieldloop.audit.questions import score_questions
from fieldloop.audit.velocity import make_catalogue, write_catalogue_csv

__all__ = [
    "TIERS",
    "OrderLines",
    "Skipped",
    "apply_measured_shares",
    "compare_map_with_logs",
    "list_unusual_values",
    "make_catalogue",
    "parse_deployment_map",
    "read_item_master",
    "read_order_lines",
    "score_questions",
    "write_catalogue_csv",
]
