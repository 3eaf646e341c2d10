"""LeRobot finds our plug-in and drives a policy on our server: features, chunks, real-time chunking, a saved folder."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.oracles import venvs
from tests.serve.running import Numbered, run_engine

pytestmark = pytest.mark.oracle

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("lerobot_drives.py")
NAME = "lerobot_policy_fieldloop"


def test_lerobot_drives_a_policy_on_our_server(tmp_path):
    installed = tmp_path / f"{NAME}-0.1.0.dist-info"  # what pip leaves, by which LeRobot finds a plug-in
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 0.1.0\n")
    paths = [tmp_path, ROOT / "robot/src", ROOT / "lerobot_policy/src", venvs.robot_packages()]
    environment = {
        **os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf"),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
    }  # fmt: skip
    engine = Numbered(1, max_delay_steps=2)
    with run_engine(engine) as port:
        command = [venvs.lerobot(), SCRIPT, str(port), str(tmp_path / "saved")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert found["features"] == {"observation.images.cam_high": [3, 4, 5], "observation.state": [3]}
    assert found["episode"] == [[[1.0, 1.0]]] * 6
    assert (found["chunk"], found["rtc"]) == ([1, 4, 2], [True, True])
    assert found["from a folder"] == [True, [[1.0, 1.0]]]
    asked = engine.seen[1:]  # after the dummy inference
    assert [int(o.pictures["images/cam_high"][0, 0, 0]) for o in asked] == [0, 2, 4, 7, 1]
    assert (asked[0].prompt, asked[0].signals["state"].tolist()) == ("pick the box", [0.0, 1.0, 2.0])
    assert (asked[3].leftover.shape, asked[3].delay_steps) == ((3, 2), 1)
