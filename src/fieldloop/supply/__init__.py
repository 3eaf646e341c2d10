"""Providers: a delivery is accepted or returned by the same checks as everything else, with its reasons.

`judge_delivery` judges one delivery, `make_scorecard` sums up many.
"""

from fieldloop.supply.accept import judge_delivery
from fieldloop.supply.scorecard import make_scorecard

__all__ = ["judge_delivery", "make_scorecard"]
