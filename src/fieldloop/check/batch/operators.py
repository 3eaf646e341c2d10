"""Checks of who demonstrated the episodes of a batch."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.model.episode import Episode
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, Note, Subject, note
from fieldloop.stats.binomial import compute_wilson_interval


@check(
    "batch.operator_share",
    unit="share of episodes",
    needs=("episodes",),
)
def measure_operator_shares(batch: Batch) -> Iterator[Measurement]:
    """Which share of the episodes came from each operator?

    A share above the limit fails only if its 95 % interval is wholly above it; a small batch cannot show that.
    """
    if len(batch.episodes) < batch.read_parameter("batch.operator_share", "min_episodes"):
        return
    known = Counter(episode.operator for episode in batch.episodes if episode.operator)
    unknown = _note_missing_operators(batch)
    if not known:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=unknown)
    for operator, count in sorted(known.items()):
        yield _measure_share(batch, operator, count, unknown)


def _measure_share(batch: Batch, operator: str, count: int, unknown: Note | None) -> Measurement:
    """Measure one operator's share; one above the limit gets its interval, so that a few episodes cannot fail it."""
    share, about = count / len(batch.episodes), Subject(aspect=operator)
    if unknown or batch.protocol.limits["batch.operator_share"].admits(share):
        return Measurement(about, share, cannot_tell=unknown)
    low, high = compute_wilson_interval(count, len(batch.episodes))
    return Measurement(about, share, low=low, high=high)


@check(
    "batch.operators",
    unit="operators",
    needs=("episodes",),
)
def count_operators(batch: Batch) -> Iterator[Measurement]:
    """How many operators demonstrated each variant of each task?

    A variant is the value of `variant` in an episode's conditions or facts; without it, the task is its only variant.
    """
    variants: dict[str, list[Episode]] = defaultdict(list)
    for episode in batch.episodes:
        variant = episode.stratum.level("variant") or episode.get_fact("variant")
        variants[f"{episode.task} {variant}" if variant else episode.task].append(episode)
    for name, episodes in sorted(variants.items()):
        if len(episodes) < batch.read_parameter("batch.operators", "min_episodes"):
            continue
        anonymous = sum(1 for e in episodes if not e.operator)
        if anonymous:
            reason = note("check.operators_missing", missing=anonymous, episodes=len(episodes))
            yield Measurement(Subject(aspect=name), UNKNOWN, cannot_tell=reason)
        else:
            yield Measurement(Subject(aspect=name), float(len({e.operator for e in episodes})))


def _note_missing_operators(batch: Batch) -> Note | None:
    anonymous = sum(1 for episode in batch.episodes if not episode.operator)
    return note("check.operators_missing", missing=anonymous, episodes=len(batch.episodes)) if anonymous else None
