"""Numbers that are none, and rotations that are none."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.check import judge_measurements, measure_episode
from fieldloop.model.finding import Status
from fieldloop.model.stream import StreamKind
from fieldloop.protocol import default_protocol
from fieldloop.say import write_sentence
from fieldloop.testing.injuries.injury import change_values, keep_span
from fieldloop.testing.planted import make_case, make_stream, measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case

POSE = StreamKind.POSE
QUATERNION = ("qx", "qy", "qz", "qw")


def test_a_reading_that_is_no_number_is_distinguished_from_the_episode_s_start():
    def spoil(values):
        values[240, 1] = np.nan

    late = keep_span(change_values(make_healthy_case(), "force", spoil), lambda at_s: at_s >= 0.0)
    stream = late.recording.streams["force"]
    shifted = replace(stream, clocks={kind: times + 250_000_000 for kind, times in stream.clocks.items()})
    late = replace(late, recording=replace(late.recording, streams={**late.recording.streams, "force": shifted}))
    found = measure_by_subject("integrity.not_finite", late)["force"]
    assert found.at_s == pytest.approx(1.25)  # not 1.00, as it is from the stream's own start
    assert write_sentence(found.place) == "first at 1.25 s"
    assert found.value == pytest.approx(1 / (2400 * 6))


@pytest.mark.parametrize("kind", [StreamKind.OTHER, StreamKind.JOINT_EFFORT, StreamKind.JOINT_VELOCITY])
def test_fields_that_are_never_set_are_not_broken_readings(kind):
    values = np.column_stack([np.full(50, np.nan), np.arange(50.0)])
    case = make_case(make_stream("battery", kind, values))
    found = measure_by_subject("integrity.not_finite", case)["battery"]
    assert found.value == 0
    assert (found.cannot_tell is None) == (kind is StreamKind.OTHER)  # the columns are named where their kind is known


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.01), st.floats(0.5, 2))
def test_the_length_of_a_rotation_is_what_was_planted(direction, length):
    unit = np.asarray(direction) / np.linalg.norm(direction)
    case = make_case(make_stream("tool", POSE, np.tile(unit * length, (6, 1)), columns=QUATERNION))
    assert measure_by_subject("integrity.unit_quaternion", case)["tool"].value == pytest.approx(
        abs(length - 1), abs=1e-9
    )


def test_several_rotations_of_one_stream_are_separate():
    good, bad = np.tile([0, 0, 0, 1.0], (6, 1)), np.tile([0, 0, 0, 1.1], (6, 1))
    names = tuple(f"{side}.{part}" for side in ("left", "right") for part in QUATERNION)
    found = measure_by_subject(
        "integrity.unit_quaternion", make_case(make_stream("hands", POSE, np.hstack([good, bad]), columns=names))
    )
    assert found["hands left"].value == 0
    assert found["hands right"].value == pytest.approx(0.1)


def test_a_rotation_that_was_never_set_is_not_a_wrong_one():
    case = make_case(make_stream("tool", POSE, np.zeros((6, 4)), columns=QUATERNION))
    assert measure_by_subject("integrity.unit_quaternion", case)["tool"].cannot_tell.code == "check.zero_throughout"


def test_columns_without_names_are_no_rotation():
    assert measure_by_subject("integrity.unit_quaternion", make_case(make_stream("tool", POSE, np.ones((6, 7))))) == {}


@pytest.mark.parametrize(("factor", "judged"), [(1.5, Status.CANNOT_TELL), (0.7, Status.FAILED)])
def test_numbers_beyond_one_in_a_pose_are_no_broken_rotation(factor, judged):
    errors = np.tile([0.0, 0.0, 0.0, factor], (60, 1))
    errors[:5] = [0.0, 0.0, 0.0, 1.0]
    case = make_case(make_stream("logerr", POSE, errors, columns=QUATERNION))
    findings = judge_measurements(measure_episode(case, pixels=False), default_protocol(), named=True)
    assert [f.status for f in findings if f.check == "integrity.unit_quaternion"] == [judged]


def test_numbers_missing_in_what_is_computed_from_missing_ones_are_one_cause():
    place, error, other = (np.sin(np.arange(200.0))[:, None] for _ in range(3))
    place[20:], error[90:180], other[3] = np.nan, np.nan, np.nan
    case = make_case(*(make_stream(n, POSE, v) for n, v in (("place", place), ("error", error), ("other", other))))
    findings = judge_measurements(measure_episode(case, pixels=False), default_protocol(), named=True)
    failed = [f.subject for f in findings if f.check == "integrity.not_finite" and f.status is Status.FAILED]
    assert failed == ["place", "other"]
