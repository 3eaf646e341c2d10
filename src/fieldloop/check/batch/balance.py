"""Has a batch the mix that was asked for?"""

import math
from collections import Counter
from collections.abc import Iterator

from fieldloop.check.batch.approach import angle_from_down
from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import label
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement

APPROACH = "approach_deg"
"""A balance over the angle between the approach and straight down; its labels are ranges such as '0-30'."""

POINTS = 100.0


@check(
    "batch.balance",
    unit="points",
    needs=("episodes", "balance"),
    advice="Let the next work orders ask for what is short.",
)
def balance(batch: Batch) -> Iterator[Measurement]:
    """How far is each share that the protocol asks for from its goal?

    Asked by `[balance.…]`: over the outcome, the object, a factor of the environment, or `approach_deg`, the angle
    between the approach and straight down, with ranges such as 0-30 as labels. Episodes that do not say could be
    anything, so the answer is an interval.
    """
    if len(batch.episodes) < batch.parameter("batch.balance", "min_episodes"):
        return
    for asked in batch.protocol.balance.values():
        said = [_label(batch, e, asked.over, tuple(asked.shares)) for e in batch.episodes]
        counts = Counter(said)
        for name, goal in asked.shares.items():
            yield _off(f"{asked.over}={name}", counts, name, goal)


def _off(subject: str, counts: Counter[str], name: str, goal: float) -> Measurement:
    total, silent = counts.total(), counts[""]
    known = total - silent
    if not known:
        return Measurement(subject, math.nan, cannot_tell="No episode says.")
    fewest, most = (POINTS * (n / total - goal) for n in (counts[name], counts[name] + silent))
    nearest = 0.0 if fewest <= 0.0 <= most else min(abs(fewest), abs(most))
    unsaid = f"; {silent} do not say" if silent else ""
    return Measurement(
        subject,
        POINTS * abs(counts[name] / known - goal),
        f"({counts[name]} of {known}, {goal:.0%} asked{unsaid})",
        low=nearest if silent else None,
        high=max(abs(fewest), abs(most)) if silent else None,
    )


def _label(batch: Batch, episode: Episode, over: str, labels: tuple[str, ...]) -> str:
    if over != APPROACH:
        return label(episode, over)
    angle = angle_from_down(batch, episode)
    return "" if angle is None else next((name for name in labels if _within(angle, name)), "another angle")


def _within(angle: float, name: str) -> bool:
    """Does an angle lie in a range such as '0-30'? What is not a range holds nothing."""
    low, _, high = name.partition("-")
    try:
        return float(low) <= angle < float(high)
    except ValueError:
        return False
