"""When the steps of an RLDS episode were taken, what they are, and what is said of the episode in words."""

import json

import numpy as np
import pytest
from tests.ingest.rlds_makers import (
    MARKS,
    METADATA,
    PLAIN,
    STEPS,
    TEXT,
    dataset,
    dictionary,
    encoded,
    example,
    framed,
    marks,
    picture,
    plain,
    tensor,
)

from fieldloop.ingest.readers.rlds import RldsReader
from fieldloop.model.stream import ClockKind, StreamKind

READER = RldsReader()
JITTER = np.asarray([0, 0, 3, 1, 4])  # ms: real stamps are never even


def read(folder, features, steps=PLAIN, metadata=METADATA):
    """The one episode of a set made of it."""
    (found,) = READER.read(dataset(folder, [example(features)], steps, metadata))
    return found


@pytest.mark.parametrize(
    ("name", "values", "first_ns", "step_ns"),
    [
        (
            "timestamp_ns",
            1_700_000_000_000_000_000 + np.arange(STEPS) * 50_000_000 + JITTER * 1_000_000,
            1_700_000_000_000_000_000,
            50_000_000,
        ),
        (
            "observation/timestamp",
            1_700_000_000_000_000 + np.arange(STEPS) * 50_000 + JITTER * 1_000,
            1_700_000_000_000_000_000,
            50_000_000,
        ),
        ("time_ms", np.arange(STEPS) * 20 + JITTER, 0, 20_000_000),
    ],
)
def test_real_stamps_are_found(name, values, first_ns, step_ns, tmp_path):
    leaf = {"timestamp": tensor("int64")} if name.startswith("observation/") else {}
    steps = dictionary(observation=dictionary(**leaf), **MARKS, **({} if leaf else {name: tensor("int64")}))
    found = read(tmp_path, marks(STEPS) | {f"steps/{name}": values}, steps, None)
    stream = found.streams["is_first"]
    assert (stream.clock, stream.times_ns[0], stream.times_ns[1] - stream.times_ns[0]) == (
        ClockKind.LOG,
        first_ns,
        step_ns,
    )


@pytest.mark.parametrize(
    ("kind", "values", "hz"),
    [
        ("int64", 1_700_000_000_000_000_000 + np.arange(STEPS) * 50_000_000, 20),
        ("int64", 1_700_000_000_000 + np.arange(STEPS) * 1000 // 30, 30),
        ("float32", (np.arange(STEPS) / 30).astype("f4"), 30),
    ],
)
def test_even_stamps_are_no_real_ones_and_state_a_rate(kind, values, hz, tmp_path):
    found = read(
        tmp_path, marks(STEPS) | {"steps/timestamp": values}, dictionary(timestamp=tensor(kind), **MARKS), None
    )
    stream = found.streams["is_first"]
    assert stream.clock is ClockKind.SYNTHETIC
    assert stream.nominal_hz == pytest.approx(hz, rel=0.03)
    assert "made up" in stream.notes["clock"]
    assert "timestamp" not in found.streams


def test_where_no_rate_is_stated_none_is_shown(tmp_path):
    stream = read(tmp_path, plain()).streams["action"]
    assert np.array_equal(stream.times_ns, np.arange(STEPS) * 10**9)
    assert stream.hz is None
    assert "one a second" in stream.notes["clock"]


@pytest.mark.parametrize(("stated", "hz"), [(20, 20), (50, None)])
def test_a_stated_rate_that_the_stamps_deny_is_noted_and_not_used(stated, hz, tmp_path):
    stamps = 1_700_000_000_000_000_000 + np.arange(STEPS) * 50_000_000 + JITTER * 1_000_000
    made = marks(STEPS) | {"steps/timestamp_ns": stamps, "episode_metadata/control_hz": np.asarray([stated])}
    steps = dictionary(timestamp_ns=tensor("int64"), **MARKS)
    stream = read(tmp_path, made, steps, dictionary(control_hz=tensor("int64"))).streams["is_first"]
    assert (stream.clock, stream.nominal_hz) == (ClockKind.LOG, hz)
    assert ("states 50 Hz, they give 19.42" in stream.notes["clock"]) == (hz is None)


def test_an_episode_lasts_by_the_clock_its_streams_share(tmp_path):
    """A stream with real stamps beside one that lost them: not a take of fifty years."""
    real = 1_700_000_000_000_000_000 + np.arange(STEPS) * 50_000_000
    streams = {
        "a": {"name": "a", "kind": "action", "clocks": ["header"], "stamps": "a_ns"},
        "b": {"name": "b", "kind": "other", "clocks": ["container"], "stamps": "b_ns"},
    }
    made = marks(STEPS) | {
        "steps/a": np.zeros(STEPS, "f4"), "steps/b": np.ones(STEPS, "f4"), "steps/a_ns": real,
        "steps/b_ns": real - real[0], "steps/timestamp_ns": real,
        "episode_metadata/fieldloop": [json.dumps({"streams": streams, "facts": {}}).encode()],
    }  # fmt: skip
    whole = {name: tensor("int64") for name in ("a_ns", "b_ns", "timestamp_ns")}
    steps = dictionary(a=tensor("float32"), b=tensor("float32"), **whole, **MARKS)
    episode = read(tmp_path, made, steps, dictionary(fieldloop=TEXT)).episode
    assert (episode.start_ns, episode.end_ns) == (real[0], real[-1])


@pytest.mark.parametrize(("word", "truth"), [("yes", True), ("No", False), ("1.0", True), ("0.7", None)])
def test_success_in_the_words_all_readers_know(word, truth, tmp_path):
    made = plain() | {"episode_metadata/success": [word.encode()]}
    metadata = dictionary(operator_id=TEXT, success=TEXT, matrix=tensor("float32", 2))
    found = read(tmp_path, made, PLAIN, metadata)
    assert (found.episode.succeeded, found.episode.get_fact("success")) == (truth, word)


def test_a_text_too_long_for_a_fact_is_named_by_its_hash(tmp_path):
    made = plain() | {"episode_metadata/operator_id": [b"x" * 70_000]}
    assert read(tmp_path, made).episode.get_fact("operator_id").startswith("70000 characters, sha256 ")


def test_what_only_looks_like_stamps_is_none(tmp_path):
    made = marks(3) | {"steps/timestamp": [1, 2, 3], "steps/time_ns": [5, 4, 6]}
    found = read(tmp_path, made, dictionary(timestamp=tensor("int64"), time_ns=tensor("int64"), **MARKS), None)
    assert found.streams["timestamp"].clock is ClockKind.SYNTHETIC
    assert {"timestamp", "time_ns"} <= found.streams.keys()


def test_a_stated_rate_is_the_clock(tmp_path):
    found = read(tmp_path, plain() | {"episode_metadata/control_frequency": np.asarray([20.0], "f4")})
    assert found.streams["action"].times_ns.tolist() == [0, 50_000_000, 100_000_000, 150_000_000, 200_000_000]
    assert found.streams["action"].nominal_hz == 20.0


def test_an_instruction_that_changes_is_reported_by_step(tmp_path):
    found = read(tmp_path, plain() | {"steps/language_instruction": [b"lift", b"lift", b"put", b"put", b"put"]})
    assert found.episode.task == ""
    assert json.loads(found.episode.get_fact("steps.language_instruction")) == [[0, "lift"], [2, "put"]]


def test_padding_is_counted(tmp_path):
    steps = dictionary(is_pad=tensor("bool"), **MARKS)
    assert read(tmp_path, marks(3) | {"steps/is_pad": [0, 0, 1]}, steps, None).episode.get_fact("padding_steps") == "1"


def test_kinds_are_reported_by_path(tmp_path):
    paths = {
        "action_dict/joint_position": StreamKind.ACTION, "observation/prev_action": StreamKind.OTHER,
        "observation/gripper_closed": StreamKind.GRIPPER, "observation/ee_pose": StreamKind.POSE,
        "observation/natural_language_embedding": StreamKind.OTHER, "observation/joint_pos": StreamKind.JOINT_POSITION,
        "observation/camera_gain": StreamKind.OTHER, "observation/wrench": StreamKind.FORCE_TORQUE,
    }  # fmt: skip
    path = tmp_path / "bare"
    path.write_bytes(framed(example(marks(2) | {f"steps/{name}": np.zeros(4, "f4") for name in paths})))
    (found,) = READER.read(path)
    assert {name: found.streams[name].kind for name in paths} == paths


def test_records_without_steps_are_read_by_what_agrees(tmp_path):
    path = tmp_path / "bare"
    shots = [encoded(picture(i)) for i in range(3)]
    path.write_bytes(framed(example({"frames": shots, "speed": np.arange(6, dtype="f4"), "user": [b"ada"]})))
    (found,) = READER.read(path)
    assert (len(found.streams["camera/frames"]), found.streams["speed"].values.shape) == (3, (3, 2))
    assert found.episode.get_fact("user") == "ada"
