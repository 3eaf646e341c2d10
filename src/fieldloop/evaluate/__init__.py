"""Trials, bounds, the gate: which trials to run, and what may be concluded from how they ended.

One rule for every required rate r, at a one-sided error of α:
PASSED when the exact lower bound of the true rate reaches r and the planned trials are complete; FAILED when the exact
upper bound falls below r; otherwise CANNOT_TELL, with the number of further trials that tell at the observed rate.
So 85 successes in 100 meet the letter of '≥ 85 %' and do not pass: a policy that truly does 80 % gets there in one gate
of eight. Judging again after more trials spends α/2, α/4, … so that no number of looks passes a bad policy more often
than α. `chances` computes exactly how often a policy of any true rate passes, fails, or is asked for more.
"""

from fieldloop.evaluate.chances import Chances, chances
from fieldloop.evaluate.judge import judge, say_what_is_left
from fieldloop.evaluate.plan import novel_lightings, plan
from fieldloop.evaluate.trial import Trial

__all__ = ["Chances", "Trial", "chances", "judge", "novel_lightings", "plan", "say_what_is_left"]
