"""The frame grid: what each rule may do to a value, whatever stamps and values come."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fieldloop.errors import BadInput
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.release.writers.framed import put_recording_on_grid
from fieldloop.release.writers.grid import (
    Rule,
    choose_rule,
    find_nearest_samples,
    measure_sample_distance_ns,
    resample_stream,
)
from fieldloop.release.writers.survey import survey_recordings
from fieldloop.testing.barcode import MarkedPictures, read_barcode
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

STAMP = st.one_of(st.integers(0, 200), st.integers(-(2**63), 2**63 - 1))
STAMPS = st.lists(STAMP, min_size=1, max_size=25)
GRID = st.lists(STAMP, max_size=25)
VALUE = st.floats(width=32)
QUATERNION = ("x", "qx", "qy", "qz", "qw")


def stream(kind, times, values, columns=(), name="s"):
    values = np.asarray(values)
    values = values[:, None] if values.ndim == 1 else values
    return Stream(name, kind, "", {ClockKind.HEADER: np.asarray(times, np.int64)}, values, columns=columns)


@st.composite
def sampled(draw, kind, dtype=np.float32):
    """A stream with stamps in any order, some of them twice, and values that need not be finite."""
    times = draw(STAMPS)
    values = draw(arrays(dtype, (len(times), 2), elements=VALUE if dtype == np.float32 else None))
    return stream(kind, times, values), np.asarray(draw(GRID), np.int64)


def last_at(made, stamp):
    """The sample that a stamp has; of several the last."""
    return made.values[np.flatnonzero(made.times_ns == stamp)[-1]]


@given(sampled(StreamKind.JOINT_POSITION))
def test_linear_is_exact_at_samples_and_never_leaves_their_range(made):
    source, grid = made
    got = resample_stream(source, grid, Rule.LINEAR)
    assert got.shape == (len(grid), 2)
    assert got.dtype == np.float32
    finite = np.isfinite(source.values).all()
    for stamp, row in zip(grid, got, strict=True):
        if stamp in source.times_ns:
            np.testing.assert_array_equal(row, last_at(source, stamp))
        elif finite:
            low, high = source.values.min(0).astype(float), source.values.max(0).astype(float)
            slack = np.maximum(np.abs(low), np.abs(high)) * 1e-7
            assert ((row >= low - slack) & (row <= high + slack)).all()


@given(sampled(StreamKind.ACTION))
def test_hold_never_looks_ahead(made):
    source, grid = made
    got = resample_stream(source, grid, Rule.HOLD)
    for stamp, row in zip(grid, got, strict=True):
        known = source.times_ns[source.times_ns <= stamp]
        wanted = last_at(source, known.max() if len(known) else source.times_ns.min())
        if len(known):
            np.testing.assert_array_equal(row, wanted)
        else:  # before the first command there is none to hold: the first stands
            assert any(np.array_equal(row, v, equal_nan=True) for v in source.values)


@given(sampled(StreamKind.OTHER))
def test_the_nearest_sample_is_the_nearest(made):
    source, grid = made
    times = [int(t) for t in source.times_ns]
    for stamp, pick in zip(grid.tolist(), find_nearest_samples(source.times_ns, grid), strict=True):
        assert abs(times[pick] - stamp) == min(abs(t - stamp) for t in times)


@given(sampled(StreamKind.OTHER), st.sampled_from([rule for rule in Rule if rule is not Rule.AS_RECORDED]))
def test_no_row_is_nearer_to_its_samples_than_the_nearest_and_none_is_away_at_a_sample(made, rule):
    source, grid = made
    times = [int(t) for t in source.times_ns]
    away = measure_sample_distance_ns(source, grid, rule)
    for stamp, far in zip(grid.tolist(), away.tolist(), strict=True):
        least = min(abs(t - stamp) for t in times)
        assert far >= least * (1 - 1e-12)
        if stamp in times:
            assert far == 0
        if rule is Rule.NEAREST:
            assert far == pytest.approx(least)
        if rule is Rule.HOLD and stamp > min(times):
            assert far == pytest.approx(stamp - max(t for t in times if t <= stamp))
        if rule in (Rule.LINEAR, Rule.SLERP) and min(times) < stamp < max(times) and stamp not in times:
            sides = stamp - max(t for t in times if t < stamp), min(t for t in times if t > stamp) - stamp
            assert far == pytest.approx(max(sides))


def test_stamps_at_the_two_ends_of_time_are_not_the_same_moment():
    ends = np.asarray([-(2**63)]), np.asarray([2**63 - 1])
    assert choose_rule(stream(StreamKind.ACTION, ends[0], [1.0]), ends[1]) is Rule.HOLD


@given(sampled(StreamKind.OTHER), st.sampled_from(sorted(StreamKind)))
def test_a_stream_on_its_own_stamps_is_bit_exact(made, kind):
    source, _ = made
    times = np.sort(source.times_ns)
    same = stream(kind, times, source.values)
    assert choose_rule(same, times) is Rule.AS_RECORDED
    assert resample_stream(same, times).tobytes() == source.values.tobytes()


@given(sampled(StreamKind.ACTION, np.int64))
def test_whole_numbers_stay_whole_and_are_never_mixed(made):
    source, grid = made
    got = resample_stream(source, grid)
    assert got.dtype == np.int64
    assert {tuple(row) for row in got.tolist()} <= {tuple(row) for row in source.values.tolist()}


@st.composite
def turning(draw):
    times = sorted(draw(st.lists(st.integers(0, 1000), min_size=2, max_size=10, unique=True)))
    turns = draw(arrays(np.float64, (len(times), 4), elements=st.floats(-1, 1)))
    length = np.linalg.norm(turns, axis=1)
    assume((length > 1e-3).all())
    values = np.column_stack([np.arange(len(times)), turns / length[:, None]])
    return stream(StreamKind.POSE, times, values, QUATERNION), np.asarray(draw(st.lists(st.integers(-50, 1050))))


@given(turning())
def test_slerp_stays_a_turn(made):
    source, grid = made
    assume(not np.array_equal(source.times_ns, grid))
    assert choose_rule(source, grid) is Rule.SLERP
    got = resample_stream(source, grid)
    np.testing.assert_allclose(np.linalg.norm(got[:, 1:], axis=1), 1.0, atol=1e-9)


def test_slerp_turns_the_shorter_way_at_a_steady_rate():
    quarter = [0, 0, 0, np.sin(np.pi / 4), np.cos(np.pi / 4)]
    for sign in (1, -1):  # q and -q are the same turn
        source = stream(StreamKind.POSE, [0, 90], [[0, 0, 0, 0, 1], [9, *(sign * np.asarray(quarter[1:]))]], QUATERNION)
        got = resample_stream(source, np.arange(91))
        angle = 2 * np.degrees(np.arctan2(got[:, 3], got[:, 4]))
        np.testing.assert_allclose(angle[:-1], np.arange(90), atol=1e-9)
        np.testing.assert_allclose(got[:, 0], np.arange(91) / 10)


def test_what_is_no_turn_is_held():
    source = stream(StreamKind.POSE, [0, 10], [[0, 0, 0, 0, 0], [1, 0, 0, 0, np.nan]], QUATERNION)
    got = resample_stream(source, np.array([5]))
    assert got[0, 1:].tolist() == [0, 0, 0, 0]


def test_each_kind_is_brought_onto_the_grid_by_its_rule():
    times, values, grid = [0, 10, 20], [0.0, 1.0, 5.0], np.asarray([-5, 4, 10, 18, 99])
    at = {kind: resample_stream(stream(kind, times, values), grid)[:, 0].tolist() for kind in StreamKind}
    assert at[StreamKind.ACTION] == [0, 0, 1, 1, 5]  # a command stands until the next
    assert at[StreamKind.GRIPPER] == [0, 0, 1, 1, 5]
    np.testing.assert_allclose(at[StreamKind.JOINT_POSITION], [0, 0.4, 1, 4.2, 5], rtol=1e-6)
    assert at[StreamKind.POSE] == [0, 0, 1, 5, 5]  # without a quaternion told by its columns there is no turning


def test_a_nanosecond_of_this_century_is_not_lost():
    start = 1_767_225_600_000_000_000
    times = start + np.arange(5) * 1000
    got = resample_stream(stream(StreamKind.JOINT_POSITION, times, np.arange(5.0)), times[:-1] + 500)
    np.testing.assert_allclose(got[:, 0], [0.5, 1.5, 2.5, 3.5])


def test_without_a_sample_there_is_nothing_to_resample():
    none = stream(StreamKind.JOINT_POSITION, [], np.zeros((0, 2)))
    for rule in (Rule.HOLD, Rule.LINEAR, Rule.SLERP, Rule.NEAREST):
        with pytest.raises(ValueError, match="no sample"):
            resample_stream(none, np.array([1]), rule)
    assert resample_stream(stream(StreamKind.ACTION, [5], [1.0]), np.zeros(0, np.int64)).shape == (0, 1)


# ── a recording on its grid


def short(seed=0):
    return keep_span(make_healthy_case(seed=seed), lambda at_s: at_s < 1.0).recording


def camera(times, pictures):
    return Stream("camera/wrist", StreamKind.RGB, "8-bit", {ClockKind.HEADER: np.asarray(times)}, pictures=pictures)


def test_pictures_follow_their_stamps_even_where_those_jump_back_and_repeat():
    made = short()
    times = made.streams["camera/overhead"].times_ns
    order = np.array([0, 1, 5, 3, 2, 7])  # frame i was taken at grid moment order[i]
    made = replace_streams(made, {"camera/wrist": camera(times[order], MarkedPictures(1, 0, len(order)))})
    features = survey_recordings([made], longest_gap_s=10.0)
    framed = put_recording_on_grid(made, features)
    shown = [read_barcode(picture).frame for picture in framed.iterate_pictures("camera/wrist")]
    assert len(shown) == len(framed) == len(times)
    assert [shown[moment] for moment in order] == list(range(len(order)))
    assert "release.rows_far_from_samples" in [
        loss.code for loss in framed.notes if loss.subject.stream == "camera/wrist"
    ]
    np.testing.assert_array_equal(framed.get_stamps_ns("camera/wrist"), times[order][shown])


def test_an_even_grid_has_its_rate_and_a_broken_stamp_no_endless_one():
    made = short()
    framed = put_recording_on_grid(made, survey_recordings([made], clock="joints", hz=50.0))
    np.testing.assert_array_equal(np.diff(framed.times_ns), 20_000_000)
    broken = made.streams["joints"].times_ns.copy()
    broken[3] = 0
    values = made.streams["joints"].values
    hurt = replace_streams(made, {"joints": stream(StreamKind.JOINT_POSITION, broken, values, name="joints")})
    with pytest.raises(BadInput, match="probably wrong"):
        put_recording_on_grid(hurt, survey_recordings([hurt], clock="joints", hz=50.0))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"unit": "deg"}, "what=unit first=rad other=deg"),
        ({"columns": tuple("fedcba")}, "what=columns"),
        ({"kind": StreamKind.JOINT_EFFORT}, "what=kind"),
        ({"values": np.zeros((120, 5))}, "what=width first=6 other=5"),
        ({"values": np.full((120, 6), "text")}, "release.no_numbers"),
    ],
)
def test_a_stream_that_means_another_thing_in_another_episode_is_left_out_and_named(changed, said):
    joints = short(1).streams["joints"]
    parts = {"kind": joints.kind, "unit": joints.unit, "columns": joints.columns, "values": joints.values} | changed
    other = Stream("joints", parts["kind"], parts["unit"], joints.clocks, parts["values"], columns=parts["columns"])
    features = survey_recordings([short(0), replace_streams(short(1), {"joints": other})])
    assert not any(f.name == "joints" for f in features.signals)
    (lost,) = (loss for loss in features.left_out if loss.subject.stream == "joints")
    assert said in write_note_facts(lost)


def test_whole_numbers_in_one_episode_and_fractions_in_another_are_fractions():
    joints = short(1).streams["joints"]
    whole = Stream("joints", joints.kind, "rad", joints.clocks, joints.values.astype(np.int32), columns=joints.columns)
    features = survey_recordings([replace_streams(short(1), {"joints": whole}), short(0)])
    assert next(f.dtype for f in features.signals if f.name == "joints") == "float64"


@given(st.integers(2, 50), st.integers(-3000, 3000))
def test_a_stamp_rounded_by_its_container_is_the_same_moment(count, off_ns):
    """By such a rounding a held command would come from the frame before."""
    grid = 10**18 + np.arange(count) * 33_333_333
    commands = Stream("a", StreamKind.ACTION, "", {ClockKind.SYNTHETIC: grid + off_ns}, np.arange(count)[:, None] * 1.0)
    assert choose_rule(commands, grid) is Rule.AS_RECORDED
    assert resample_stream(commands, grid)[:, 0].tolist() == list(range(count))
    late = Stream("a", StreamKind.ACTION, "", {ClockKind.HEADER: grid + 4_000_000}, commands.values)
    assert choose_rule(late, grid) is Rule.HOLD, "four milliseconds are no rounding"


S = 1_000_000_000
UNEVEN = np.cumsum(np.where(np.arange(40) % 4, S // 50, S))
"""Commands in bursts: three at 50 Hz, then a second without one."""


def recorded(**streams):
    return dataclasses.replace(make_healthy_case().recording, streams=streams)


def test_uneven_commands_do_not_set_the_rows_while_a_sensor_is_even():
    action = stream(StreamKind.ACTION, UNEVEN, np.arange(40.0), name="cmd")
    even = np.arange(0, int(UNEVEN[-1]), S // 20)
    pose = stream(StreamKind.IMU, even, np.arange(float(len(even))), name="p")
    features = survey_recordings([recorded(cmd=action, p=pose)])
    framed = put_recording_on_grid(recorded(cmd=action, p=pose), features)
    assert features.clock == "p"
    assert (len(framed) - 1) / features.hz == pytest.approx((framed.times_ns[-1] - framed.times_ns[0]) / S, abs=0.1)
    assert "release.time_by_row_number" not in [one.code for one in framed.notes]


def test_rows_that_last_longer_than_their_number_says_are_listed_with_both_durations():
    action = stream(StreamKind.ACTION, UNEVEN, np.arange(40.0), name="cmd")
    framed = put_recording_on_grid(recorded(cmd=action), survey_recordings([recorded(cmd=action)]))
    (found,) = [one for one in framed.notes if one.code == "release.time_by_row_number"]
    assert found["lasts_s"] == pytest.approx((UNEVEN[-1] - UNEVEN[0]) / S)
    assert found["read_s"] == pytest.approx(39 / 50)


def test_a_rate_that_nothing_states_is_listed_as_assumed():
    once = stream(StreamKind.JOINT_POSITION, [0], [1.0], name="q")
    features = survey_recordings([recorded(q=once)])
    assert [one.code for one in features.left_out] == ["release.rate_assumed"]
