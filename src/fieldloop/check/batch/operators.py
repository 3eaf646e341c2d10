"""Questions about episodes collected together."""

from collections import Counter
from collections.abc import Iterator

from fieldloop.check.many import Batch
from fieldloop.check.registry import check
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
    advice="Have more people demonstrate this task.",
)
def operators(batch: Batch) -> Iterator[Measurement]:
    """How many operators demonstrated each task?"""
    tasks = Counter(episode.task for episode in batch.episodes)
    for task, count in sorted(tasks.items()):
        if count < batch.parameter("batch.operators", "min_episodes"):
            continue
        named = {e.operator for e in batch.episodes if e.task == task and e.operator}
        anonymous = sum(1 for e in batch.episodes if e.task == task and not e.operator)
        if anonymous:
            reason = f"{anonymous} of {count} episodes do not say who demonstrated."
            yield Measurement(task, float("nan"), cannot_tell=reason)
        else:
            yield Measurement(task, float(len(named)))


def _unknown(batch: Batch) -> str:
    anonymous = sum(1 for episode in batch.episodes if not episode.operator)
    return f"{anonymous} of {len(batch.episodes)} episodes do not say who demonstrated." if anonymous else ""
