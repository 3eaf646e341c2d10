"""Requirements that compare: with distractors against without, and each trial against its neighbours."""

import math
from collections.abc import Sequence

from fieldloop.evaluate import pattern, ratio, trial
from fieldloop.evaluate.rates import Looks
from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Status
from fieldloop.protocol import Section


def judge_distractors(outcome: tuple[int, int], base: tuple[int, int], settings: Section, looks: Looks) -> GateTest:
    """Judge which share of the base rate is left among distractors; bounds are those of that share."""
    kept, planned, base_planned = (settings[n] for n in ("distractor_min_kept", "distractor_trials", "base_trials"))
    successes, trials = outcome
    missing = max(planned - trials, base_planned - base[1], 0)
    if not (trials and base[0]):
        message = "Nothing succeeded under base conditions." if trials and base[1] else "Not tried yet."
        return _test(outcome, kept, looks, Status.CANNOT_TELL, (0.0, math.inf), max(1, missing), message)
    seen, alpha = ratio.TwoRates(successes, trials, *base), 1 - looks.level
    low, high = ratio.bounds(seen, looks.level)
    if ratio.chance_of_as_bad(seen, kept) <= alpha:
        status, more = Status.FAILED, 0
    elif not missing and ratio.chance_of_as_good(seen, kept) <= alpha:
        status, more = Status.PASSED, 0
    else:
        status, more = Status.CANNOT_TELL, max(missing, _more(seen, kept, looks))
    message = f"{successes} of {trials} among distractors, {base[0]} of {base[1]} without: {seen.ratio:.1%} is left, "
    message += f"shown to lie between {low:.1%} and {high:.1%}." + (f" NEEDS {more} MORE of each." if more else "")
    return _test(outcome, kept, looks, status, (low, high), more, message)


def judge_pattern(succeeded: Sequence[bool], settings: Section) -> GateTest:
    """Judge whether the failures of the consecutive trials are intermittent or depend on time."""
    planned, alpha = int(settings["consecutive_trials"]), settings.number("pattern_alpha")
    found, missing = pattern.find_pattern(succeeded), max(0, planned - len(succeeded))
    status = Status.PASSED if not missing else Status.CANNOT_TELL
    if found.p_value <= alpha:
        status, missing = Status.FAILED, 0
    words = "No pattern" if status is Status.PASSED else "A pattern" if status is Status.FAILED else "Too early to tell"
    return GateTest(
        name="consecutive pattern",
        required=f"an order of failures that chance makes more often than {alpha:.0%}",
        status=status,
        successes=sum(succeeded),
        trials=len(succeeded),
        low=found.p_value,
        high=1.0,
        more_trials=missing,
        message=f"{words}: {found.message} Chance makes an order this strange in {found.p_value:.2%}.",
    )


def _more(seen: ratio.TwoRates, kept: float, looks: Looks) -> int:
    """How many more of each arm, at the rates seen: a score grows with the root of the trials."""
    from scipy.special import ndtri

    score, left = abs(ratio.score(seen, kept)), max(1, looks.max_trials - seen.trials)
    if not 0 < score < math.inf:
        return left
    factor = (float(ndtri(looks.next_level)) / score) ** 2
    return int(min(left, max(1, math.ceil(seen.trials * (factor - 1)))))


def _test(
    outcome: tuple[int, int],
    kept: float,
    looks: Looks,
    status: Status,
    bounds: tuple[float, float],
    more: int,
    message: str,
) -> GateTest:
    required = f"≥ {kept:.0%} of the base rate left, shown with {looks.level:.2%} confidence"
    return GateTest(trial.DISTRACTORS, required, status, *outcome, *bounds, more, message)
