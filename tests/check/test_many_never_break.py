"""Whatever a few episodes say or leave out, no question about many breaks."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldloop import check
from fieldloop.check import BATCH_CHECKS, Batch
from fieldloop.check.describe import describe_tasks
from fieldloop.check.trend import compute_metric_series
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measured, Measurement
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import Subject
from fieldloop.testing.batches import get_batch_protocol

WORDS = st.sampled_from(["", "a", "b", "c"])
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 1e30, 0.5, float("nan"), float("inf")])
TIMES = st.sampled_from([0, 1, 10**9, 1_767_225_600 * 10**9, 1_767_312_000 * 10**9])
SINGLE = st.sampled_from(["speed/mean_rad_s", "speed/directness", "light/camera"])
ARRAYS = st.one_of(
    st.tuples(SINGLE, st.lists(NUMBERS, min_size=1, max_size=1)),
    st.tuples(st.just("approach/tool"), st.lists(NUMBERS, min_size=3, max_size=3)),
    st.tuples(st.just("grasp/tool/tool"), st.lists(NUMBERS, min_size=7, max_size=7)),
    st.tuples(st.just("way/joints"), st.lists(NUMBERS, min_size=6, max_size=6)),
)  # fmt: skip
PICTURES = st.sampled_from(
    [
        np.arange(60 * 80, dtype=np.uint8).reshape(60, 80),
        np.zeros((60, 80), np.uint8),
        np.zeros((48, 64), np.uint8),
        np.full((60, 80), np.nan),
        np.ones((60, 80), np.float32),
        np.ones((60, 80), np.int64) * 10**12,
        np.zeros((60, 80, 3), np.uint8),
        np.zeros((0, 0), np.uint8),
        np.zeros((2, 2), np.uint8),
        np.zeros(7, np.uint8),
        np.asarray(3.0),
        np.asarray([["a", "b"]]),
    ]
)
STAYS = st.sampled_from(
    [
        np.asarray([0.9], np.float32),
        np.asarray([np.nan]),
        np.asarray([]),
        np.asarray(0.9),
        np.asarray([[0.9, 0.1]]),
        np.asarray(["a"]),
    ]
)
VIEWS = st.one_of(st.tuples(st.just("view/camera/picture"), PICTURES), st.tuples(st.just("view/camera/stays"), STAYS))
"""What a file on the shelf may hold that another version wrote, or that broke: any type, any shape."""
OUTCOMES = st.sampled_from([True, False, None])
EPISODES = st.lists(
    st.tuples(
        WORDS, WORDS, WORDS, WORDS, TIMES, TIMES, OUTCOMES, st.lists(st.one_of(ARRAYS, VIEWS), max_size=6), NUMBERS
    ),
    max_size=40,
)


def made(rows, split):
    """A batch of what was drawn; some ids occur twice."""
    episodes, measured, imprints = [], {}, {}
    for i, (task, operator, session, level, start, length, succeeded, arrays, number) in enumerate(rows):
        key = f"{i % 37}"
        stratum = Stratum.of(lighting=level) if level else Stratum()
        episodes.append(
            Episode(
                key, f"e{i}", "made", task=task, operator=operator, session=session, protocol=task, stratum=stratum,
                start_ns=start, end_ns=start + length, succeeded=succeeded,
            )
        )  # fmt: skip
        imprints[key] = Imprint({name: _kept(values) for name, values in arrays})
        measured[key] = (Measured("timing.longest_gap", (Measurement(Subject("s"), number),)),)
    sides = {e.id: ("train", "validation")[i % 2] for i, e in enumerate(episodes)} if split else {}
    return Batch(tuple(episodes), (), get_batch_protocol(), measured, imprints, sides, (), {})


def _kept(values):
    return values if isinstance(values, np.ndarray) else np.asarray(values, dtype=np.float32)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EPISODES, st.booleans(), st.integers(1, 4))
def test_nothing_breaks(rows, split, times):
    batch = made(rows * times, split)
    for one in check.measure_batch(batch):
        assert one.error == "", one.check
        for m in one.measurements:
            assert m.low is None or m.high is None or m.low <= m.high + 1e-9, one.check
    compute_metric_series(batch)
    describe_tasks(batch)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(PICTURES, STAYS), min_size=2, max_size=6))
def test_a_view_that_is_no_picture_is_left_out(views):
    episodes = tuple(Episode(f"{i}", f"e{i}", "made", robot="arm") for i in range(len(views)))
    imprints = {f"{i}": Imprint({"view/c/picture": p, "view/c/stays": s}) for i, (p, s) in enumerate(views)}
    moved = BATCH_CHECKS["batch.view_moved"].look(Batch(episodes, protocol=get_batch_protocol(), imprints=imprints))
    assert all(np.isfinite(one.value) or one.cannot_tell for one in moved)
