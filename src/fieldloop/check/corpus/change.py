"""Did anything change suddenly from one batch to the next?"""

from collections.abc import Iterator

from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import listed
from fieldloop.check.trend import NAME, series
from fieldloop.model.finding import Measurement
from fieldloop.model.quality import Dimension
from fieldloop.model.trend import Series


@check(
    NAME,
    unit="batches",
    needs=("episodes",),
    advice="Find out what was changed then: a rig, a person, a setting.",
    dimension=Dimension.REPRODUCIBILITY,
)
def trend(batch: Batch) -> Iterator[Measurement]:
    """In how many batches did a metric leave its control limits?

    A batch is a session, else a day. Success, length and the number of every check of an episode are followed; each
    batch is held against the few before it, so that drift and likeness between neighbours do not alarm. The chance of
    any alert when nothing happens is shared out over all metrics.
    """
    for one in series(batch):
        yield Measurement(one.metric, float(len(one.alerts)), _place(one))


def _place(one: Series) -> str:
    told = [
        f"{one.batches[i]}: {one.values[i]:.3g}, {one.low[i]:.3g} to {one.high[i]:.3g} expected" for i in one.alerts
    ]
    return f"of {len(one.batches)}" + (f" ({listed(told, 3)})" if told else "")
