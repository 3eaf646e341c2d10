"""Providers: a delivery is accepted or returned by the same checks as everything else, with its reasons.

`accept` judges one delivery, `scorecard` sums up many.
"""

from fieldloop.supply.accept import accept
from fieldloop.supply.scorecard import make_scorecard

__all__ = ["accept", "make_scorecard"]
