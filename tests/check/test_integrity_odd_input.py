"""Recordings that nobody planned: a check may find something or cannot tell, but it never breaks."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check import CHECKS, Case, measure_episode
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case

MINE = ("timing.", "integrity.", "vision.", "depth.", "metadata.", "calibration.")


@dataclass(frozen=True)
class Frames:
    """Frames as they come, whatever their shape."""

    all: list = field(default_factory=list)
    size: tuple[int, int] = (4, 4)

    def __len__(self):
        return len(self.all)

    def frames(self, indices=None):
        yield from (self.all[i] for i in (range(len(self)) if indices is None else sorted(indices)))


def broken(case):
    return {one.check: one.error for one in measure_episode(case) if one.error and one.check.startswith(MINE)}


def times(*values):
    return {ClockKind.HEADER: np.asarray(values, np.int64), ClockKind.LOG: np.asarray(values, np.int64) + 5}


def recording(*streams):
    return Case(Recording(Episode("id", "name", "test"), {s.name: s for s in streams}), calibrations=())


@pytest.mark.parametrize("kind", StreamKind)
@pytest.mark.parametrize(
    "stamps", [(5,), (5, 5), (9, 5, 7), (0, 0, 0, 0, 0), (0, 2**62, -(2**62)), tuple(range(0, 9000, 1000))]
)
def test_odd_stamps_break_nothing(kind, stamps):
    values = np.zeros((len(stamps), 2))
    assert broken(recording(Stream("a", kind, "rad", times(*stamps), values), Stream("b", kind, "", times(1, 2)))) == {}


@pytest.mark.parametrize(
    "values",
    [
        np.full((50, 3), np.nan),
        np.full((50, 3), np.inf),
        np.zeros((50, 0)),
        np.zeros(50),
        np.zeros((50, 2, 2)),
        np.zeros((50, 2), bool),
        np.asarray([["x"]] * 50),
        np.full((50, 2), 1e300),
        np.arange(100, dtype=np.uint8).reshape(50, 2),
    ],
    ids=["nan", "inf", "no column", "flat", "cube", "bool", "text", "huge", "bytes"],
)
@pytest.mark.parametrize("kind", [StreamKind.JOINT_POSITION, StreamKind.ACTION, StreamKind.IMU, StreamKind.POSE])
def test_odd_values_break_nothing(values, kind):
    stamps = times(*range(0, 50_000_000, 1_000_000))
    tool = Stream("tool", kind, "m", stamps, values, columns=("qx", "qy", "qz", "qw")[: values.shape[-1]])
    moving = Stream("joints", StreamKind.JOINT_POSITION, "rad", stamps, np.linspace(0, 1, 50)[:, None])
    assert broken(recording(tool, moving)) == {}


PICTURES = {
    "none": [],
    "one": [np.zeros((4, 4, 3), np.uint8)],
    "a pixel": [np.full((1, 1, 3), i, np.uint8) for i in range(40)],
    "a line": [np.full((1, 64, 3), i, np.uint8) for i in range(40)],
    "grey": [np.full((48, 64), i, np.uint8) for i in range(40)],
    "four channels": [np.full((48, 64, 4), i, np.uint8) for i in range(40)],
    "sizes that change": [np.full((10 + i, 64, 3), i, np.uint8) for i in range(40)],
    "nothing decodes": [np.empty((0, 0, 3), np.uint8)] * 40,
    "no number": [np.full((48, 64), np.nan, np.float32)] * 40,
    "infinitely far": [np.full((48, 64), np.inf, np.float32)] * 40,
}


@pytest.mark.parametrize("kind", [StreamKind.RGB, StreamKind.DEPTH])
@pytest.mark.parametrize("pictures", PICTURES.values(), ids=PICTURES)
def test_odd_pictures_break_nothing(pictures, kind):
    if kind is StreamKind.DEPTH and any(p.ndim > 2 for p in pictures):
        pictures = [p[..., 0].astype(np.float32) for p in pictures]
    if kind is StreamKind.RGB and any(p.dtype != np.uint8 for p in pictures):
        pytest.skip("a colour camera gives bytes")
    stamps = times(*range(0, 40 * 33_000_000, 33_000_000))
    moving = Stream("joints", StreamKind.JOINT_POSITION, "rad", stamps, np.linspace(0, 9, 40)[:, None])
    assert broken(recording(Stream("camera", kind, "", stamps, pictures=Frames(pictures)), moving)) == {}


@settings(max_examples=6, deadline=None)
@given(st.integers(-(10**17), 10**18))
def test_when_it_was_recorded_changes_nothing_that_is_measured(shift_ns):
    def moved(stream):
        return replace(stream, clocks={kind: ticks + shift_ns for kind, ticks in stream.clocks.items()})

    case = make_healthy_case()
    episode = replace(case.episode, start_ns=case.episode.start_ns + shift_ns, end_ns=case.episode.end_ns + shift_ns)
    later = Recording(episode, {name: moved(s) for name, s in case.recording.streams.items()})
    for name in (n for n in CHECKS if n.startswith(("timing.", "integrity."))):
        before, after = measure_by_subject(name, case), measure_by_subject(name, Case(later, case.protocol))
        assert {s: (m.value, m.at_s) for s, m in before.items()} == {s: (m.value, m.at_s) for s, m in after.items()}
