"""Is every episode annotated?"""

from collections.abc import Iterator

from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import listed
from fieldloop.model.finding import Measurement
from fieldloop.model.quality import Dimension


@check(
    "corpus.annotated",
    unit="share of episodes",
    needs=("episodes", "annotations"),
    advice="Annotate these, or leave them out of the release.",
    dimension=Dimension.ANNOTATION_PRECISION,
)
def annotated(batch: Batch) -> Iterator[Measurement]:
    """Which share of the episodes has any annotation?

    Asked once annotating has begun: where no episode has one, nothing is missing yet.
    """
    known = batch.annotations or {}
    bare = [e.name for e in batch.episodes if not known.get(e.id)]
    share = 1.0 - len(bare) / len(batch.episodes)
    yield Measurement("", share, f"(not yet: {listed(bare)})" if bare else "")
