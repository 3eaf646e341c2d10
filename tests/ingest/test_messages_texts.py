"""Texts in messages: what never changes is a fact of the episode, what changes is named; and numbers beyond floats."""

import json
import struct

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as F
from tests.ingest.mcap_makers import read, write
from tests.ingest.test_messages_protobuf import described


def string(text, encoding):
    """A message of std_msgs/String."""
    if encoding == "cdr":
        return b"\x00\x01\x00\x00" + struct.pack("<I", len(text) + 1) + text.encode() + b"\x00"
    return struct.pack("<I", len(text)) + text.encode()


def strings(*texts, encoding="cdr"):
    schema = {"cdr": ("std_msgs/msg/String", "ros2msg"), "ros1": ("std_msgs/String", "ros1msg")}[encoding]
    return encoding, (*schema, "string data"), [(i, i, string(text, encoding)) for i, text in enumerate(texts, 1)]


def documents(*messages):
    return "json", None, [(i, i, json.dumps(message).encode()) for i, message in enumerate(messages, 1)]


def protobufs(fields, *messages):
    made, descriptors = described("made.State", {"State": fields})
    rows = [(i, i, made(**message).SerializeToString()) for i, message in enumerate(messages, 1)]
    return "protobuf", ("made.State", "protobuf", descriptors), rows


TELLING = {
    "cdr": strings("op-7", "op-7"),
    "ros1": strings("op-7", "op-7", encoding="ros1"),
    "json": documents({"text": "op-7"}, {"text": "op-7"}),
    "plain": documents("op-7", "op-7"),
    "protobuf": protobufs([("who", F.TYPE_STRING)], {"who": "op-7"}, {"who": "op-7"}),
}


@pytest.mark.parametrize("said", TELLING.values(), ids=TELLING)
def test_a_text_that_never_changes_is_a_fact(tmp_path, said):
    got = read(write(tmp_path / "a.mcap", {"/operator": said, "/cell/door": said}))
    assert got.episode.operator == "op-7"
    assert got.episode.get_fact("cell/door") == "op-7"
    notes = got.streams["cell/door"].notes
    assert "left out" not in notes
    assert notes["values"] == "its messages hold no numbers; texts that never change are facts of the episode"
    assert len(got.streams["operator"]) == 2


def test_a_text_that_changes_is_named(tmp_path):
    channels = {
        "/phase": strings("reach", "grasp"),
        "/late": strings("", "grasp"),
        "/many": strings(*(f"{i}" for i in range(40)), "1"),
        "/state": documents({"phase": "reach", "arm": "left", "n": 1}, {"phase": "grasp", "arm": "left", "n": 2}),
    }
    got = read(write(tmp_path / "a.mcap", channels))
    assert dict(got.episode.facts) == {"state.arm": "left"}
    assert {name: stream.notes["left out"] for name, stream in got.streams.items()} == {
        "phase": "data", "late": "data", "many": "data", "state": "phase",
    }  # fmt: skip
    assert got.streams["phase"].notes["values"] == "its messages hold no numbers"


def test_what_the_log_states_counts_more_and_nothing_is_lost(tmp_path):
    channels = {
        "/operator": strings("op-7"), "/task_name": strings("pick"), "/name": strings("UR5"),
        "/succeeded": strings("perhaps"),
    }  # fmt: skip
    got = read(write(tmp_path / "a.mcap", channels, metadata={"operator": "op-1"}))
    episode = got.episode
    assert (episode.operator, episode.task, episode.name, episode.succeeded) == ("op-1", "pick", "a", None)
    assert dict(episode.facts) == {
        "topic.operator": "op-7", "task_name": "pick", "topic.name": "UR5", "topic.succeeded": "perhaps",
    }  # fmt: skip
    assert not got.defects


def test_fields_fill_the_episode_only_among_nothing_but_texts(tmp_path):
    channels = {
        "/about": documents({"operator_id": "op-7", "task": {"name": "x"}, "robot": "arm-2"}),
        "/battery": documents({"location": "slot 1", "volts": 12.0}),
    }
    got = read(write(tmp_path / "a.mcap", channels))
    assert (got.episode.operator, got.episode.robot, got.episode.site) == ("op-7", "arm-2", "")
    assert got.episode.get_fact("battery.location") == "slot 1"
    assert got.episode.get_fact("about.task.name") == "x"


def test_what_programs_say_of_themselves_is_no_fact(tmp_path):
    schema = ("rcl_interfaces/msg/Log", "ros2msg", "string msg")
    got = read(write(tmp_path / "a.mcap", {"/rosout": ("cdr", schema, [(1, 1, string("hello", "cdr"))])}))
    assert (got.episode.facts, got.streams["rosout"].notes["left out"]) == ((), "msg")


def test_a_text_of_any_length_or_characters_is_a_fact_fit_for_a_table(tmp_path):
    got = read(
        write(tmp_path / "a.mcap", {"/robot_description": strings("<robot>" * 20_000), "/odd": documents("\udce9")})
    )
    assert got.episode.get_fact("robot_description").startswith("140000 characters, sha256 ")
    assert got.episode.get_fact("odd") == "\\udce9"


def counts(value):
    schema = ("x/msg/Count", "ros2msg", "int64 n\nfloat64 x")
    return "cdr", schema, [(1, 1, b"\x00\x01\x00\x00" + struct.pack("<qd", value, 1e300))]


@pytest.mark.parametrize(("value", "is_said"), [(2**53 + 1, True), (-(2**60), True), (2**53, False), (7, False)])
def test_whole_numbers_that_were_rounded_are_reported_as_such(tmp_path, value, is_said):
    channels = {
        "/json": documents({"n": 1, "x": 1e300}, {"n": value, "x": 1e300}),
        "/protobuf": protobufs([("n", F.TYPE_INT64), ("x", F.TYPE_DOUBLE)], {"n": value, "x": 1e300}),
        "/unsigned": protobufs([("n", F.TYPE_UINT64)], {"n": abs(value)}),
        "/ros": counts(value),
    }
    for stream in read(write(tmp_path / "a.mcap", channels)).streams.values():
        sentence = "integers beyond 2^53 were rounded to 64-bit floats"
        assert stream.notes.get("rounded") == (sentence if is_said else None), stream.name


def test_messages_that_vary_are_split_and_it_is_reported(tmp_path):
    channels = {"/v": documents({"x": [1, 2]}, {"x": [1]}), "/w": documents({"x": 1}, {"x": 2})}
    streams = read(write(tmp_path / "a.mcap", channels)).streams
    assert set(streams) == {"v", "v/x[0]", "w"}
    for name in ("v", "v/x[0]"):
        assert streams[name].notes["split"] == "its messages vary in their fields, one stream each: v, v/x[0]"
    assert "split" not in streams["w"].notes
