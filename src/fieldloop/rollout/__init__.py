"""Staged rollout of a new version: shadow, trial, quarter, half, fleet; and back.

`start_rollout` begins a rollout, `advance_rollout` moves it by the evidence, `roll_back` ends it,
`choose_candidate_or_incumbent` routes a task.
"""

from fieldloop.rollout.ladder import LADDER, advance_rollout, roll_back, start_rollout
from fieldloop.rollout.routing import choose_candidate_or_incumbent

__all__ = ["LADDER", "advance_rollout", "choose_candidate_or_incumbent", "roll_back", "start_rollout"]
