"""Injuries that the checks of a dataset must notice."""

from dataclasses import replace

from fieldloop.model.episode import Defect
from fieldloop.model.stream import NS_PER_S
from fieldloop.testing.injuries.injury import BatchInjury

BATCH_INJURIES: dict[str, BatchInjury] = {
    "corpus.defects": BatchInjury(lambda batch: replace(batch, defects=(Defect("info.json", "fps", "No rate."),))),
    "corpus.duplicates": BatchInjury(
        lambda batch: replace(
            batch, episodes=(*batch.episodes[:-1], replace(batch.episodes[-1], id=batch.episodes[0].id))
        ),
    ),
    "corpus.index_gaps": BatchInjury(
        lambda batch: replace(batch, episodes=tuple(e for i, e in enumerate(batch.episodes) if i not in (5, 6))),
    ),
    "corpus.length_outliers": BatchInjury(
        lambda batch: replace(
            batch,
            episodes=(
                replace(batch.episodes[0], end_ns=batch.episodes[0].end_ns + 60 * NS_PER_S),
                *batch.episodes[1:],
            ),
        ),
    ),
}
