"""Judge a success rate against a required rate: high enough, too low, or undecided."""

from dataclasses import dataclass

from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section
from fieldloop.stats import binomial


@dataclass(frozen=True, slots=True)
class Looks:
    """Confidence required at this look and the next, so that all looks together keep the error rate allowed for one."""

    level: float
    next_level: float
    max_trials: int

    @classmethod
    def at(cls, look: int, settings: Section) -> "Looks":
        """Spend half of the error allowed on the first look, a quarter on the second, and so on."""
        alpha = 1 - settings.number("confidence")
        return cls(1 - alpha / 2**look, 1 - alpha / 2 ** (look + 1), int(settings["max_trials"]))


def judge_rate(name: str, required: float, outcome: tuple[int, int], planned: int, looks: Looks) -> GateTest:
    """Judge (successes, trials) against a required rate; `planned` trials must be complete before it can pass."""
    successes, trials = outcome
    low, high = binomial.compute_lower_bound(*outcome, looks.level), binomial.compute_upper_bound(*outcome, looks.level)
    status = judge_bounds(low, high, required, complete=trials >= planned)
    more = (
        0
        if status is not Status.CANNOT_TELL
        else max(planned - trials, _count_more_trials_needed(outcome, required, looks))
    )
    return GateTest(
        name=name,
        required=note("evaluate.rate_required", rate=required, level=looks.level, planned=planned),
        status=status,
        successes=successes,
        trials=trials,
        low=low,
        high=high,
        more_trials=more,
        message=_write_rate_message(outcome, required, (low, high), more, looks),
    )


def judge_bounds(low: float, high: float, required: float, *, complete: bool) -> Status:
    """Apply the rule stated in the package docstring."""
    if high < required:
        return Status.FAILED
    return Status.PASSED if complete and low >= required else Status.CANNOT_TELL


def _count_more_trials_needed(outcome: tuple[int, int], required: float, looks: Looks) -> int:
    successes, trials = outcome
    left = max(1, looks.max_trials - trials)
    to_pass = binomial.count_more_trials_needed(successes, trials, required, looks.next_level)
    to_fail = (
        binomial.count_more_trials_needed(trials - successes, trials, 1 - required, looks.next_level)
        if trials
        else None
    )
    return min([left, *(n for n in (to_pass, to_fail) if n)])


def _write_rate_message(
    outcome: tuple[int, int], required: float, bounds: tuple[float, float], more_trials: int, looks: Looks
) -> Note:
    successes, trials = outcome
    if not trials:
        return note("evaluate.not_tried", trials=more_trials)
    missing: tuple[Note, ...] = ()
    if more_trials:
        near = trials + more_trials >= looks.max_trials
        missing = (note("evaluate.more_near_limit" if near else "evaluate.more", more=more_trials),)
    low, high = bounds
    share = successes / trials
    return note(
        "evaluate.rate",
        *missing,
        successes=successes,
        trials=trials,
        share=share,
        required=required,
        low=low,
        high=high,
    )
