"""Gate requirements that compare trials: with and without distractors, and the order of consecutive trials."""

import math
from collections.abc import Sequence

from fieldloop.evaluate import pattern, ratio, trial
from fieldloop.evaluate.looks import Looks
from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section


def judge_distractors(
    with_distractors: Sequence[bool], base: Sequence[bool], settings: Section, looks: Looks
) -> GateTest:
    """Judge which share of the base rate is left with distractors; the bounds are those of that share."""
    kept = settings.number("distractor_min_kept")
    planned = int(settings["distractor_trials"]), int(settings["base_trials"])
    look = looks.count_complete_looks((len(with_distractors), planned[0]), (len(base), planned[1]))
    counted = max(1, look)
    arms = with_distractors[: counted * planned[0]], base[: counted * planned[1]]
    missing = max(counted * planned[0] - len(arms[0]), counted * planned[1] - len(arms[1]), 0)
    seen = ratio.TwoRates(sum(arms[0]), len(arms[0]), sum(arms[1]), len(arms[1]))
    if not (seen.trials and seen.base_successes):
        more = max(1, missing)
        tried = seen.trials and seen.base_trials
        message = note("evaluate.base_never_succeeded") if tried else note("evaluate.not_tried", trials=more)
        return _make_distractor_test(
            seen, kept, looks.get_level(look), Status.CANNOT_TELL, (0.0, math.inf), more, message
        )
    level = looks.get_level(look)
    low, high = ratio.compute_ratio_bounds(seen, level)
    status = (
        _judge_ratio(seen, kept, 1 - level)
        if look
        else _judge_if_missing_trials_succeed(seen, planned, kept, 1 - level)
    )
    more = 0
    if status is Status.CANNOT_TELL:
        more = missing or _count_more_trials_needed(seen, kept, looks, look)
    message = note(
        "evaluate.distractors", *((note("evaluate.more_of_each", more=more),) if more else ()),
        successes=seen.successes, trials=seen.trials, base_successes=seen.base_successes,
        base_trials=seen.base_trials, share=float(seen.ratio), low=low, high=high,
    )  # fmt: skip
    return _make_distractor_test(seen, kept, level, status, (low, high), more, message)


def _judge_ratio(seen: ratio.TwoRates, kept: float, alpha: float) -> Status:
    if ratio.compute_chance_of_as_bad(seen, kept) <= alpha:
        return Status.FAILED
    return Status.PASSED if ratio.compute_chance_of_as_good(seen, kept) <= alpha else Status.CANNOT_TELL


def _judge_if_missing_trials_succeed(
    seen: ratio.TwoRates, planned: tuple[int, int], kept: float, alpha: float
) -> Status:
    """Fail before the first look only if the missing trials could not save the policy; nothing passes yet."""
    best = ratio.TwoRates(seen.successes + planned[0] - seen.trials, planned[0], seen.base_successes, planned[1])
    return Status.FAILED if ratio.compute_chance_of_as_bad(best, kept) <= alpha else Status.CANNOT_TELL


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


def _count_more_trials_needed(two_rates: ratio.TwoRates, required_ratio: float, looks: Looks, look: int) -> int:
    """How many more trials of each arm, at the observed rates: a score grows with the root of the trials.

    Only whole looks decide, so the answer is the trials of as many further looks as that takes.
    """
    from scipy.special import ndtri

    score, planned = abs(ratio.compute_score(two_rates, required_ratio)), two_rates.trials // look
    ahead = looks.list_next_looks(look, planned)
    enough = (n for n in ahead if score * math.sqrt(n / look) >= float(ndtri(looks.get_level(n))))
    return (next(enough, ahead[-1]) - look) * planned


def _make_distractor_test(
    seen: ratio.TwoRates,
    required_ratio: float,
    level: float,
    status: Status,
    bounds: tuple[float, float],
    more_trials: int,
    message: Note,
) -> GateTest:
    required = note("evaluate.distractors_required", share=required_ratio, level=level)
    return GateTest(trial.DISTRACTORS, required, status, seen.successes, seen.trials, *bounds, more_trials, message)
