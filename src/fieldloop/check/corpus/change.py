"""Check of metrics that change suddenly from one batch to the next."""

from collections.abc import Iterator

from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.check.trend import NAME, compute_metric_series
from fieldloop.model.finding import Measurement
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.quality import Dimension
from fieldloop.model.trend import Series

MOST_NAMED = 3  # moments in one sentence


@check(
    NAME,
    unit="batches",
    needs=("episodes",),
    dimension=Dimension.REPRODUCIBILITY,
)
def count_batches_outside_control_limits(batch: Batch) -> Iterator[Measurement]:
    """In how many batches did a metric leave its control limits?

    A batch is a session, or a day if sessions are not named. The metrics are success, length, and the value of every
    check of an episode. Each batch is compared with the few before it, so that slow drift and correlation between
    neighbours raise no alert. The chance of a false alert is divided among all metrics.
    """
    for metric_series in compute_metric_series(batch):
        yield Measurement(
            Subject(aspect=metric_series.metric),
            float(len(metric_series.alerts)),
            _note_alerting_batches(metric_series),
        )


def _note_alerting_batches(metric_series: Series) -> Note:
    alerts = tuple(
        note(
            "check.alert",
            batch=metric_series.batches[i],
            value=metric_series.values[i],
            low=metric_series.low[i],
            high=metric_series.high[i],
        )
        for i in metric_series.alerts[:MOST_NAMED]
    )
    return note("check.of_batches", batches=len(metric_series.batches), alerts=alerts)
