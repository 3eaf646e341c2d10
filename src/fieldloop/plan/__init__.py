"""What to collect next, and why: coverage of the deployed strata becomes quotas, quotas become work orders.

`coverage` counts, `find_gaps` names what was never shown, `spend` allocates a budget, `orders` assigns it to people and
robots, `draw` does all of it. `sheets` writes orders to files and reads
them back; `progress` and `forecast` report how far it is.
"""

from fieldloop.plan.allocate import spend
from fieldloop.plan.coverage import Counts, coverage, coverage_of_counts, read_demonstration_costs
from fieldloop.plan.draw import draw
from fieldloop.plan.elsewhere import demonstrated_elsewhere
from fieldloop.plan.forecast import forecast
from fieldloop.plan.gaps.find import find_gaps
from fieldloop.plan.known import Known
from fieldloop.plan.learning import learning_curves
from fieldloop.plan.progress import accepted_beside, order_progress, pace_of, progress
from fieldloop.plan.score import score
from fieldloop.plan.strategies import STRATEGIES
from fieldloop.plan.work.orders import order_templates, orders
from fieldloop.plan.work.schedule import schedule
from fieldloop.plan.work.sheets import orders_csv, orders_json, read_ordered, read_returned
from fieldloop.plan.work.starts import initial_conditions
from fieldloop.plan.work.templates import Crew, fill, read_templates

__all__ = [
    "STRATEGIES",
    "Counts",
    "Crew",
    "Known",
    "accepted_beside",
    "coverage",
    "coverage_of_counts",
    "demonstrated_elsewhere",
    "draw",
    "fill",
    "find_gaps",
    "forecast",
    "initial_conditions",
    "learning_curves",
    "order_progress",
    "order_templates",
    "orders",
    "orders_csv",
    "orders_json",
    "pace_of",
    "progress",
    "read_demonstration_costs",
    "read_ordered",
    "read_returned",
    "read_templates",
    "schedule",
    "score",
    "spend",
]
