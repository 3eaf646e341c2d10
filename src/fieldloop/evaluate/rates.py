"""Is a success rate shown to be high enough, shown to be too low, or not shown yet?"""

from dataclasses import dataclass

from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Status
from fieldloop.protocol import Section
from fieldloop.stats import binomial


@dataclass(frozen=True, slots=True)
class Looks:
    """How sure this look and the next must be, so that all looks together err at most as often as one may."""

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
    low, high = binomial.lower_bound(*outcome, looks.level), binomial.upper_bound(*outcome, looks.level)
    status = verdict(low, high, required, complete=trials >= planned)
    more = 0 if status is not Status.CANNOT_TELL else max(planned - trials, _needed(outcome, required, looks))
    return GateTest(
        name=name,
        required=f"≥ {required:.0%}, shown with {looks.level:.2%} confidence over at least {planned} trials",
        status=status,
        successes=successes,
        trials=trials,
        low=low,
        high=high,
        more_trials=more,
        message=_message(outcome, required, (low, high), more, looks),
    )


def verdict(low: float, high: float, required: float, *, complete: bool) -> Status:
    """Apply the rule of the room."""
    if high < required:
        return Status.FAILED
    return Status.PASSED if complete and low >= required else Status.CANNOT_TELL


def _needed(outcome: tuple[int, int], required: float, looks: Looks) -> int:
    successes, trials = outcome
    left = max(1, looks.max_trials - trials)
    to_pass = binomial.trials_needed(successes, trials, required, looks.next_level)
    to_fail = binomial.trials_needed(trials - successes, trials, 1 - required, looks.next_level) if trials else None
    return min([left, *(n for n in (to_pass, to_fail) if n)])


def _message(outcome: tuple[int, int], required: float, bounds: tuple[float, float], more: int, looks: Looks) -> str:
    successes, trials = outcome
    if not trials:
        return f"Nothing was tried. NEEDS {more} TRIALS."
    meets = "meets" if successes >= required * trials else "misses"
    seen = f"{successes} of {trials} ({successes / trials:.1%}) {meets} {required:.0%} as observed"
    shown = f"the true rate is shown to lie between {bounds[0]:.1%} and {bounds[1]:.1%}"
    if not more:
        return f"{seen}; {shown}."
    near = " (too near to the limit to be told sooner)" if trials + more >= looks.max_trials else ""
    return f"{seen}; {shown}. NEEDS {more} MORE{near}."
