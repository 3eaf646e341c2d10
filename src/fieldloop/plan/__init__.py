"""What to collect next, and why: coverage of the deployed strata becomes quotas, quotas become work orders.

`coverage` counts, `allocate` spends a budget, `orders` hands it to people and robots, `draw` does all three,
`progress` says how far it is.
"""

from fieldloop.plan.allocate import STRATEGIES, allocate
from fieldloop.plan.coverage import coverage
from fieldloop.plan.draw import draw
from fieldloop.plan.orders import Crew, orders
from fieldloop.plan.progress import progress

__all__ = ["STRATEGIES", "Crew", "allocate", "coverage", "draw", "orders", "progress"]
