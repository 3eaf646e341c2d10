"""Questions about episodes collected together."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement


@check(
    "batch.operator_share",
    unit="share of episodes",
    needs=("episodes",),
    advice="Rotate operators: the next work orders should go to others.",
)
def operator_share(batch: Batch) -> Iterator[Measurement]:
    """Which share of the episodes came from each operator?"""
    if len(batch.episodes) < batch.parameter("batch.operator_share", "min_episodes"):
        return
    known = Counter(episode.operator for episode in batch.episodes if episode.operator)
    unknown = _unknown(batch)
    if not known:
        yield Measurement("", float("nan"), cannot_tell=unknown)
    for operator, count in sorted(known.items()):
        yield Measurement(operator, count / len(batch.episodes), cannot_tell=unknown)


@check(
    "batch.operators",
    unit="operators",
    needs=("episodes",),
    advice="Have more people demonstrate this.",
)
def operators(batch: Batch) -> Iterator[Measurement]:
    """How many operators demonstrated each variant of each task?

    A variant is what the episodes call one (`variant` among their conditions or facts); else the task is its only one.
    """
    variants: dict[str, list[Episode]] = defaultdict(list)
    for episode in batch.episodes:
        variant = episode.stratum.level("variant") or episode.fact("variant")
        variants[f"{episode.task} {variant}" if variant else episode.task].append(episode)
    for name, own in sorted(variants.items()):
        if len(own) < batch.parameter("batch.operators", "min_episodes"):
            continue
        anonymous = sum(1 for e in own if not e.operator)
        if anonymous:
            reason = f"{anonymous} of {len(own)} episodes do not say who demonstrated."
            yield Measurement(name, float("nan"), cannot_tell=reason)
        else:
            yield Measurement(name, float(len({e.operator for e in own})))


def _unknown(batch: Batch) -> str:
    anonymous = sum(1 for episode in batch.episodes if not episode.operator)
    return f"{anonymous} of {len(batch.episodes)} episodes do not say who demonstrated." if anonymous else ""
