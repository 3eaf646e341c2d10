"""Checks of who demonstrated the episodes of a batch."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.model.episode import Episode
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, Note, Subject, note


@check(
    "batch.operator_share",
    unit="share of episodes",
    needs=("episodes",),
)
def operator_share(batch: Batch) -> Iterator[Measurement]:
    """Which share of the episodes came from each operator?"""
    if len(batch.episodes) < batch.parameter("batch.operator_share", "min_episodes"):
        return
    known = Counter(episode.operator for episode in batch.episodes if episode.operator)
    unknown = _missing_operators_note(batch)
    if not known:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=unknown)
    for operator, count in sorted(known.items()):
        yield Measurement(Subject(aspect=operator), count / len(batch.episodes), cannot_tell=unknown)


@check(
    "batch.operators",
    unit="operators",
    needs=("episodes",),
)
def operators(batch: Batch) -> Iterator[Measurement]:
    """How many operators demonstrated each variant of each task?

    A variant is the value of `variant` in an episode's conditions or facts; without it, the task is its only variant.
    """
    variants: dict[str, list[Episode]] = defaultdict(list)
    for episode in batch.episodes:
        variant = episode.stratum.level("variant") or episode.fact("variant")
        variants[f"{episode.task} {variant}" if variant else episode.task].append(episode)
    for name, episodes in sorted(variants.items()):
        if len(episodes) < batch.parameter("batch.operators", "min_episodes"):
            continue
        anonymous = sum(1 for e in episodes if not e.operator)
        if anonymous:
            reason = note("check.operators_missing", missing=anonymous, episodes=len(episodes))
            yield Measurement(Subject(aspect=name), UNKNOWN, cannot_tell=reason)
        else:
            yield Measurement(Subject(aspect=name), float(len({e.operator for e in episodes})))


def _missing_operators_note(batch: Batch) -> Note | None:
    anonymous = sum(1 for episode in batch.episodes if not episode.operator)
    return note("check.operators_missing", missing=anonymous, episodes=len(batch.episodes)) if anonymous else None
