"""robomimic's layout, as we write it: read back by h5py alone, and by our own reader."""

import json
from dataclasses import replace

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.release.writers import write_hdf5
from fieldloop.release.writers.hdf5.keys import assign_places
from fieldloop.release.writers.survey import survey_recordings
from fieldloop.testing.barcode import Mark, MarkedPictures, read_barcode
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.shared import find_shared_data
from fieldloop.testing.synthetic import START_NS, make_healthy_case, replace_streams

FACTS = (
    ("calibration.camera/wrist", '{"camera_matrix": [1, 0, 2, 0, 1, 2, 0, 0, 1]}'),
    ("lux", "420"),
    ("masks", "better, okay"),
    ("split", "val"),
)


def short(seed=0, **facts):
    """A second and a half, each camera marked in its pixels."""
    made = keep_span(make_healthy_case(seed=seed), lambda at_s: at_s < 1.5).recording
    cameras = {
        name: replace(s, pictures=MarkedPictures(i, seed, len(s), depth=s.kind is StreamKind.DEPTH), serial=f"SN{i}")
        for i, (name, s) in enumerate(sorted(made.streams.items()))
        if s.pictures is not None
    }
    episode = replace(made.episode, **facts)
    return replace_streams(replace(made, episode=episode), cameras)


@pytest.fixture(scope="module")
def made():
    return [short(0, facts=FACTS, failure="dropped", succeeded=False), short(1)]


@pytest.fixture(scope="module")
def written(made, tmp_path_factory):
    return write_hdf5(made, tmp_path_factory.mktemp("set") / "picks.hdf5")


def test_the_layout_is_robomimics(written, made):
    assert (written.episodes, written.frames, written.clock) == (2, 90, "camera/overhead")
    with h5py.File(written.path) as file:
        data = file["data"]
        assert sorted(data) == ["demo_0", "demo_1"]
        assert data.attrs["total"] == 90
        about = json.loads(data.attrs["env_args"])
        assert (about["env_name"], isinstance(about["type"], int)) == ("pick", True)
        assert about["env_kwargs"]["control_freq"] == 30
        assert {key: [n.decode() for n in names] for key, names in file["mask"].items()} == {
            "better": ["demo_0"], "okay": ["demo_0"], "valid": ["demo_0"],
        }  # fmt: skip
        demo = data["demo_0"]
        assert demo.attrs["num_samples"] == 45
        assert demo["actions"].shape == (45, 7)
        assert demo["obs/overhead_image"].dtype == np.uint8
        assert demo["obs/overhead_image"].shape == (45, 48, 64, 3)
        assert (demo["obs/overhead_depth"].dtype, demo["obs/overhead_depth"].shape) == (np.float32, (45, 48, 64, 1))
        assert demo["obs"].keys() == demo["next_obs"].keys()
        for key in demo["obs"]:
            np.testing.assert_array_equal(demo["next_obs"][key][:-1], demo["obs"][key][1:])
            np.testing.assert_array_equal(demo["next_obs"][key][-1], demo["obs"][key][-1])
        np.testing.assert_array_equal(demo["timestamps_ns"], made[0].streams["camera/overhead"].times_ns)
        assert demo["rewards"][:].max() == 0  # it failed, and no reward was recorded
        assert data["demo_1/rewards"][:].tolist() == [0.0] * 44 + [1.0]
        assert demo["dones"][:].tolist() == [0] * 44 + [1]


def test_our_reader_gives_back_what_was_written(written, made):
    log = open_log(written.path)
    recordings = list(log.recordings)
    assert log.defects == ()
    for number, (got, was) in enumerate(zip(recordings, made, strict=True)):
        assert got.defects == ()
        for field in ("name", "task", "robot", "site", "operator", "session", "protocol", "stratum", "simulated"):
            assert getattr(got.episode, field) == getattr(was.episode, field), field
        assert (got.episode.succeeded, got.episode.failure) == (was.episode.succeeded, was.episode.failure)
        assert set(was.episode.facts) - {("masks", "better, okay")} <= set(got.episode.facts)
        assert got.episode.get_fact("source_episode") == was.episode.id
        assert got.streams.keys() == was.streams.keys()
        for name, stream in got.streams.items():
            before = was.streams[name]
            for field in ("kind", "unit", "columns", "frame_id", "serial", "clock"):
                assert getattr(stream, field) == getattr(before, field), (name, field)
            if before.pictures is not None:
                assert stream.clocks.keys() == before.clocks.keys()
                for clock in ClockKind:
                    np.testing.assert_array_equal(stream.clocks.get(clock, 0), before.clocks.get(clock, 0))
        marks = [read_barcode(frame) for frame in got.streams["camera/wrist"].pictures.frames()]
        assert marks == [Mark(2, number, i) for i in range(45)]
        assert written.rules["joints"] == "linear"
        assert got.streams["joints"].nominal_hz == 30
        at = (got.streams["joints"].times_ns - START_NS) / 1e9
        wanted = np.interp(at, (was.streams["joints"].times_ns - START_NS) / 1e9, was.streams["joints"].values[:, 0])
        np.testing.assert_allclose(got.streams["joints"].values[:, 0], wanted, atol=1e-6)


def test_without_actions_it_refuses_unless_their_source_is_given(tmp_path):
    bare = replace_streams(short(), {"action": None})
    with pytest.raises(BadInput, match="needs actions"):
        write_hdf5([bare], tmp_path / "a.hdf5")
    assert list(tmp_path.iterdir()) == []
    done = write_hdf5([bare], tmp_path / "a.hdf5", actions_from="joints")
    assert "release.actions_made actions source=joints replaced=" in map(write_note_facts, done.left_out)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert file["data/demo_0/actions"].shape == (45, 6)


def test_an_action_that_gives_way_to_one_that_is_made_is_named(tmp_path):
    done = write_hdf5([short()], tmp_path / "a.hdf5", actions_from="joints")
    assert "release.actions_made actions source=joints replaced=action" in map(write_note_facts, done.left_out)


def test_actions_beyond_one_are_not_rescaled_but_named(tmp_path):
    made = short()
    action = made.streams["action"]
    large = replace_streams(made, {"action": replace(action, values=action.values * 0 + 3.5)})
    done = write_hdf5([large], tmp_path / "a.hdf5")
    assert "release.actions_not_rescaled actions low=3.5 high=3.5" in map(write_note_facts, done.left_out)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert (file["data/demo_0/actions"][:] == 3.5).all()


def test_what_stands_in_for_an_outcome_is_named_and_what_was_recorded_is_not(tmp_path, written):
    assert {"release.rewards_made", "release.dones_made"} <= {loss.code for loss in written.left_out}
    made = short()
    frames = made.streams["camera/overhead"]
    told = {
        name: Stream(name, StreamKind.OTHER, "", frames.clocks, np.full((len(frames), 1), 0.5))
        for name in ("rewards", "dones")
    }
    done = write_hdf5([replace_streams(made, told)], tmp_path / "a.hdf5")
    assert not any(loss.subject.stream in ("rewards", "dones") for loss in done.left_out)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert set(file["data/demo_0/rewards"][:].ravel()) == {0.5}


@pytest.mark.parametrize(
    ("tasks", "others"),
    [
        (("pick", "pick"), []),
        (("pick", "pour tea"), [("pour tea",)]),
        (("pick", "pour", "wipe"), [("pour", "wipe")]),
    ],
)
def test_tasks_that_the_file_cannot_state_for_all_are_named(tmp_path, tasks, others):
    made = [short(seed, task=task) for seed, task in enumerate(tasks)]
    done = write_hdf5(made, tmp_path / "a.hdf5")
    assert not any(loss.code == "release.one_environment_for_all" for loss in done.left_out)
    lost = [loss for loss in done.left_out if loss.code == "release.one_task_for_all"]
    assert [loss["others"] for loss in lost] == others
    assert all(loss["task"] == "pick" for loss in lost)
    assert [r.episode.task for r in open_log(tmp_path / "a.hdf5").recordings] == list(tasks)


def test_environments_that_came_with_the_episodes_are_counted(tmp_path):
    made = [short(seed, facts=(("env_args", f'{{"env_name": "{seed}"}}'),)) for seed in (0, 1)]
    done = write_hdf5(made, tmp_path / "a.hdf5")
    assert "release.one_environment_for_all name=env_args environments=2" in map(write_note_facts, done.left_out)


def test_a_row_that_is_a_table_is_named(tmp_path):
    made = short()
    frames = made.streams["camera/overhead"]
    table = Stream("grid", StreamKind.OTHER, "", frames.clocks, np.zeros((len(frames), 2, 3)))
    done = write_hdf5([replace_streams(made, {"grid": table})], tmp_path / "a.hdf5")
    assert "release.rows_flattened grid width=6 shape=2 × 3" in map(write_note_facts, done.left_out)


def test_a_split_of_any_name_is_a_mask(tmp_path):
    write_hdf5([short(facts=(("split", "Validation"),)), short(1, facts=(("split", "day 2"),))], tmp_path / "a.hdf5")
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert sorted(file["mask"]) == ["day 2", "valid"]


def test_several_commands_stand_side_by_side_and_come_apart_again(tmp_path):
    made = short()
    second = replace(made.streams["action"], name="base/command", columns=("v", "w"), unit="m/s")
    second = replace(second, values=np.column_stack([np.full(len(second), 0.25), np.full(len(second), -0.5)]))
    write_hdf5([replace_streams(made, {"base/command": second})], tmp_path / "a.hdf5")
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert file["data/demo_0/actions"].shape == (45, 9)
    (got,) = open_log(tmp_path / "a.hdf5").recordings
    assert got.streams["base/command"].columns == ("v", "w")
    assert got.streams["base/command"].values[0].tolist() == [0.25, -0.5]
    assert got.streams["action"].values.shape == (45, 7)


def test_a_reader_that_breaks_midway_leaves_nothing_behind(tmp_path):
    class Breaking:
        turns = 0

        def __iter__(self):
            self.turns += 1
            yield short()
            if self.turns > 1:
                raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        write_hdf5(Breaking(), tmp_path / "set.hdf5")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=40)
@given(st.lists(st.text("ab_/.", min_size=1, max_size=6), min_size=1, max_size=8, unique=True), st.booleans())
def test_no_two_streams_share_an_array(made, names, as_pose):
    stamps = np.arange(3)
    columns = ("x", "y", "z", "qx", "qy", "qz", "qw") if as_pose else ()
    streams = {
        n: Stream(n, StreamKind.OTHER, "", {ClockKind.LOG: stamps}, np.zeros((3, 7)), columns=columns) for n in names
    }
    features = survey_recordings([replace(made[0], streams=streams)])
    used = [place.path for parts in assign_places(features).values() for place in parts]
    assert len(used) == len(set(used))


@pytest.mark.parametrize(
    "name", ["robomimic_ph/dummy_data/lift_low_dim.hdf5", "robomimic_mh/dummy_data/lift_image.hdf5"]
)
def test_a_real_robomimic_file_goes_round(tmp_path, name):
    folder = find_shared_data("hdf5-robomimic")
    if folder is None:
        pytest.skip("the shared data set hdf5-robomimic is not on this machine (FIELDLOOP_SHARED)")
    first = list(open_log(folder / name).recordings)
    done = write_hdf5(first, tmp_path / "again.hdf5")
    again = list(open_log(tmp_path / "again.hdf5").recordings)
    assert [loss.code for loss in done.left_out] == [
        "release.attachment_not_kept",
        "release.last_next_observation_lost",
    ]
    for one, other in zip(first, again, strict=True):
        assert one.streams.keys() == other.streams.keys()
        for key, stream in one.streams.items():
            back = other.streams[key]
            assert (stream.kind, stream.unit, stream.columns, stream.clock) == (
                back.kind,
                back.unit,
                back.columns,
                back.clock,
            )
            np.testing.assert_array_equal(stream.times_ns, back.times_ns)
            if stream.values is not None:
                np.testing.assert_array_equal(stream.values, back.values)
            else:
                for a, b in zip(stream.pictures.frames(), back.pictures.frames(), strict=True):
                    np.testing.assert_array_equal(a, b)
        kept = dict(other.episode.facts)
        lost = {key for key, value in one.episode.facts if kept.get(key) != value}
        assert lost <= {"dataset"}  # the new file's own name
        assert one.episode.succeeded == other.episode.succeeded
    with h5py.File(folder / name) as before, h5py.File(tmp_path / "again.hdf5") as after:
        demo = first[0].episode.name
        assert set(before[f"data/{demo}/obs"]) == set(after["data/demo_0/obs"])
        for key in ("actions", "rewards", "dones", "states"):
            np.testing.assert_array_equal(before[f"data/{demo}/{key}"], after[f"data/demo_0/{key}"])
