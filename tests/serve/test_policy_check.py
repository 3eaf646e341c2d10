"""Every planted contradiction of a policy folder is found by name, and healthy folders are accused of nothing."""

import json
import struct

import numpy as np
import pytest
from tests.serve.foreign_policies import ACTION, CAMERAS, STATE, statistics, write_lerobot, write_normaliser

from fieldloop.errors import BadInput
from fieldloop.loop.ship.policy_check import check_policy
from fieldloop.loop.ship.policy_data import read_dataset_facts
from fieldloop.model.finding import Status
from fieldloop.serve.checking.check import check_policy_folder
from fieldloop.serve.checking.dataset import read_info
from fieldloop.serve.safetensors import read_header

JOINTS = ["pan", "lift", "grip"]
INFO = {
    "codebase_version": "v3.0",
    "fps": 30,
    "features": {
        STATE: {"dtype": "float32", "shape": [3], "names": JOINTS},
        ACTION: {"dtype": "float32", "shape": [3], "names": {"motors": JOINTS}},
        **{c: {"dtype": "video", "shape": [32, 32, 3], "names": ["height", "width", "channels"]} for c in CAMERAS},
    },
}
STATS = {key: {"min": [-1.0] * 3, "max": [1.0] * 3, "count": [9]} for key in (STATE, ACTION)}
PRE, POST = "policy_preprocessor", "policy_postprocessor"
STEPS = {PRE: "normalizer_processor", POST: "unnormalizer_processor"}


def change_info(**features):
    return INFO | {"features": {k: v for k, v in (INFO["features"] | features).items() if v is not None}}


def rewrite(folder, side, **changes):
    """Write one normaliser anew; None leaves a feature out."""
    config = json.loads((folder / "config.json").read_text())
    found = {STATE: statistics(3), ACTION: statistics(3)} | {c: statistics((3, 1, 1), 0, 1) for c in CAMERAS}
    found = {key: rows for key, rows in (found | changes).items() if rows is not None}
    write_normaliser(folder, side, STEPS[side], config, found)


def check(folder, info=None, stats=None, control_hz=None):
    facts = read_info(info, stats or {}, "set") if info else None
    return check_policy_folder(folder, facts, control_hz)[1]


def failed(findings):
    return {(f.check, f.subject) for f in findings if f.status is Status.FAILED}


@pytest.mark.parametrize("mode", ["MEAN_STD", "MIN_MAX", "QUANTILES", "IDENTITY"])
@pytest.mark.parametrize("kind", ["act", "diffusion", "smolvla"])
def test_a_healthy_policy_is_accused_of_nothing(tmp_path, kind, mode):
    folder = write_lerobot(tmp_path, kind=kind, mode=mode, action_feature_names=JOINTS)
    findings = check(folder, INFO, STATS, 30.0)
    assert not failed(findings)
    assert check_policy(None, folder).status is Status.PASSED


def test_what_is_not_stated_cannot_be_told_and_prevents_nothing(tmp_path):
    folder = write_lerobot(tmp_path)
    open_ones = {
        f.check for f in check(folder, change_info(action=INFO["features"][ACTION])) if f.status is not Status.PASSED
    }
    assert open_ones == {"policy.data_order", "policy.data_rate"}
    (tmp_path / "set" / "meta").mkdir(parents=True)
    (tmp_path / "set" / "meta" / "info.json").write_text(json.dumps(INFO))
    assert check_policy(None, folder, data=tmp_path / "set").status is Status.PASSED


def plant_stale_dimension(folder):
    rewrite(folder, PRE, **{STATE: statistics(8)})


def plant_stale_camera(folder):
    rewrite(folder, PRE, **{CAMERAS[1]: None, "observation.images.front": statistics((3, 1, 1), 0, 1)})


def plant_missing_quantiles(folder):
    config = json.loads((folder / "config.json").read_text())
    config["normalization_mapping"]["STATE"] = "QUANTILES"
    (folder / "config.json").write_text(json.dumps(config))
    rewrite(folder, PRE, **{STATE: {k: v for k, v in statistics(3).items() if k not in ("q01", "q99")}})


def plant_crossed_quantiles(folder):
    rows = statistics(3)
    rewrite(folder, PRE, **{STATE: rows | {"q01": rows["q99"], "q99": rows["q01"]}})


def plant_statistics_of_another_name(folder):
    rewrite(folder, POST, **{ACTION: None, "so100.buffer.action": statistics(3)})


def plant_not_finite(folder):
    rewrite(folder, PRE, **{STATE: statistics(3) | {"mean": np.array([0, np.nan, 0], np.float32)}})


def plant_negative_spread(folder):
    rewrite(folder, POST, **{ACTION: statistics(3) | {"std": np.array([1, -1, 1], np.float32)}})


def plant_two_normalisers(folder):
    rewrite(folder, POST, **{ACTION: statistics(3, -2.0, 2.0)})


def plant_no_processors(folder):
    for side in STEPS:
        (folder / f"{side}.json").unlink()


def plant_other_weights(folder):
    config = json.loads((folder / "config.json").read_text())
    config["chunk_size"] = 20
    (folder / "config.json").write_text(json.dumps(config))


def plant_cut_weights(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def plant_pickle(folder):
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x02}q\x00.")


def plant_long_execution(folder):
    config = json.loads((folder / "config.json").read_text()) | {"n_action_steps": 9}
    (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (plant_stale_dimension, {("policy.dimensions", STATE)}),
        (plant_stale_camera, {("policy.cameras", CAMERAS[1])}),
        (plant_missing_quantiles, {("policy.normaliser", STATE)}),
        (plant_crossed_quantiles, {("policy.statistics_in_order", STATE)}),
        (plant_statistics_of_another_name, {("policy.normaliser", ACTION)}),
        (plant_not_finite, {("policy.statistics_in_order", STATE)}),
        (plant_negative_spread, {("policy.statistics_in_order", ACTION), ("policy.both_normalisers", ACTION)}),
        (plant_two_normalisers, {("policy.both_normalisers", ACTION)}),
        (plant_no_processors, {("policy.normaliser", "")}),
        (plant_other_weights, {("policy.weights", "chunk_size")}),
        (plant_cut_weights, {("policy.weights", "model.safetensors")}),
        (plant_pickle, {("policy.no_pickles", "")}),
        (plant_long_execution, {("policy.configuration", "n_action_steps")}),
    ],
)
def test_a_contradiction_within_the_folder_is_found_and_nothing_else(tmp_path, plant, found):
    folder = write_lerobot(tmp_path)
    plant(folder)
    assert failed(check(folder)) == found
    assert check_policy(None, folder).status is Status.FAILED


CAMERA = {"dtype": "video", "shape": [480, 640, 3], "names": ["height", "width", "channels"]}


@pytest.mark.parametrize(
    ("info", "stats", "found"),
    [
        (change_info(**{CAMERAS[0]: None}), {}, {("policy.data_features", CAMERAS[0])}),
        (change_info(**{CAMERAS[0]: CAMERA}), {}, {("policy.data_sizes", CAMERAS[0])}),
        (change_info(**{STATE: {"dtype": "float32", "shape": [4]}}), {}, {("policy.data_sizes", STATE)}),
        (
            change_info(**{STATE: {"dtype": "float32", "shape": [3], "names": ["lift", "pan", "grip"]}}),
            {},
            {("policy.data_order", STATE)},
        ),
        (
            change_info(**{ACTION: {"dtype": "float32", "shape": [3], "names": ["lift", "pan", "grip"]}}),
            {},
            {("policy.data_order", ACTION)},
        ),
        (INFO | {"fps": 50}, {}, {("policy.data_rate", "")}),
        (INFO, STATS | {STATE: {"min": [50.0] * 3, "max": [90.0] * 3}}, {("policy.data_ranges", STATE)}),
    ],
)
def test_a_contradiction_with_the_dataset_is_found_and_nothing_else(tmp_path, info, stats, found):
    folder = write_lerobot(tmp_path, action_feature_names=JOINTS)
    assert failed(check(folder, info, stats, 30.0)) == found


def test_a_policy_that_resizes_is_not_accused_of_another_picture_size(tmp_path):
    folder = write_lerobot(tmp_path, kind="smolvla", action_feature_names=JOINTS)
    assert not failed(check(folder, change_info(**{CAMERAS[0]: CAMERA}), {}, 30.0))


def test_a_blank_camera_and_a_renamed_one_are_no_contradictions(tmp_path):
    folder = write_lerobot(tmp_path, kind="smolvla")
    config = json.loads((folder / "config.json").read_text())
    config["input_features"]["observation.images.empty_camera_0"] = {"type": "VISUAL", "shape": [3, 480, 640]}
    (folder / "config.json").write_text(json.dumps(config))
    pre = json.loads((folder / "policy_preprocessor.json").read_text())
    rewrite(folder, PRE, **{CAMERAS[0]: None, "observation.images.front": statistics((3, 1, 1), 0, 1)})
    pre["steps"][0]["config"]["rename_map"] = {"observation.images.front": CAMERAS[0]}
    (folder / "policy_preprocessor.json").write_text(json.dumps(pre))
    info = change_info(**{CAMERAS[0]: None, "observation.images.front": INFO["features"][CAMERAS[0]]})
    assert not failed(check(folder, info))


def test_an_old_checkpoint_whose_statistics_lie_among_its_weights_cannot_be_told(tmp_path):
    weights = {"normalize_inputs.buffer_observation_state.mean": np.zeros(3, np.float32)}
    folder = write_lerobot(tmp_path, weights=weights)
    plant_no_processors(folder)
    one = next(f for f in check(folder) if f.check == "policy.normaliser")
    assert one.status is Status.CANNOT_TELL


def test_names_and_rate_of_a_dataset_are_read(tmp_path):
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "info.json").write_text(json.dumps(INFO))
    facts = read_dataset_facts(tmp_path)
    assert (facts.fps, facts.names[ACTION], facts.shapes[CAMERAS[0]]) == (30.0, tuple(JOINTS), (3, 32, 32))


def test_files_that_git_lfs_did_not_fetch_cannot_be_told_and_say_so(tmp_path):
    folder = write_lerobot(tmp_path)
    for path in folder.glob("*.safetensors"):
        path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 206699736\n")
    findings = check(folder)
    assert not failed(findings)
    assert check_policy(None, folder).status is Status.CANNOT_TELL
    assert sum("git lfs pull" in answer for answer in check_policy(None, folder).answers) == 3


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 100_000,
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}',
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [8, 4]}}',
        b'{"a": {"dtype": "Q", "shape": [1e999], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]}}',
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [1000000, 1000004]}}',
    ],
)
def test_a_damaged_header_of_weights_is_refused_by_name(tmp_path, header):
    path = tmp_path / "a.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    with pytest.raises(BadInput, match=r"a\.safetensors (has a header that cannot be read|is cut off)"):
        read_header(path)
