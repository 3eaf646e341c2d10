"""Columns of a LeRobot dataset that are stamps, and columns that only sound like it."""

import numpy as np
import pytest
from tests.ingest.lerobot_makers import FPS, ROWS, foreign

from fieldloop.ingest import open_log
from fieldloop.ingest.readers.lerobot.info import Feature, Info
from fieldloop.ingest.readers.lerobot.stamps import StampColumns
from fieldloop.model.stream import ClockKind
from fieldloop.testing.facts import write_note_facts

FPS_30 = 30
EPOCH_NS = 1_767_225_600_000_000_000


def read(root):
    log = open_log(root)
    recordings = list(log.recordings)
    return recordings, [
        f"{d.subject} {d.place}: {write_note_facts(d.message)}"
        for d in (*log.defects, *(d for r in recordings for d in r.defects))
    ]


@pytest.fixture
def root(tmp_path):
    return tmp_path / "theirs"


def stamps_ns():
    """Two episodes at an uneven 20 Hz, an hour apart."""
    steps = np.random.default_rng(1).uniform(45e6, 55e6, (2, ROWS)).astype(np.int64)
    return (EPOCH_NS + np.cumsum(steps, 1) + np.array([[0], [3_600 * 10**9]])).ravel()


@pytest.mark.parametrize(
    ("name", "scale", "kind"),
    [
        ("observation.state.timestamp", 1, np.int64),
        ("observation.state_stamp_ns", 1, np.int64),
        ("observation.state.timestamp_us", 1_000, np.int64),
        ("state_timestamp", 1_000_000, np.int64),
        ("observation.state.timestamp", 1_000_000_000, np.float64),
        ("capture_timestamp", 1_000, np.int64),
        ("timestamp_ns", 1, np.int64),
    ],
)
def test_columns_that_plainly_are_stamps_are_the_streams_own(root, name, scale, kind):
    real = stamps_ns()
    recordings, said = read(foreign(root, **{name: (real // scale if kind is np.int64 else real / scale).astype(kind)}))
    assert said == []
    for recording, wanted in zip(recordings, real.reshape(2, ROWS), strict=True):
        joints = recording.streams["joints"]
        assert joints.clock is ClockKind.HEADER
        assert name in joints.notes["stamps"]
        assert np.abs(joints.times_ns - wanted).max() < max(scale, 512)  # a float64 of this century has 238 ns steps
        assert name not in recording.streams
        assert recording.episode.start_ns == joints.times_ns[0]


def test_a_stamp_of_one_stream_is_not_anothers(root):
    effort = np.ones((2 * ROWS, 2), np.float32)
    recordings, _ = read(foreign(root, **{"observation.effort": effort, "observation.effort.timestamp": stamps_ns()}))
    assert recordings[0].streams["observation.effort"].clock is ClockKind.HEADER
    assert recordings[0].streams["joints"].clock is ClockKind.SYNTHETIC


@pytest.mark.parametrize(
    "values",
    [
        np.tile(np.arange(ROWS) * (10**9 // FPS), 2),  # frame number over rate again
        np.tile(EPOCH_NS + np.arange(ROWS) * 1000 // FPS * 10**6, 2),  # … in whole milliseconds, since 1970
        np.tile(np.arange(ROWS) * 10**9 // (FPS + 1), 2),  # … over another rate
        np.random.default_rng(0).permutation(2 * ROWS) * 10**7,  # not rising
        np.arange(2 * ROWS) * 86_400 * 10**9,  # a frame a day
        np.zeros(2 * ROWS, np.int64),
        np.full(2 * ROWS, np.iinfo(np.int64).max),
        np.where(np.arange(2.0 * ROWS) == 3, np.nan, np.arange(2.0 * ROWS)),
    ],
)
def test_columns_that_only_sound_like_stamps_stay_streams(root, values):
    recordings, _ = read(foreign(root, **{"observation.state.timestamp_ns": values}))
    assert recordings[0].streams["joints"].clock is ClockKind.SYNTHETIC
    assert "observation.state.timestamp_ns" in recordings[0].streams


@pytest.mark.parametrize(
    "made_up",
    [
        lambda i: i * 1000 // FPS_30,  # whole milliseconds
        lambda i: (i / FPS_30).astype(np.float32).astype(np.float64),  # what a float32 leaves of a minute
        lambda i: np.round(i / FPS_30, 3),
    ],
)
def test_frame_numbers_over_the_rate_are_made_up_however_they_were_rounded(made_up):
    rows = np.arange(1800)
    info = Info(
        "v3.0", float(FPS_30), "", {"observation.state": Feature("observation.state", "float32", (3,), ())}, {}, ()
    )
    state = {"observation.state": np.zeros((1800, 3)), "observation.state.timestamp": made_up(rows)[:, None]}
    assert StampColumns(info).find_stamps(state).of == {}
    state["observation.state.timestamp"] = rows[:, None] / FPS_30 + np.random.default_rng(0).uniform(0, 5e-3, (1800, 1))
    assert StampColumns(info).find_stamps(state).of.keys() == {"observation.state"}
