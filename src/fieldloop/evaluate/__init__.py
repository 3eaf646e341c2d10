"""The gate: which trials to run, and the decision that follows from their outcomes.

One rule applies to every required rate r, with a one-sided error of α. PASSED: the exact lower bound of the true rate
reaches r and the planned trials are complete. FAILED: the exact upper bound is below r. Otherwise CANNOT_TELL, with the
number of further trials that would decide at the observed rate.
So 85 successes in 100 trials do not pass '≥ 85 %': a policy with a true rate of 80 % reaches that in one gate of eight.
Judging again after more trials spends α/2, α/4, … so that any number of looks passes a bad policy at most with
probability α. `chances` computes exactly how often a policy of any true rate passes, fails, or needs more trials.
"""

from fieldloop.evaluate.chances import Chances, compute_verdict_chances
from fieldloop.evaluate.judge import judge_gate, note_missing_lightings, note_unknown_training
from fieldloop.evaluate.plan import list_novel_lightings, plan_gate_trials
from fieldloop.evaluate.trial import Trial

__all__ = [
    "Chances",
    "Trial",
    "compute_verdict_chances",
    "judge_gate",
    "list_novel_lightings",
    "note_missing_lightings",
    "note_unknown_training",
    "plan_gate_trials",
]
