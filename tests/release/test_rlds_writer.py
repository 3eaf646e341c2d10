"""RLDS as we write it, read back by protobuf's own parser and by ours; nothing is lost in silence."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest
from tests.ingest.rlds_makers import parse, unframed

from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.release.writers import write_rlds
from fieldloop.release.writers.framed import put_recording_on_grid
from fieldloop.release.writers.survey import survey_recordings
from fieldloop.testing.barcode import Mark, MarkedPictures
from fieldloop.testing.barcode import read_barcode as read_mark
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.injuries.vision import replace_wrist_frames
from fieldloop.testing.shared import find_shared_data
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

START = 1_767_225_600_000_000_000
STEPS = 12
FIELDS = (
    "name", "task", "robot", "site", "operator", "session", "provider", "protocol", "stratum", "simulated",
    "succeeded", "failure",
)  # fmt: skip


def stream(name, kind, values, *, times=None, **more):
    values = np.asarray(values)
    times = START + np.arange(len(values)) * 50_000_000 if times is None else times
    return Stream(name, kind, more.pop("unit", ""), {ClockKind.HEADER: times}, values, **more)


def camera(name, number, episode, *, depth=False, late_ns=0):
    times = START + np.arange(STEPS) * 50_000_000 + late_ns
    kind, unit = (StreamKind.DEPTH, "m") if depth else (StreamKind.RGB, "8-bit")
    clocks = {ClockKind.HEADER: times, ClockKind.LOG: times + 3_000_000}
    return Stream(
        name, kind, unit, clocks, pictures=MarkedPictures(number, episode, STEPS, depth=depth), nominal_hz=20.0
    )


def made(episode=0, extra=()):
    """An episode of everything: two cameras, depth, several types of number, names that collide."""
    random = np.random.default_rng(episode)
    streams = [
        camera("camera/wrist", 1, episode), camera("camera/top", 2, episode, late_ns=7_000_000),
        camera("depth/top", 3, episode, depth=True),
        stream("action", StreamKind.ACTION, random.normal(size=(STEPS, 3)).astype("f4"), columns=("a", "b", "c")),
        stream(
            "joints", StreamKind.JOINT_POSITION, random.normal(size=(STEPS, 2)).astype("f4"), unit="rad",
            frame_id="base", serial="J-7",
        ),
        stream("joints/velocity", StreamKind.JOINT_VELOCITY, random.normal(size=(STEPS, 2))),
        stream("a/b", StreamKind.OTHER, random.integers(-5, 5, (STEPS, 1))),
        stream("a_b", StreamKind.OTHER, random.integers(0, 2**64, (STEPS, 2), np.uint64)),
        stream("flag", StreamKind.OTHER, random.integers(0, 2, (STEPS, 1)).astype(bool)),
        stream("reward", StreamKind.OTHER, random.normal(size=(STEPS, 1)).astype("f4")),
        stream("grid", StreamKind.OTHER, random.integers(0, 9, (STEPS, 2, 2)).astype(np.int16)),
        *extra,
    ]  # fmt: skip
    facts = (("lux", "300"), ("note", 'he said "so" ✓'))
    about = Episode(
        f"id-{episode}", f"pick {episode}", "made", "lift the cup", "arm-1", "lab", "ada", "s-1", "acme", "default v1",
        Stratum.of(lighting="dim"), simulated=False, succeeded=episode % 2 == 0,
        failure="slip" if episode % 2 else "", facts=facts,
    )  # fmt: skip
    return Recording(about, {s.name: s for s in streams})


@pytest.fixture(scope="module")
def recordings():
    return [made(i) for i in range(3)]


@pytest.fixture(scope="module")
def written(recordings, tmp_path_factory):
    return write_rlds(recordings, tmp_path_factory.mktemp("set") / "Bin picking")


def root(written):
    (found,) = written.path.glob("*/*")
    return found


def test_it_lies_where_tfds_looks_for_it(written):
    assert (written.episodes, written.frames, written.clock) == (3, 36, "camera/top")
    assert root(written).relative_to(written.path).as_posix() == "bin_picking/1.0.0"
    assert sorted(p.name for p in root(written).iterdir()) == [
        "bin_picking-train.tfrecord-00000-of-00001", "dataset_info.json", "features.json",
    ]  # fmt: skip
    info = json.loads((root(written) / "dataset_info.json").read_text())
    assert (info["name"], info["version"], info["fileFormat"]) == ("bin_picking", "1.0.0", "tfrecord")
    assert info["splits"][0]["shardLengths"] == ["3"]


def leaves(feature, path=""):
    """Every declared path with its form, by the format's description."""
    if "featuresDict" in feature:
        for name, inner in feature["featuresDict"]["features"].items():
            yield from leaves(inner, f"{path}/{name}".strip("/"))
    elif "sequence" in feature:
        yield from leaves(feature["sequence"]["feature"], path)
    else:
        yield path, feature


def test_protobuf_finds_every_value_we_were_given(written, recordings):
    declared = dict(leaves(json.loads((root(written) / "features.json").read_text())))
    payloads = unframed(next(root(written).glob("*.tfrecord-*")).read_bytes())
    features = survey_recordings(recordings)
    for payload, recording in zip(payloads, recordings, strict=True):
        found = parse(payload)
        assert found.keys() == declared.keys()
        for path, form in declared.items():
            if "tensor" in form:
                size = int(np.prod([int(n) for n in form["tensor"]["shape"].get("dimensions", [])] or [1]))
                assert len(found[path]) == STEPS * size, path
        framed = put_recording_on_grid(recording, features)
        keys = {"joints": "joints", "joints/velocity": "joints_velocity", "a/b": "a_b", "flag": "flag", "grid": "grid"}
        for name, key in keys.items():
            assert np.array_equal(found[f"steps/observation/{key}"], framed.values[name].ravel().astype("f4")), name
        assert np.array_equal(
            np.asarray(found["steps/observation/a_b_2"]).view(np.uint64), framed.values["a_b"].ravel()
        )
        assert np.array_equal(found["steps/action"], framed.values["action"].ravel())
        assert found["steps/timestamp_ns"] == framed.times_ns.tolist()
        assert found["steps/is_last"] == [0] * (STEPS - 1) + [1]
        assert found["steps/language_instruction"] == [b"lift the cup"] * STEPS
        for name, key in {"camera/wrist": "image_wrist", "camera/top": "image_top"}.items():
            for data, wanted in zip(found[f"steps/observation/{key}"], framed.iterate_pictures(name), strict=True):
                assert np.array_equal(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1], wanted)
        assert np.array_equal(
            np.reshape(found["steps/stamps_ns/image_wrist"], (STEPS, 2))[:, 0], framed.get_stamps_ns("camera/wrist")
        )
        assert found["episode_metadata/operator"] == [b"ada"]


def test_our_reader_makes_the_recording_again(written, recordings):
    log = open_log(written.path)
    for number, (again, before) in enumerate(zip(log.recordings, recordings, strict=True)):
        assert again.defects == ()
        for field in FIELDS:
            assert getattr(again.episode, field) == getattr(before.episode, field), field
        assert set(before.episode.facts) <= set(again.episode.facts)
        assert again.episode.get_fact("source_episode") == before.episode.id
        assert again.streams.keys() == before.streams.keys()
        for name, old in before.streams.items():
            new = again.streams[name]
            for field in ("kind", "unit", "columns", "frame_id", "serial"):
                assert getattr(new, field) == getattr(old, field), (name, field)
            if old.pictures is not None:
                assert all(np.array_equal(new.clocks[kind], old.clocks[kind]) for kind in old.clocks), name
                marks = [read_mark(frame) for frame in new.pictures.frames()]
                assert marks == [Mark(old.pictures.camera, number, i) for i in range(STEPS)]
                assert all(
                    np.array_equal(a, b) for a, b in zip(new.pictures.frames(), old.pictures.frames(), strict=True)
                )
        exact = again.streams["joints"]
        assert (exact.values.dtype, exact.clock) == (np.float32, ClockKind.HEADER)
        assert again.streams["joints/velocity"].values.dtype == np.float64
        assert again.streams["grid"].values.shape == (STEPS, 2, 2)
        assert again.streams["a_b"].values.dtype == np.uint64
    assert log.defects == ()


def test_distances_are_found_without_the_declaration(recordings, tmp_path):
    done = write_rlds(recordings[:1], tmp_path / "set")
    (root(done) / "features.json").unlink()
    (again,) = open_log(done.path).recordings
    pairs = zip(
        again.streams["depth/top"].pictures.frames(), recordings[0].streams["depth/top"].pictures.frames(), strict=True
    )
    assert all(np.array_equal(a, b) for a, b in pairs)
    assert np.array_equal(again.streams["joints"].times_ns, again.streams["camera/top"].times_ns)


def test_what_is_rounded_is_named_and_nothing_else(written):
    assert [write_note_facts(loss) for loss in written.left_out] == [
        "release.is_terminal_made is_terminal",
        "release.values_rounded joints/velocity stored=float32",
    ]
    assert written.rules["joints"] == "linear"
    assert written.rules["camera/top"] == "as recorded"


def test_float64_that_float32_can_hold_is_no_loss(tmp_path):
    exact = Recording(
        Episode("i", "e", "made"),
        {"joints": stream("joints", StreamKind.JOINT_POSITION, np.asarray([[0.5], [np.nan]]))},
    )
    assert "release.values_rounded" not in [loss.code for loss in write_rlds([exact], tmp_path / "set").left_out]
    (again,) = open_log(tmp_path / "set").recordings
    assert np.array_equal(again.streams["joints"].values, exact.streams["joints"].values, equal_nan=True)
    assert again.streams["joints"].values.dtype == np.float64


def test_the_same_recordings_give_the_same_bytes(recordings, written, tmp_path):
    again = write_rlds(recordings, tmp_path / "Bin picking")
    for one, other in zip(sorted(root(written).iterdir()), sorted(root(again).iterdir()), strict=True):
        assert one.read_bytes() == other.read_bytes()


def of_one(number, values):
    return Recording(Episode(str(number), f"e{number}", "made"), {"x": stream("x", StreamKind.OTHER, values)})


def test_a_type_that_changes_between_episodes_is_widened(tmp_path):
    both = [of_one(i, np.asarray([[300], [301], [302]], dtype)) for i, dtype in enumerate((np.int16, np.float32))]
    write_rlds(both, tmp_path / "set")
    assert [r.streams["x"].values.ravel().tolist() for r in open_log(tmp_path / "set").recordings] == [
        [300, 301, 302]
    ] * 2


@pytest.mark.parametrize(("succeeded", "ends"), [(True, [0, 0, 1]), (False, [0, 0, 1]), (None, [0, 0, 0])])
def test_an_episode_of_which_no_outcome_is_known_does_not_end_in_a_terminal_state(tmp_path, succeeded, ends):
    one = of_one(0, np.zeros((3, 1)))
    done = write_rlds([replace(one, episode=replace(one.episode, succeeded=succeeded))], tmp_path / "set")
    (payload,) = unframed(next(root(done).glob("*.tfrecord-*")).read_bytes())
    assert parse(payload)["steps/is_terminal"] == ends
    assert parse(payload)["steps/is_last"] == [0, 0, 1]


def test_an_end_that_was_recorded_is_the_one_that_is_written(tmp_path):
    recorded = stream("is_terminal", StreamKind.OTHER, np.zeros((STEPS, 1), bool))
    done = write_rlds([made(extra=[recorded])], tmp_path / "set")
    assert "release.is_terminal_made" not in [loss.code for loss in done.left_out]
    (payload,) = unframed(next(root(done).glob("*.tfrecord-*")).read_bytes())
    assert parse(payload)["steps/is_terminal"] == [0] * STEPS


def test_shards_are_rolled_by_size(tmp_path):
    big = [of_one(i, np.full((2, 100_000), i, "f4")) for i in range(4)]
    done = write_rlds(big, tmp_path / "set", shard_mb=2)
    assert sorted(p.name for p in root(done).glob("*tfrecord*")) == [
        f"set-train.tfrecord-{i:05d}-of-00002" for i in range(2)
    ]
    info = json.loads((root(done) / "dataset_info.json").read_text())
    assert info["splits"][0]["shardLengths"] == ["2", "2"]
    assert [r.streams["x"].values[0, 0] for r in open_log(done.path).recordings] == [0, 1, 2, 3]


def test_splits_are_kept(tmp_path):
    parts = [
        replace(made(i), episode=replace(made(i).episode, facts=(("split", s),)))
        for i, s in enumerate(("train", "val"))
    ]
    done = write_rlds(parts, tmp_path / "set")
    assert [r.episode.get_fact("split") for r in open_log(done.path).recordings] == ["train", "val"]


def test_jpeg_is_reported_as_a_loss(recordings, tmp_path):
    done = write_rlds(recordings[:1], tmp_path / "set", pictures="jpeg")
    lost = [loss.subject.stream for loss in done.left_out if loss.code == "release.pixels_recompressed"]
    assert lost == ["camera/top", "camera/wrist"]
    (again,) = open_log(done.path).recordings
    assert [read_mark(f) for f in again.streams["camera/top"].pictures.frames()] == [
        Mark(2, 0, i) for i in range(STEPS)
    ]
    depth = again.streams["depth/top"].pictures
    assert all(
        np.array_equal(a, b)
        for a, b in zip(depth.frames(), recordings[0].streams["depth/top"].pictures.frames(), strict=True)
    )
    second = write_rlds([again], tmp_path / "second", pictures="jpeg")
    assert "release.pixels_recompressed" not in [
        loss.code for loss in second.left_out
    ]  # what rests as JPEG is not squeezed again
    (third,) = open_log(second.path).recordings
    pairs = zip(
        third.streams["camera/top"].pictures.encoded(), again.streams["camera/top"].pictures.encoded(), strict=True
    )
    assert all(a == b for a, b in pairs)


def test_several_actions_lie_in_one_dictionary(tmp_path):
    second = stream("action/gripper", StreamKind.ACTION, np.zeros((STEPS, 1), "f4"))
    done = write_rlds([made(extra=[second])], tmp_path / "set")
    declared = dict(leaves(json.loads((root(done) / "features.json").read_text())))
    assert {"steps/action/action", "steps/action/gripper"} <= declared.keys()


def test_an_even_grid_can_be_asked_for(tmp_path):
    done = write_rlds([made()], tmp_path / "set", hz=10.0)
    (again,) = open_log(done.path).recordings
    assert set(np.diff(again.streams["joints"].times_ns).tolist()) == {100_000_000}
    assert done.frames == 6


def test_frames_that_do_not_decode_are_named(tmp_path):
    case = replace_wrist_frames(
        keep_span(make_healthy_case(), lambda at_s: at_s < 1.0), range(10, 12), np.empty((0, 0, 3), np.uint8)
    )
    done = write_rlds([case.recording], tmp_path / "set")
    assert "release.frames_repeated" in [loss.code for loss in done.left_out]


@pytest.mark.parametrize(
    ("recordings", "options", "complaint"),
    [
        ([], {}, "No recordings"), ([made()], {"version": "one"}, "not a version"),
        ([made()], {"shard_mb": 0}, "one MiB"),
        ([made()], {"clock": "nothing"}, "not a stream of every episode"),
    ],
)  # fmt: skip
def test_it_appears_whole_or_not_at_all(recordings, options, complaint, tmp_path):
    with pytest.raises(BadInput, match=complaint):
        write_rlds(recordings, tmp_path / "set", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_source_that_breaks_midway_leaves_nothing_behind(tmp_path):
    class Breaking:
        times = 0

        def __iter__(self):
            self.times += 1
            yield made()
            if self.times > 1:
                raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        write_rlds(Breaking(), tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_a_stream_that_not_all_have_is_left_out_and_named(tmp_path):
    done = write_rlds([made(0), replace_streams(made(1), {"joints": None})], tmp_path / "set")
    assert "release.not_in_every_episode joints episodes=1 total=2" in map(write_note_facts, done.left_out)


def test_real_episodes_come_back_equal(tmp_path):
    found = find_shared_data("rlds-octo-bridge")
    if found is None:
        pytest.skip("the shared data set rlds-octo-bridge is not on this machine (FIELDLOOP_SHARED)")
    log = open_log(found)
    before = list(log.recordings)
    done = write_rlds(before, tmp_path / "again")
    assert done.left_out == ()
    after = list(open_log(done.path).recordings)
    for old, new in zip(before, after, strict=True):
        assert (old.episode.name, old.episode.task) == (new.episode.name, new.episode.task)
        assert (
            dict(old.episode.facts).items() - {("dataset", "bridge_dataset"), ("dataset_episodes", "50")}
            <= dict(new.episode.facts).items()
        )
        assert old.streams.keys() == new.streams.keys()
        for name, one in old.streams.items():
            other = new.streams[name]
            assert (one.kind, one.unit, dict(one.notes), one.clocks.keys()) == (
                other.kind,
                other.unit,
                dict(other.notes),
                other.clocks.keys(),
            )
            assert np.array_equal(one.times_ns, other.times_ns)
            if one.values is not None:
                assert np.array_equal(one.values, other.values)
                assert one.values.dtype == other.values.dtype
            else:
                assert all(
                    np.array_equal(a, b) for a, b in zip(one.pictures.frames(), other.pictures.frames(), strict=True)
                )
