"""Check of a batch's mix against the shares that the protocol asks for."""

from collections import Counter
from collections.abc import Iterator

from fieldloop.check.batch.approach import measure_angle_from_down
from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import read_label
from fieldloop.model.episode import Episode
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.unit import POINTS

APPROACH = "approach_deg"
"""A balance over the angle between the approach and straight down; its labels are ranges such as '0-30'."""


@check(
    "batch.balance",
    unit="points",
    needs=("episodes", "balance"),
)
def measure_label_balance(batch: Batch) -> Iterator[Measurement]:
    """How far is each share that the protocol asks for from its goal?

    The table `[balance.…]` of the protocol states the shares: of the outcome, the object, a factor of the environment,
    or `approach_deg`. The last is the angle between the approach and straight down, with ranges such as 0-30 as labels.
    Episodes without a label could have any label, so the result is an interval.
    """
    if len(batch.episodes) < batch.read_parameter("batch.balance", "min_episodes"):
        return
    for asked in batch.protocol.balance.values():
        counts = Counter(_find_balance_label(batch, e, asked.over, tuple(asked.shares)) for e in batch.episodes)
        for name, goal in asked.shares.items():
            yield _measure_share_deviation(Subject(aspect=f"{asked.over}={name}"), counts, name, goal)


def _measure_share_deviation(subject: Subject, counts: Counter[str], label_name: str, goal_share: float) -> Measurement:
    total, silent = counts.total(), counts[""]
    known = total - silent
    if not known:
        return Measurement(subject, UNKNOWN, cannot_tell=note("check.no_episode_labelled"))
    fewest, most = (POINTS * (n / total - goal_share) for n in (counts[label_name], counts[label_name] + silent))
    nearest = 0.0 if fewest <= 0.0 <= most else min(abs(fewest), abs(most))
    return Measurement(
        subject,
        POINTS * abs(counts[label_name] / known - goal_share),
        note("check.share_of_goal", count=counts[label_name], known=known, goal=goal_share, unlabelled=silent or None),
        low=nearest if silent else None,
        high=max(abs(fewest), abs(most)) if silent else None,
    )


def _find_balance_label(batch: Batch, episode: Episode, label_kind: str, labels: tuple[str, ...]) -> str:
    if label_kind != APPROACH:
        return read_label(episode, label_kind)
    angle = measure_angle_from_down(batch, episode)
    return "" if angle is None else next((name for name in labels if _is_in_angle_range(angle, name)), "another angle")


def _is_in_angle_range(angle: float, range_label: str) -> bool:
    """Does an angle lie in a range such as '0-30'? False for a label that is not a range."""
    low, _, high = range_label.partition("-")
    try:
        return float(low) <= angle < float(high)
    except ValueError:
        return False
