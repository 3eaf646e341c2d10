"""The ladder a new version climbs: shadow, trial, quarter, half, fleet; and back.

`start` puts a gated version on it, `advance` applies the evidence, `roll_back` is the button, `arm` routes a task.
"""

from fieldloop.rollout.ladder import LADDER, advance, roll_back, start
from fieldloop.rollout.routing import arm

__all__ = ["LADDER", "advance", "arm", "roll_back", "start"]
