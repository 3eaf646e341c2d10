"""Check of the share of annotated episodes."""

from collections.abc import Iterator

from fieldloop.check.batch_case import Batch
from fieldloop.check.naming import MOST_NAMED, note_listed_names
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.note import NO_SUBJECT, note
from fieldloop.model.quality import Dimension


@check(
    "corpus.annotated",
    unit="share of episodes",
    needs=("episodes", "annotations"),
    dimension=Dimension.ANNOTATION_PRECISION,
)
def measure_annotated_share(batch: Batch) -> Iterator[Measurement]:
    """Which share of the episodes has any annotation?

    The check applies once at least one episode is annotated. Episodes of a task that has no annotation are not counted.
    """
    known = batch.annotations or {}
    tasks = {e.task for e in batch.episodes if known.get(e.id)}
    counted = [e for e in batch.episodes if e.task in tasks]
    bare = [e.name for e in counted if not known.get(e.id)]
    share = 1.0 - len(bare) / len(counted) if counted else 1.0
    yield Measurement(
        NO_SUBJECT,
        share,
        note("check.not_yet_annotated", episodes=note_listed_names(bare, MOST_NAMED)) if bare else None,
    )
