"""Gate requirements that compare trials: with and without distractors, and the order of consecutive trials."""

import math
from collections.abc import Sequence

from fieldloop.evaluate import pattern, ratio, trial
from fieldloop.evaluate.rates import Looks
from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section


def judge_distractors(outcome: tuple[int, int], base: tuple[int, int], settings: Section, looks: Looks) -> GateTest:
    """Judge which share of the base rate is left with distractors; the bounds are those of that share."""
    kept, planned, base_planned = (settings[n] for n in ("distractor_min_kept", "distractor_trials", "base_trials"))
    successes, trials = outcome
    missing = max(planned - trials, base_planned - base[1], 0)
    if not (trials and base[0]):
        more = max(1, missing)
        tried = trials and base[1]
        message = note("evaluate.base_never_succeeded") if tried else note("evaluate.not_tried", trials=more)
        return _make_distractor_test(outcome, kept, looks, Status.CANNOT_TELL, (0.0, math.inf), more, message)
    seen, alpha = ratio.TwoRates(successes, trials, *base), 1 - looks.level
    low, high = ratio.compute_ratio_bounds(seen, looks.level)
    if ratio.compute_chance_of_as_bad(seen, kept) <= alpha:
        status, more = Status.FAILED, 0
    elif not missing and ratio.compute_chance_of_as_good(seen, kept) <= alpha:
        status, more = Status.PASSED, 0
    else:
        status, more = Status.CANNOT_TELL, max(missing, _count_more_trials_needed(seen, kept, looks))
    message = note(
        "evaluate.distractors", *((note("evaluate.more_of_each", more=more),) if more else ()),
        successes=successes, trials=trials, base_successes=base[0], base_trials=base[1],
        share=float(seen.ratio), low=low, high=high,
    )  # fmt: skip
    return _make_distractor_test(outcome, kept, looks, status, (low, high), more, message)


def judge_pattern(succeeded: Sequence[bool], settings: Section) -> GateTest:
    """Judge whether the failures of the consecutive trials are intermittent or depend on time."""
    planned, alpha = int(settings["consecutive_trials"]), settings.number("pattern_alpha")
    order_test, missing = pattern.find_pattern(succeeded), max(0, planned - len(succeeded))
    status = Status.PASSED if not missing else Status.CANNOT_TELL
    if order_test.p_value <= alpha:
        status, missing = Status.FAILED, 0
    codes = {Status.PASSED: "evaluate.no_pattern", Status.FAILED: "evaluate.pattern"}
    return GateTest(
        name="consecutive pattern",
        required=note("evaluate.pattern_required", alpha=alpha),
        status=status,
        successes=sum(succeeded),
        trials=len(succeeded),
        low=order_test.p_value,
        high=1.0,
        more_trials=missing,
        message=note(codes.get(status, "evaluate.pattern_too_early"), order_test.order, p_value=order_test.p_value),
    )


def _count_more_trials_needed(two_rates: ratio.TwoRates, required_ratio: float, looks: Looks) -> int:
    """How many more trials of each arm, at the observed rates: a score grows with the root of the trials."""
    from scipy.special import ndtri

    score, left = abs(ratio.compute_score(two_rates, required_ratio)), max(1, looks.max_trials - two_rates.trials)
    if not 0 < score < math.inf:
        return left
    factor = (float(ndtri(looks.next_level)) / score) ** 2
    return int(min(left, max(1, math.ceil(two_rates.trials * (factor - 1)))))


def _make_distractor_test(
    outcome: tuple[int, int],
    required_ratio: float,
    looks: Looks,
    status: Status,
    bounds: tuple[float, float],
    more_trials: int,
    message: Note,
) -> GateTest:
    required = note("evaluate.distractors_required", share=required_ratio, level=looks.level)
    return GateTest(trial.DISTRACTORS, required, status, *outcome, *bounds, more_trials, message)
