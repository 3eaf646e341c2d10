"""RLDS datasets: what TFDS lays down becomes streams and facts, and what is wrong with it is said with its place."""

import gzip
import json
import struct
import zlib

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.rlds_makers import (
    MARKS,
    METADATA,
    PLAIN,
    STEPS,
    dataset,
    dictionary,
    encoded,
    example,
    framed,
    image,
    marks,
    masked,
    picture,
    plain,
    sequence,
    tensor,
)

from fieldloop.ingest import open_log
from fieldloop.ingest.readers.rlds import RldsReader, columns
from fieldloop.model.stream import ClockKind, EncodedSource, StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD
from fieldloop.testing.facts import write_defect_facts
from fieldloop.testing.reader import check_reader

READER = RldsReader()


def read(folder, features, steps=PLAIN, metadata=METADATA):
    """The one episode of a set made of it."""
    (found,) = READER.read(dataset(folder, [example(features)], steps, metadata))
    return found


def test_an_ordinary_episode(tmp_path):
    made = plain()
    found = read(tmp_path, made)
    assert found.defects == ()
    episode, streams = found.episode, found.streams
    assert (episode.task, episode.operator, episode.succeeded, episode.name) == (
        "lift the cup",
        "ada",
        True,
        "train_000000",
    )
    assert episode.get_fact("matrix") == "[1.5, 0.1]"
    assert (episode.get_fact("dataset"), episode.get_fact("split"), episode.get_fact("episode_index")) == (
        "made",
        "train",
        "0",
    )
    assert np.array_equal(streams["action"].values, made["steps/action"])
    assert streams["action"].kind is StreamKind.ACTION
    state = streams["observation/state"]
    assert (state.values.dtype, state.kind) == (np.float64, StreamKind.JOINT_POSITION)
    assert np.array_equal(state.values, made["steps/observation/state"].astype(np.float64))
    assert (streams["is_last"].values.dtype, streams["is_last"].kind) == (np.bool_, StreamKind.OTHER)
    camera = streams["camera/image"]
    assert (camera.kind, camera.pictures.size) == (StreamKind.RGB, (16, 12))
    for i, frame in enumerate(camera.pictures.frames()):
        assert np.array_equal(frame, picture(i))
    assert "one a second" in camera.notes["clock"]
    assert camera.clock is ClockKind.SYNTHETIC


def test_bytes_that_were_not_decoded_are_not_understood(tmp_path):
    blobs = [b"\x08\x01\x12\x04" + np.float32([i, -i]).tobytes() + b"\xff\xfe" for i in range(STEPS)]
    steps = dictionary(proprio=tensor("string"), note=tensor("string"), action=tensor("float32", 3), **MARKS)
    made = marks(STEPS) | {
        "steps/action": np.zeros((STEPS, 3), "f4"),
        "steps/proprio": blobs,
        "steps/note": ["Größe".encode("latin-1")] * STEPS,
    }
    streams = read(tmp_path, made, steps, None).streams
    assert [name for name, stream in streams.items() if NOT_UNDERSTOOD in stream.notes] == ["proprio"]
    assert "note" not in streams  # a text in another encoding is still a text


def test_it_obeys_the_laws_of_readers(tmp_path):
    (tmp_path / "scratch").mkdir()
    check_reader(
        READER, dataset(tmp_path, [example(plain(seed=i)) for i in range(3)], PLAIN, METADATA), tmp_path / "scratch"
    )


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress, zlib.compress])
def test_a_bare_file_of_records_obeys_them_too(squeeze, tmp_path):
    (tmp_path / "scratch").mkdir()
    path = tmp_path / "episodes.records"
    path.write_bytes(squeeze(framed(*[example(plain(seed=i)) for i in range(3)])))
    check_reader(READER, path, tmp_path / "scratch")
    found = list(open_log(path).recordings)
    assert [r.episode.name for r in found] == ["episodes_000000", "episodes_000001", "episodes_000002"]
    assert found[1].streams["action"].values.shape == (STEPS, 3)
    assert np.array_equal(next(iter(found[1].streams["camera/image"].pictures.frames([2]))), picture(102))


def test_the_id_is_of_the_content_not_of_the_place(tmp_path):
    a, b = example(plain(seed=1)), example(plain(seed=2))
    one = {r.episode.id for r in READER.read(dataset(tmp_path / "x", [a, b], PLAIN, METADATA))}
    two = {r.episode.id for r in READER.read(dataset(tmp_path / "y", [b, a], PLAIN, METADATA, shards=2, name="other"))}
    assert one == two
    assert len(one) == 2


# ── forms of features


def test_nested_actions_flags_and_large_numbers(tmp_path):
    made = marks(3) | {
        "steps/action/arm": np.arange(6, dtype="f4"), "steps/action/gripper_closedness": np.asarray([0, 1, 0], "f4"),
        "steps/counter": np.asarray([1, -1, 0]), "steps/small": np.asarray([-3, 4, 5]),
    }  # fmt: skip
    action = dictionary(arm=tensor("float32", 2), gripper_closedness=tensor("float32"))
    found = read(
        tmp_path, made, dictionary(action=action, counter=tensor("uint64"), small=tensor("int8"), **MARKS), None
    )
    assert found.defects == ()
    assert {n: s.kind for n, s in found.streams.items() if n.startswith("action")} == {
        "action/arm": StreamKind.ACTION, "action/gripper_closedness": StreamKind.ACTION,
    }  # fmt: skip
    assert found.streams["counter"].values[:, 0].tolist() == [1, 2**64 - 1, 0]
    assert found.streams["small"].values.dtype == np.int8


def test_steps_with_different_numbers_of_values(tmp_path):
    made = marks(3) | {
        "steps/points/ragged_flat_values": np.arange(8, dtype="f4"), "steps/points/ragged_row_lengths_0": [1, 0, 3],
        "steps/even/ragged_flat_values": np.arange(6), "steps/even/ragged_row_lengths_0": [2, 2, 2],
        "steps/deep/ragged_flat_values": np.arange(5), "steps/deep/ragged_row_lengths_0": [2, 0, 1],
        "steps/deep/ragged_row_lengths_1": [1, 3, 1],
    }  # fmt: skip
    steps = dictionary(
        points=sequence(tensor("float32", 2)), even=sequence(tensor("int32")), **MARKS,
        deep=sequence(sequence(tensor("int64"))),
    )  # fmt: skip
    found = read(tmp_path, made, steps, None)
    assert found.defects == ()
    n = np.nan
    wanted = [[0, 1, n, n, n, n], [n] * 6, [2, 3, 4, 5, 6, 7]]
    assert np.array_equal(found.streams["points"].values, wanted, equal_nan=True)
    assert "NaN" in found.streams["points"].notes["values"]
    assert found.streams["even"].values.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert np.array_equal(found.streams["deep"].values, [[0, 1, 2, 3], [n] * 4, [4, n, n, n]], equal_nan=True)


@pytest.mark.parametrize("form", ["numbers", "bytes", "zlib"])
def test_pictures_kept_as_plain_numbers(form, tmp_path):
    shots = [picture(i) for i in range(3)]
    depths = [picture(i, (12, 16)).astype("f4") / 100 for i in range(3)]
    depths[1][0, 0] = np.nan
    squeeze = {"bytes": lambda a: a.tobytes(), "zlib": lambda a: zlib.compress(a.tobytes())}.get(form)
    made = marks(3) | {
        "steps/image": [squeeze(a) for a in shots] if squeeze else np.stack(shots),
        "steps/depth": [squeeze(a) for a in depths] if squeeze else np.stack(depths),
    }  # fmt: skip
    encoding = "none" if form == "numbers" else form
    steps = dictionary(
        image=tensor("uint8", 12, 16, 3, encoding=encoding), depth=tensor("float32", 12, 16, encoding=encoding), **MARKS
    )  # fmt: skip
    found = read(tmp_path, made, steps, None)
    assert found.defects == ()
    for name, wanted in (("camera/image", shots), ("depth/depth", depths)):
        got = list(found.streams[name].pictures.frames())
        assert all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(got, wanted, strict=True))
        assert [next(iter(found.streams[name].pictures.frames([2]))).tobytes()] == [wanted[2].tobytes()]
        assert set(found.streams[name].pictures.encoded()) == {("", b"")}


def test_depth_in_millimetres_and_in_hidden_floats(tmp_path):
    millimetres = picture(0, (12, 16), np.uint16)
    millimetres[0, 0] = 0
    metres = np.random.default_rng(1).normal(size=(12, 16)).astype("f4")
    hidden = cv2.imencode(".png", metres.view(np.uint8).reshape(12, 16, 4)[:, :, [2, 1, 0, 3]])[1].tobytes()
    made = marks(1) | {"steps/a": [encoded(millimetres)], "steps/b": [hidden]}
    steps = dictionary(a=image(12, 16, 1, dtype="uint16"), b=image(12, 16, 1, dtype="float32"), **MARKS)
    found = read(tmp_path, made, steps, None)
    (a,), (b,) = (found.streams[f"depth/{n}"].pictures.frames() for n in "ab")
    assert np.isnan(a[0, 0])
    assert a[1, 1] == np.float32(millimetres[1, 1]) / np.float32(1000)
    assert np.array_equal(b, metres)
    assert {found.streams[f"depth/{n}"].kind for n in "ab"} == {StreamKind.DEPTH}


def test_pictures_at_rest_are_handed_out_as_they_are(tmp_path):
    shots = [encoded(picture(0), ".jpg"), encoded(picture(1)), b"", b"neither"]
    found = read(tmp_path, marks(4) | {"steps/image": shots}, dictionary(image=image(12, 16, 3), **MARKS), None)
    source = found.streams["camera/image"].pictures
    assert isinstance(source, EncodedSource)
    assert list(source.encoded()) == [("jpeg", shots[0]), ("png", shots[1]), ("", b""), ("", b"")]
    assert [frame.size > 0 for frame in source.frames()] == [True, True, False, False]


# ── damage


def said(recording):
    return " | ".join(write_defect_facts(recording.defects))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"steps/action": np.zeros(14, "f4")},
            "ingest.part_unreadable part=feature reason=14 values",
        ),
        (
            {"steps/reward": np.zeros(4, "f4")},
            "steps/reward record 0, byte 12: ingest.feature_length_differs values=4 steps=5",
        ),
        ({"steps/is_last": [0, 1, 0, 0, 1]}, "ingest.mark_misplaced at=1 steps=5 expected=4"),
        ({"steps/is_last": [0, 0, 0, 0, 0]}, "ingest.mark_missing steps=5 edge=end"),
        ({"steps/is_first": [0, 1, 0, 0, 0]}, "ingest.mark_misplaced at=1 steps=5 expected=0"),
        (
            {"steps/observation/image": [b"x"] * 4},
            "steps/observation/image record 0, byte 12: ingest.feature_length_differs values=4",
        ),
        ({"steps/observation/image": [1, 2, 3]}, "steps/observation/image record 0"),
    ],
)
def test_what_does_not_fit_is_reported_and_the_rest_read(change, complaint, tmp_path):
    found = read(tmp_path, plain() | change)
    assert complaint in said(found)
    assert len(found.streams["observation/state"]) == STEPS


def test_a_declared_feature_that_is_not_there_is_reported(tmp_path):
    made = plain()
    del made["steps/action"]
    assert "steps/action record 0, byte 12: ingest.declared_but_missing" in said(read(tmp_path, made))


@pytest.fixture
def root(tmp_path):
    return dataset(tmp_path, [example(plain(seed=i)) for i in range(4)], PLAIN, METADATA, shards=2)


def shard(root, index=0):
    return root / f"made-train.tfrecord-{index:05d}-of-00002"


def whole(root):
    return " | ".join(write_defect_facts(READER.defects(root)))


def test_nothing_is_wrong_with_a_good_set(root):
    assert whole(root) == ""
    assert READER.count(root) == 4
    assert [r.defects for r in READER.read(root)] == [()] * 4


def test_a_missing_shard_is_reported_and_leaves_a_gap(root):
    shard(root).unlink()
    gone = "ingest.shards_missing missing=1 shards=2 which=0 episodes=2"
    assert f"split train dataset_info.json: {gone}" in whole(root)
    assert [r.episode.get_fact("episode_index") for r in READER.read(root)] == ["2", "3"]


def test_fewer_records_than_listed_are_reported(root):
    data = shard(root).read_bytes()
    shard(root).write_bytes(data[: len(data) // 2])
    assert "ingest.count_mismatch stated=2 what=records found=1" in whole(root)
    shard(root, 1).write_bytes(b"")
    assert "ingest.count_mismatch stated=2 what=records found=0" in whole(root)


def test_a_cut_shard_gives_what_is_left(root):
    data = shard(root).read_bytes()
    shard(root).write_bytes(data[:-40])
    assert "ingest.record_cut_off" in whole(root)
    found = list(READER.read(root))
    assert len(found) == 4
    assert "ingest.record_cut_off missing_bytes=40 " in said(found[1])
    assert found[1].streams


def test_a_wrong_checksum_is_reported_with_its_byte(root):
    data = bytearray(shard(root).read_bytes())
    data[100] ^= 1
    shard(root).write_bytes(data)
    first, *others = READER.read(root)
    assert f"{shard(root).name} record 0, byte 12: ingest.checksum_mismatch part=the record" in said(first)
    assert [o.defects for o in others] == [()] * 3


@pytest.mark.parametrize("content", [b"", b"{", b"[1, 2]", b'{"featuresDict": 3}', b"[" * 10_000, None])
def test_without_features_json_shapes_come_from_the_records(content, root):
    path = root / "features.json"
    path.unlink() if content is None else path.write_bytes(content)
    assert READER.recognises(root)
    assert "ingest.shapes_from_records" in whole(root)
    first = next(iter(READER.read(root)))
    assert first.streams["action"].values.shape == (STEPS, 3)
    assert np.array_equal(next(iter(first.streams["camera/image"].pictures.frames())), picture(0))


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"splits": 3}', b'{"splits": [{"shardLengths": ["x"]}]}', b"null", None]
)
def test_without_dataset_info_the_shards_that_lie_there_are_read(content, root):
    path = root / "dataset_info.json"
    path.unlink() if content is None else path.write_bytes(content)
    assert len(list(READER.read(root))) == 4
    if content is None:
        assert "dataset_info.json : ingest.file_missing" in whole(root)


def test_a_shard_that_is_not_listed_is_read_and_reported(root):
    (root / "made-val.tfrecord-00000-of-00001").write_bytes(framed(example(plain(seed=9))))
    assert "ingest.file_not_listed" in whole(root)
    assert len(list(READER.read(root))) == 5


def test_other_formats_of_records_are_named(root):
    for i in range(2):
        shard(root, i).unlink()
        (root / f"made-train.array_record-{i:05d}-of-00002").write_bytes(b"\x83\xaf\x70\xd1\x0d\x88" * 9)
    assert READER.recognises(root)
    assert "ingest.shards_of_other_format count=2 format=array_record" in whole(root)
    assert list(READER.read(root)) == []


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"name": "a"},
        *(
            {"name": "a", "kind": "action", "clocks": [None]} | bad
            for bad in ({"dtype": "object"}, {"shape": [-3]}, {"kind": "x"})
        ),
    ],
)
def test_what_a_release_keeps_may_be_nonsense(row, tmp_path):
    text = json.dumps({"streams": {"action": row}, "facts": {}}).encode()
    found = read(tmp_path, plain() | {"episode_metadata/fieldloop": [text]})
    assert found.streams["action"].values.shape == (STEPS, 3)


def test_numbers_do_not_keep_the_record_in_memory(tmp_path):
    values = read(tmp_path, plain()).streams["action"].values
    while values.base is not None:
        assert isinstance(values.base, np.ndarray)
        values = values.base


def test_a_few_bytes_that_stand_for_many_ask_for_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "MOST_INFLATED", 2 << 20)
    bomb = zlib.compress(bytes(1 << 20))
    steps = dictionary(x=tensor("uint8", 1 << 20, encoding="zlib"), **MARKS)
    found = read(tmp_path, marks(3) | {"steps/x": [bomb] * 3}, steps, None)
    assert "its deflated tensors hold more than 2 MiB" in said(found)
    length = struct.pack("<Q", 1 << 30)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(length + struct.pack("<I", masked(length)) + b"\x0a" + bytes(1 << 20)))
    assert list(READER.read(path)) == []
    assert "ingest.record_too_large" in whole(path)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6), st.booleans())
def test_hostile_records_are_read_or_refused(tmp_path_factory, changes, sealed):
    payload = bytearray(example(plain()))
    for place, value in changes:
        payload[place % len(payload)] = value
    data = framed(bytes(payload)) if sealed else framed(example(plain()))[:12] + bytes(payload)
    root = dataset(tmp_path_factory.mktemp("set"), [], PLAIN, METADATA)
    (root / "made-train.tfrecord-00000-of-00001").write_bytes(data)
    READER.defects(root)
    for recording in READER.read(root):
        for stream in recording.streams.values():
            assert all(len(times) == len(stream) for times in stream.clocks.values())
            if stream.pictures is not None:
                list(stream.pictures.frames())


# ── real data


def test_a_real_excerpt_reads_whole(shared):
    (root,) = shared("rlds-octo-bridge").glob("*/*")
    found = list(open_log(root.parent).recordings)
    assert (len(found), {len(r.streams["action"]) for r in found}) == (25, {10})
    assert found[0].episode.task == "put cup from counter or drying rack into sink"
    assert found[0].streams["camera/image_0"].pictures.size == (64, 64)
    assert found[0].streams["language_embedding"].values.shape == (10, 512)
    assert "split val" in whole(root)
    assert all("ingest.mark_missing" in said(r) for r in found[:3])  # an excerpt: ten steps of each


def test_features_of_unknown_meaning_are_not_understood_and_a_task_code_is_the_task(tmp_path):
    rows = np.cumsum(np.ones((STEPS, 3), "f4"), axis=0)
    observed = dictionary(position=tensor("float32", 3), joint_velocity=tensor("float32", 3))
    steps = dictionary(observation=observed, action=tensor("float32", 3), **MARKS)
    made = marks(STEPS) | {
        "steps/action": rows, "steps/observation/position": rows, "steps/observation/joint_velocity": rows,
        "task_code": [b"lift-any"],
    }  # fmt: skip
    recording = read(tmp_path, made, steps, None)
    assert [n for n, stream in recording.streams.items() if NOT_UNDERSTOOD in stream.notes] == ["observation/position"]
    assert recording.episode.task == "lift-any"
