"""The unmodified openpi-client runs an episode on our server: chunks, refusals, a hot swap and a rollback."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.oracles import venvs
from tests.serve.running import Loads, Numbered, run_engine

from fieldloop.errors import Refused
from fieldloop.model.person import Actor, Role
from fieldloop.serve.access import Access

pytestmark = pytest.mark.oracle

CLIENT = Path(__file__).with_name("openpi_episode.py")
KEY = "a-key"


def find_robot(secret):
    if secret != KEY:
        raise Refused("This token is unknown or was revoked.")
    return Actor("arm-1", Role.ROBOT)


@pytest.fixture(scope="module")
def found():
    python = venvs.openpi()
    engine = Numbered(1, think_s=0.001)
    with run_engine(engine, access=Access(find_robot), control=Loads(Numbered(2))) as port:
        done = subprocess.run(
            [python, CLIENT, str(port), KEY], capture_output=True, text=True, check=False, timeout=120
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), engine


def test_it_runs_an_episode_in_chunks(found):
    answers, engine = found
    assert answers["healthz"] == "OK\n"
    assert (answers["metadata"]["action_horizon"], answers["metadata"]["policy"]) == (4, "1" * 64)
    assert answers["episode"] == [[1.0, 1.0]] * 20
    first = engine.seen[1]  # after the dummy inference
    assert first.pictures["images/cam_high"].shape == (4, 5, 3)
    assert (first.prompt, first.signals["state"].tolist()) == ("pick the box", [0.0, 1.0, 2.0])
    assert answers["arrays"] == ["actions"]
    assert answers["timing"]["policy"]["infer_ms"] > 0
    assert {"infer_ms", "queue_ms", "total_ms", "prev_total_ms"} <= answers["timing"]["server"].keys()


def test_a_refusal_is_an_error_and_the_next_observation_is_answered(found):
    answers, _ = found
    assert "lacks images/cam_high" in answers["refused"]
    assert "every value is NaN" in answers["empty"]


def test_a_swap_and_a_rollback_close_no_socket(found):
    answers, _ = found
    assert (answers["same socket after the swap"], answers["new socket after the swap"]) == (1.0, "2" * 64)
    assert (answers["after the rollback"], answers["by path"]) == (1.0, [4, 2])


def test_a_wrong_key_is_denied(found):
    assert "401" in found[0]["wrong key"]
