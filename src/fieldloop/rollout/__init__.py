"""Staged rollout of a new version: shadow, trial, quarter, half, fleet; and back.

`start` begins a rollout, `advance` moves it by the evidence, `roll_back` ends it, `arm` routes a task.
"""

from fieldloop.rollout.ladder import LADDER, advance, roll_back, start
from fieldloop.rollout.routing import arm

__all__ = ["LADDER", "advance", "arm", "roll_back", "start"]
