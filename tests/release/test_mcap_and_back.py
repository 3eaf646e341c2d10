"""What is written as MCAP and read again is what it was, or the loss is named."""

import dataclasses
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.release.mcap_made import START, channels, of, read_again, same_stream, series

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.release.writers.mcap import write_mcap
from fieldloop.testing.facts import write_note_facts


def test_what_was_guessed_is_still_a_guess_when_written_on(tmp_path):
    noted = {"unit": "radians are assumed", "clock": "made up", "ünïcode\udce9": "x"}
    joints = series("joints", [[1.0], [2.0]], kind=StreamKind.JOINT_POSITION, unit="rad", notes=noted, nominal_hz=50.0)
    speed = series("joints/velocity", [[3.0], [4.0]], kind=StreamKind.JOINT_VELOCITY, unit="rad/s", nominal_hz=50.0)
    imu = series(
        "imu", np.ones((2, 6)), kind=StreamKind.IMU, unit="m/s², rad/s", columns=("ax", "ay", "az", "gx", "gy", "gz")
    )
    write_mcap([of(joints, speed, imu)], tmp_path / "a.mcap")
    got = read_again(tmp_path / "a.mcap").streams
    for stream in (joints, speed, imu):
        same_stream(stream, got[stream.name])


def test_texts_that_are_no_utf8_are_escaped_and_named(tmp_path):
    stream = series("arm\udce9", [[1.0]], frame_id="base\udce9")
    done = write_mcap([of(stream, task="caf\udce9")], tmp_path / "a.mcap")
    assert [write_note_facts(loss) for loss in done.left_out] == [
        "release.text_not_utf8 arm\\udce9 name=name",
        "release.text_not_utf8 arm\\udce9 name=frame_id",
        "release.text_not_utf8 name=task",
    ]
    got = read_again(tmp_path / "a.mcap")
    assert (got.episode.task, list(got.streams)) == ("caf\\udce9", ["arm\\udce9"])


def test_an_episode_s_facts_come_back(tmp_path):
    episode = Episode(
        "id", "pick\n1", "test", "pick", "arm", "lab", "op", "s", "p", "v1", Stratum.of(bin="back"), 0, 0,
        simulated=True, succeeded=False, failure="slip", facts=(("lux", "420"), ("odd key ü", "")),
    )  # fmt: skip
    write_mcap([Recording(episode, {"s": series("s", [[1.0]])})], tmp_path / "a.mcap")
    got = read_again(tmp_path / "a.mcap").episode
    fields = [f.name for f in dataclasses.fields(Episode) if f.name not in ("id", "format", "start_ns", "end_ns")]
    assert {name: getattr(got, name) for name in fields} == {name: getattr(episode, name) for name in fields}


@pytest.mark.parametrize(("real", "start"), list(product([1, 0], [START, 0])))
def test_a_stream_gets_back_the_clocks_it_had_and_no_more(tmp_path, real, start):
    kinds = [ClockKind.SYNTHETIC, ClockKind.CONTAINER, ClockKind.LOG][real:]
    stream = series("s", [[1.0]], clocks={kind: np.asarray([start + i]) for i, kind in enumerate(kinds)})
    write_mcap([of(stream)], tmp_path / "a.mcap")
    same_stream(stream, read_again(tmp_path / "a.mcap").streams["s"])


def test_velocities_travel_inside_their_positions_only_where_the_message_says_all_of_them(tmp_path):
    position = series("arm", [[0.0], [1.0]], kind=StreamKind.JOINT_POSITION, unit="rad", columns=("j",))
    velocity = replace(position, name="arm/velocity", kind=StreamKind.JOINT_VELOCITY, unit="rad/s")
    others = {
        "equal": velocity,
        "unit": replace(velocity, unit="deg/s"),
        "stamps": replace(velocity, clocks={ClockKind.HEADER: velocity.times_ns + 1}),
        "kind": replace(velocity, kind=StreamKind.OTHER),
        "serial": replace(velocity, serial="2"),
    }
    for name, other in others.items():
        write_mcap([of(position, other)], tmp_path / f"{name}.mcap")
        assert len(channels(tmp_path / f"{name}.mcap")) == (1 if name == "equal" else 2), name
        got = read_again(tmp_path / f"{name}.mcap")
        same_stream(position, got.streams["arm"])
        same_stream(other, got.streams["arm/velocity"])


def test_what_travels_in_another_s_message_carries_nothing_itself(tmp_path):
    grip = series("grip", [[0.1]], kind=StreamKind.GRIPPER, unit="m")
    streams = [grip, replace(grip, name="grip/effort", unit="N"), replace(grip, name="grip/effort/effort", unit="N")]
    done = write_mcap([of(*streams)], tmp_path / "a.mcap")
    assert done.frames == 2
    assert read_again(done.path).streams.keys() == {stream.name for stream in streams}


TEXT = st.text(max_size=12)
DTYPES = st.sampled_from([np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8, np.bool_])
STAMP = st.one_of(st.integers(START, START + 10**10), st.integers(-(2**63), 2**63 - 1), st.integers(0, 10**9))


@st.composite
def streams(draw):
    count, width = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    kinds = draw(st.sets(st.sampled_from(ClockKind), min_size=1))
    clocks = {kind: np.asarray(draw(st.lists(STAMP, min_size=count, max_size=count)), np.int64) for kind in kinds}
    values = draw(arrays(draw(DTYPES), (count, width)))
    columns = tuple(draw(st.lists(TEXT, min_size=width, max_size=width))) if draw(st.booleans()) else ()
    name = draw(
        st.one_of(
            st.sampled_from(["arm", "arm/velocity", "arm/effort", "gripper", "/arm//1"]),
            st.text(min_size=1, max_size=9),
        )
    )
    return Stream(
        name, draw(st.sampled_from(StreamKind)), draw(st.sampled_from(["", "rad", "rad/s", "N·m", "m", "°"])), clocks,
        values, columns=columns, frame_id=draw(TEXT), serial=draw(TEXT),
    )  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(streams(), min_size=1, max_size=4, unique_by=lambda stream: stream.name))
def test_any_streams_come_back_or_are_named(tmp_path_factory, made):
    done = write_mcap([of(*made)], tmp_path_factory.mktemp("any") / "a.mcap")
    got = read_again(done.path)
    for before in made:
        lost = [loss for loss in done.left_out if loss.subject.stream == before.name]
        after = got.streams.get(before.name)
        if after is None:
            assert lost, f"{before.name!r} is gone, and nobody said so"
            continue
        clocks = {
            kind: t
            for kind, t in before.clocks.items()
            if kind.value not in [dict(e.numbers).get("clock") for e in lost]
        }
        rounded = any(loss.code == "release.values_rounded" for loss in lost)
        values = (
            np.minimum(before.values.astype(np.float64), 2.0**63 - 1024).astype(np.int64) if rounded else before.values
        )
        same_stream(replace(before, clocks=clocks, values=values), after)
    assert got.streams.keys() <= {stream.name for stream in made}
