"""What two arms show: a loss, no loss, or how many more episodes it takes to tell."""

import math

from fieldloop.errors import BadInput
from fieldloop.model.finding import Status
from fieldloop.protocol import Section
from fieldloop.stats import difference

Counts = tuple[int, int]

MOST_EPISODES = 1_000_000
"""Nobody waits for more."""


def judge(candidate: Counts, incumbent: Counts, days: float, share: float, settings: Section) -> tuple[Status, str]:
    """Judge a candidate against its incumbent: FAILED on a real drop, PASSED on no loss shown, else what is missing."""
    for successes, episodes in (candidate, incumbent):
        if not 0 <= successes <= episodes:
            raise BadInput(f"{successes} successes of {episodes} episodes cannot be; count both over the same days.")
    return (
        _dropped(candidate, incumbent, settings)
        or _too_few(candidate, incumbent, settings)
        or _loss_possible(candidate, incumbent, share, settings)
        or _too_soon(days, settings)
        or (Status.PASSED, f"{_both(candidate, incumbent)}: no loss beyond {_points(settings.number('max_drop'))}.")
    )


def _dropped(candidate: Counts, incumbent: Counts, settings: Section) -> tuple[Status, str] | None:
    """A drop counts when it is larger than allowed and beyond chance at every look, not only at this one."""
    if not candidate[1] or not incumbent[1]:
        return None
    drop = incumbent[0] / incumbent[1] - candidate[0] / candidate[1]
    threshold = difference.anytime_threshold(
        candidate[1], incumbent[1], int(settings.number("min_episodes")), settings.number("confidence")
    )
    if drop <= settings.number("max_drop") or difference.drop_score(candidate, incumbent) <= threshold:
        return None
    return Status.FAILED, f"{_both(candidate, incumbent)}: {_points(drop)} lower, and chance does not explain it."


def _too_few(candidate: Counts, incumbent: Counts, settings: Section) -> tuple[Status, str] | None:
    least = int(settings.number("min_episodes"))
    if not incumbent[1]:
        return Status.CANNOT_TELL, "The incumbent has no episodes over the same days; there is nothing to compare with."
    if candidate[1] < least:
        return Status.CANNOT_TELL, f"{least - candidate[1]} more episodes of the candidate are needed, {least} in all."
    return None


def _loss_possible(candidate: Counts, incumbent: Counts, share: float, settings: Section) -> tuple[Status, str] | None:
    """No loss is shown at a level that every look of the rung shares, as it is asked again and again."""
    margin, level = settings.number("max_drop"), 1 - (1 - settings.number("confidence")) / settings.number("looks")
    if difference.lower_bound(candidate, incumbent, level) > -margin:
        return None
    more = more_needed(candidate, incumbent, share, margin, level)
    how_many = f"about {more} more episodes" if more else "more episodes than anyone will run, at these rates,"
    return (
        Status.CANNOT_TELL,
        f"{_both(candidate, incumbent)}: a loss of {_points(margin)} is still possible; {how_many} of the candidate.",
    )


def _too_soon(days: float, settings: Section) -> tuple[Status, str] | None:
    step = settings.number("step_days")
    if days < step:
        return Status.CANNOT_TELL, f"No loss so far; {step - days:.1f} more days on this rung."
    return None


def more_needed(candidate: Counts, incumbent: Counts, share: float, margin: float, level: float) -> int | None:
    """How many more episodes of the candidate, at both observed rates and this split, until no loss is shown."""
    ours, theirs = candidate[0] / candidate[1], incumbent[0] / incumbent[1]
    beside = (1.0 - share) / share if share else 1.0

    def clears(more: int) -> bool:
        n, m = candidate[1] + more, incumbent[1] + int(more * beside)
        return difference.lower_bound((math.floor(ours * n), n), (math.ceil(theirs * m), m), level) > -margin

    high = 1
    while not clears(high):
        high *= 2
        if high > MOST_EPISODES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if clears(middle) else (middle, high)
    return high


def _both(candidate: Counts, incumbent: Counts) -> str:
    ours, theirs = candidate[0] / candidate[1], incumbent[0] / incumbent[1]
    return f"{ours:.1%} of {candidate[1]} against {theirs:.1%} of {incumbent[1]}"


def _points(drop: float) -> str:
    return f"{100 * drop:.1f} points"
