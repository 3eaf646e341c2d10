"""Injuries that the checks of batches must notice."""

from dataclasses import replace

from fieldloop.check import Batch
from fieldloop.testing.injuries.injury import BatchInjury


def one_operator(batch: Batch) -> Batch:
    """Let one person do half of it."""
    hands = [e.operator if i % 2 else "operator-0" for i, e in enumerate(batch.episodes)]
    return replace(batch, episodes=tuple(replace(e, operator=h) for e, h in zip(batch.episodes, hands, strict=True)))


BATCH_INJURIES: dict[str, BatchInjury] = {
    "batch.operator_share": BatchInjury(one_operator),
    "batch.operators": BatchInjury(
        lambda batch: replace(
            batch, episodes=tuple(replace(e, operator=f"operator-{i % 2}") for i, e in enumerate(batch.episodes))
        ),
        {"batch.operator_share": "two people cannot both stay below a third"},
    ),
}
