"""What cannot be converted is refused before anything is written: no episode, or a single moment."""

import h5py
import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.loop.ship.convert import convert_log


@pytest.mark.parametrize("to", ["lerobot", "hdf5", "rlds", "mcap"])
@pytest.mark.parametrize("black", [False, True])
def test_a_set_of_one_frame_is_refused_in_every_format(tmp_path, to, black):
    with h5py.File(tmp_path / "one.hdf5", "w") as file:
        for demo in ("demo_0", "demo_1"):
            file[f"data/{demo}/actions"] = np.zeros((1, 7))
            file[f"data/{demo}/obs/robot0_joint_pos"] = np.zeros((1, 7))
            if black:
                file[f"data/{demo}/obs/agentview_image"] = np.zeros((1, 32, 32, 3), np.uint8)
    with pytest.raises(BadInput, match="No stream has two samples, so no time passes"):
        convert_log(tmp_path / "one.hdf5", tmp_path / "out", to=to)
    assert [path.name for path in tmp_path.iterdir()] == ["one.hdf5"]


@pytest.mark.parametrize("to", ["lerobot", "mcap"])
def test_a_file_without_episodes_is_refused_with_the_command_that_says_why(tmp_path, to):
    with h5py.File(tmp_path / "none.hdf5", "w") as file:
        file["pictures"] = np.zeros((1, 32, 32, 3), np.uint8)
    with pytest.raises(BadInput, match=r"none.hdf5 has no episode to convert.*: fieldloop check .*none.hdf5"):
        convert_log(tmp_path / "none.hdf5", tmp_path / "out", to=to)
    assert [path.name for path in tmp_path.iterdir()] == ["none.hdf5"]
