"""Our HDF5 files, opened by robomimic's SequenceDataset in a venv of its own: every value, every frame."""

import subprocess
from dataclasses import replace

import numpy as np
import pytest
from tests.oracles import venvs

from fieldloop.ingest import open_log
from fieldloop.release.writers import write_hdf5
from fieldloop.testing.barcode import Mark, MarkedPictures, read_barcode
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

pytestmark = pytest.mark.oracle

READER = """
import sys
import lr_shim
import h5py, json, numpy as np
import robomimic.utils.obs_utils as ObsUtils
from robomimic.utils.dataset import SequenceDataset

path, out, split = sys.argv[1:4]
with h5py.File(path, "r") as file:
    keys = sorted(file["data/demo_0/obs"])
    about = json.loads(file["data"].attrs["env_args"])  # as its own tools do
pixels = [k for k in keys if k.endswith("_image")]
depths = [k for k in keys if k.endswith("_depth")]
low = [k for k in keys if k not in pixels + depths]
ObsUtils.initialize_obs_utils_with_obs_specs(
    obs_modality_specs={"obs": {"low_dim": low, "rgb": pixels, "depth": depths}, "goal": {}}
)
data = SequenceDataset(
    hdf5_path=path, obs_keys=keys, dataset_keys=("actions", "rewards", "dones"), seq_length=1,
    hdf5_cache_mode=None, filter_by_attribute=split or None, load_next_obs=True,
)
found = {}
for i in range(len(data)):
    item = data.get_item(i) if hasattr(data, "get_item") else data[i]
    for where in ("obs", "next_obs"):
        for key, value in item[where].items():
            found.setdefault(where + "/" + key, []).append(np.asarray(value)[0])
    for key in ("actions", "rewards", "dones"):
        found.setdefault(key, []).append(np.asarray(item[key])[0])
np.savez(out, env_name=about["env_name"], demos=data.demos, **{k: np.stack(v) for k, v in found.items()})
"""


def as_they_read(path, out, split=""):
    done = subprocess.run(
        [venvs.robomimic(), "-c", READER, str(path), str(out), split], check=False, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    return np.load(out)


def marked(episode):
    """Two seconds with marks in the pixels: camera, episode, frame."""
    made = keep_span(make_healthy_case(seed=episode), lambda at_s: at_s < 2.0).recording
    cameras = {
        name: replace(
            made.streams[name],
            pictures=MarkedPictures(number, episode, len(made.streams[name]), (64, 48), depth=name.startswith("depth")),
        )
        for number, name in enumerate(("camera/overhead", "camera/wrist", "depth/overhead"))
    }
    split = "train" if episode else "valid"
    return replace_streams(replace(made, episode=replace(made.episode, facts=(("split", split),))), cameras)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return write_hdf5([marked(0), marked(1)], tmp_path_factory.mktemp("set") / "picks.hdf5").path


def test_robomimic_reads_every_value_and_every_frame_as_we_do(ours, tmp_path):
    theirs = as_they_read(ours, tmp_path / "all.npz")
    assert theirs["demos"].tolist() == ["demo_0", "demo_1"]
    assert str(theirs["env_name"]) == "pick"
    recordings = list(open_log(ours).recordings)
    rows = [len(recording.streams["joints"]) for recording in recordings]

    def mine(name):
        return np.concatenate([recording.streams[name].values for recording in recordings])

    compared = {
        "obs/joints": mine("joints"), "obs/joints_velocity": mine("joints/velocity"), "obs/gripper": mine("gripper"),
        "obs/gripper_effort": mine("gripper/effort"), "obs/force": mine("force"), "obs/imu": mine("imu"),
        "obs/tool_pos": mine("tool")[:, :3], "obs/tool_quat": mine("tool")[:, 3:], "actions": mine("action"),
    }  # fmt: skip
    low_dim = {key for key in theirs.files if key.startswith("obs/") and not key.endswith(("_image", "_depth"))}
    assert low_dim == compared.keys() - {"actions"}
    for key, values in compared.items():
        np.testing.assert_allclose(theirs[key], values, rtol=1e-6, err_msg=key)
    for camera, key in enumerate(("overhead_image", "wrist_image", "overhead_depth")):
        name = ("camera/overhead", "camera/wrist", "depth/overhead")[camera]
        frames = [frame for recording in recordings for frame in recording.streams[name].pictures.frames()]
        wanted = [Mark(camera, e, i) for e, count in enumerate(rows) for i in range(count)]
        later = [Mark(camera, e, min(i + 1, count - 1)) for e, count in enumerate(rows) for i in range(count)]
        assert [read_barcode(_plain(frame)) for frame in theirs[f"obs/{key}"]] == wanted
        assert [read_barcode(_plain(frame)) for frame in theirs[f"next_obs/{key}"]] == later
        for frame, own in zip(theirs[f"obs/{key}"], frames, strict=True):
            np.testing.assert_array_equal(_plain(frame), own)
    ends = np.cumsum(rows) - 1
    assert np.flatnonzero(theirs["dones"]).tolist() == ends.tolist()
    assert np.flatnonzero(theirs["rewards"]).tolist() == ends.tolist()  # both picks succeeded


@pytest.mark.parametrize(("split", "demos"), [("train", ["demo_1"]), ("valid", ["demo_0"])])
def test_robomimic_finds_the_splits(ours, tmp_path, split, demos):
    assert as_they_read(ours, tmp_path / "part.npz", split)["demos"].tolist() == demos


def _plain(frame):
    return frame[:, :, 0] if frame.shape[2] == 1 else frame
