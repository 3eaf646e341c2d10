"""The gate: which trials to run, and the decision that follows from their outcomes.

One rule applies to every required rate r, with a one-sided error of α. PASSED: the exact lower bound of the true rate
reaches r. FAILED: the exact upper bound is below r. Otherwise CANNOT_TELL, with the number of further trials that would
decide at the observed rate.
So 85 successes in 100 trials do not pass '≥ 85 %': a policy with a true rate of 80 % reaches that in one gate of eight.
A requirement is judged at trial numbers that the outcomes do not choose (`looks`): the planned number, twice that, and
so on, with α/2, α/6, … So a policy below a required rate passes with a probability of at most α, also if its team asks
after every trial and stops as soon as it would pass. Before the planned trials are complete nothing passes; a policy
fails early only if the missing trials could not save it. This holds for rates and for the comparison with distractors,
for trials that are recorded as they come; leaving out trials, or other limits between looks, defeats any such rule. The
bounds of the mean cycle time are Student's, hence approximate; the order of failures is tested over all trials.
Two versions are compared by a sequential test (`versions`), valid at every look.
`chances` computes exactly how often a policy of any true rate passes, fails, or needs more trials.
"""

from fieldloop.evaluate.chances import Chances, compute_verdict_chances
from fieldloop.evaluate.judge import (
    GateCase,
    judge_gate,
    note_blind_plan,
    note_missing_lightings,
    note_unknown_training,
)
from fieldloop.evaluate.pairs import pair_attempts
from fieldloop.evaluate.plan import list_novel_lightings, plan_gate_trials
from fieldloop.evaluate.results import note_deviations
from fieldloop.evaluate.trial import Trial
from fieldloop.evaluate.versions import Compared, compare_versions

__all__ = [
    "Chances",
    "Compared",
    "GateCase",
    "Trial",
    "compare_versions",
    "compute_verdict_chances",
    "judge_gate",
    "list_novel_lightings",
    "note_blind_plan",
    "note_deviations",
    "note_missing_lightings",
    "note_unknown_training",
    "pair_attempts",
    "plan_gate_trials",
]
