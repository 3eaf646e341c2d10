"""Policies that LeRobot itself wrote: our check accuses them of nothing, and our ACT answers as LeRobot's does."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.oracles import venvs

from fieldloop.loop.ship.policy_check import check_policy
from fieldloop.model.finding import Status

pytestmark = pytest.mark.oracle
ROOT = Path(__file__).parents[2]
MODES = ("mean_std", "quantiles", "min_max")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("policies")
    paths = os.pathsep.join(str(ROOT / part) for part in ("src", "robot/src"))
    done = subprocess.run(
        [str(venvs.lerobot()), str(Path(__file__).parent / "lerobot_writes_policy.py"), str(folder)],
        env=os.environ | {"PYTHONPATH": paths, "HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return folder, json.loads(done.stdout.strip().splitlines()[-1])


@pytest.mark.parametrize("mode", MODES)
def test_our_act_answers_as_lerobot_does(written, mode):
    _, found = written
    assert found[mode]["largest"] > 0.5
    assert found[mode]["ours"] < 1e-4 * found[mode]["largest"]


@pytest.mark.parametrize("mode", MODES)
def test_the_engine_that_calls_lerobot_answers_as_lerobot_does(written, mode):
    _, found = written
    assert found[mode]["library"] < 1e-6 * found[mode]["largest"]


@pytest.mark.parametrize("mode", MODES)
def test_the_check_accuses_a_healthy_policy_of_nothing(written, mode):
    checked = check_policy(None, written[0] / mode)
    assert not [f for f in checked.findings if f.status is Status.FAILED]
    assert checked.status is Status.PASSED
