"""What to collect next, and why: coverage of the deployed strata becomes quotas, quotas become work orders.

`coverage` counts, `find_gaps` names what was never shown, `spend` allocates a budget, `orders` assigns it to people and
robots, `draw` does all of it. `sheets` writes orders to files and reads
them back; `progress` and `forecast` report how far it is.
"""

from fieldloop.plan.allocate import allocate_budget
from fieldloop.plan.coverage import Counts, compute_coverage, compute_coverage_from_counts, read_demonstration_costs
from fieldloop.plan.draw import draw_plan
from fieldloop.plan.elsewhere import compute_coverage_elsewhere
from fieldloop.plan.forecast import forecast_completion
from fieldloop.plan.gaps.find import find_gaps
from fieldloop.plan.known import Known
from fieldloop.plan.learning import compute_learning_curves
from fieldloop.plan.progress import (
    compute_order_progress,
    compute_quota_progress,
    count_accepted_outside_quotas,
    list_episodes_of_quotas,
    measure_pace,
)
from fieldloop.plan.score import score_plan
from fieldloop.plan.strategies import STRATEGIES
from fieldloop.plan.work.orders import make_order_templates, make_work_orders
from fieldloop.plan.work.schedule import schedule_orders
from fieldloop.plan.work.sheets import read_order_list, read_returned_counts, write_orders_csv, write_orders_json
from fieldloop.plan.work.starts import draw_initial_conditions
from fieldloop.plan.work.templates import Crew, fill_templates, read_templates

__all__ = [
    "STRATEGIES",
    "Counts",
    "Crew",
    "Known",
    "allocate_budget",
    "compute_coverage",
    "compute_coverage_elsewhere",
    "compute_coverage_from_counts",
    "compute_learning_curves",
    "compute_order_progress",
    "compute_quota_progress",
    "count_accepted_outside_quotas",
    "draw_initial_conditions",
    "draw_plan",
    "fill_templates",
    "find_gaps",
    "forecast_completion",
    "list_episodes_of_quotas",
    "make_order_templates",
    "make_work_orders",
    "measure_pace",
    "read_demonstration_costs",
    "read_order_list",
    "read_returned_counts",
    "read_templates",
    "schedule_orders",
    "score_plan",
    "write_orders_csv",
    "write_orders_json",
]
