"""Policies of other makers enter by `policy add`: what they do not state is asked for, damaged ones are refused."""

import importlib.util
import json
import zipfile

import numpy as np
import pytest
from tests.loop.test_loop_policy import here  # noqa: F401 - a fixture
from tests.serve import foreign_policies as theirs
from tests.serve import hand_made_policy, stand_ins
from tests.serve.running import CARD

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.run.policies import load_engine
from fieldloop.loop.run.serve import measure_policy_health
from fieldloop.loop.ship.policy import add_policy
from fieldloop.model.finding import Status
from fieldloop.model.policy import Observation, PolicyVersion
from fieldloop.serve.adding.lerobot_policy import find_replan_steps
from fieldloop.serve.adding.write import write_bundle_folder
from fieldloop.serve.digests import hash_file, require_inside
from fieldloop.serve.lerobot_folder import read_lerobot_folder
from fieldloop_robot.client import PolicyClient, PolicyUnavailable

TOML = """
version = "2026-11"
control_hz = 50
action_names = ["x", "y", "z"]
units = "rad"
normaliser = "inside"
layouts = {image = "CHW"}
aliases = {"camera/top" = "image"}
"""
INFO = {
    "fps": 30,
    "features": {
        theirs.STATE: {"dtype": "float32", "shape": [3]},
        theirs.ACTION: {"dtype": "float32", "shape": [3], "names": ["pan", "lift", "grip"]},
    },
}


@pytest.fixture
def settings(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    return path


def test_an_onnx_file_of_another_maker_is_stored_and_answers_its_chunk(here, tmp_path, settings):  # noqa: F811
    path = theirs.write_onnx(tmp_path / "theirs.onnx")
    version = add_policy(here, "theirs", path, settings=settings, digest=hash_file(path))
    assert (version.control_hz, version.source, bool(version.bundle)) == (50.0, "theirs.onnx", True)
    engine = load_engine(here, version)
    rng = np.random.default_rng(0)
    picture, state = rng.random((6, 8, 3)).astype(np.float32), rng.random(2)
    answered = engine.act(Observation(0, {"camera/top": picture}, {"state": state}))
    np.testing.assert_allclose(answered.chunk, theirs.expected(picture, state), atol=1e-5)
    card = engine.bundle
    assert (card.horizon, card.version, card.units["x"]) == (theirs.HORIZON, "2026-11", "rad")
    assert card.guard_fingerprint == here.operations["guard"].fingerprint
    assert add_policy(here, "theirs", path, settings=settings) == version
    assert measure_policy_health(here, "theirs").health.status is Status.PASSED


def test_whatever_a_file_does_not_state_is_asked_for_at_once(here, tmp_path):  # noqa: F811
    path = theirs.write_onnx(tmp_path / "theirs.onnx")
    with pytest.raises(BadInput, match="does not state control_hz, action_names, units, normaliser") as refused:
        add_policy(here, "theirs", path)
    assert 'normaliser = "inside"' in str(refused.value)
    with pytest.raises(BadInput, match="does not state action_names, units, normaliser"):
        add_policy(here, "theirs", path, control_hz=50)
    assert not here.store.count(PolicyVersion)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TOML.replace('"z"]', '"z", "w"]'), "has 3 values; 4 names are stated"),
        (TOML.replace("50", "-1"), "control_hz = -1 is not a valid rate"),
        (TOML + 'rate = 3\naction_name = ["x"]', "'rate' is not a setting of a policy"),
        (TOML.replace('"z"]', '"x"]'), "has a name twice"),
        (TOML.replace('"CHW"', '"CWH"'), "a picture is HWC or CHW"),
        (TOML + 'output = "pose"', "which output is the action"),
        ("control_hz = ", "not valid TOML"),
    ],
)
def test_settings_that_are_wrong_say_where(here, tmp_path, settings, text, message):  # noqa: F811
    settings.write_text(text)
    with pytest.raises(BadInput, match=message):
        add_policy(here, "theirs", theirs.write_onnx(tmp_path / "theirs.onnx"), settings=settings)


def test_weights_that_are_not_finite_and_files_that_are_no_onnx_are_refused(here, tmp_path, settings):  # noqa: F811
    damaged = theirs.WEIGHTS.copy()
    damaged[1, 1] = np.nan
    path = theirs.write_onnx(tmp_path / "theirs.onnx", weights=damaged)
    with pytest.raises(BadInput, match="the weights 'w' hold numbers that are not finite"):
        add_policy(here, "theirs", path, settings=settings)
    path.write_bytes(b"no graph")
    with pytest.raises(BadInput, match="is not an ONNX file"):
        add_policy(here, "theirs", path, settings=settings)
    with pytest.raises(BadInput, match="another version, or it is damaged"):
        add_policy(here, "theirs", theirs.write_onnx(path), settings=settings, digest="0" * 64)
    assert not here.store.count(PolicyVersion)


def test_a_lerobot_policy_takes_names_and_rate_from_its_dataset(here, tmp_path):  # noqa: F811
    runs = importlib.util.find_spec("torch") is not None  # then it is tried at once
    weights = theirs.draw_whole_act() if runs else None
    folder, data = theirs.write_lerobot(tmp_path / "act", weights=weights), tmp_path / "set"
    (data / "meta").mkdir(parents=True)
    (data / "meta" / "info.json").write_text(json.dumps(INFO))
    with pytest.raises(BadInput, match="does not state control_hz, action_names"):
        add_policy(here, "act-1", folder)
    version = add_policy(here, "act-1", folder, data=data)
    assert (version.control_hz, version.source) == (30.0, "act")
    from fieldloop.model.episode import Blob
    from fieldloop.serve.bundle import read_bundle

    stored = read_bundle(here.shelf.fetch_local_copy(Blob(version.bundle, 0, is_folder=True), here.cache))
    assert (stored.engine, stored.horizon, stored.action_names) == ("lerobot", theirs.CHUNK, ("pan", "lift", "grip"))
    assert stored.aliases["images/top"] == stored.aliases["top"] == theirs.CAMERAS[0]
    assert {i.name: i.shape for i in stored.inputs}[theirs.CAMERAS[0]] == (theirs.SIDE, theirs.SIDE, 3)
    assert sorted(stored.files)[:2] == ["config.json", "model.safetensors"]


def test_a_lerobot_policy_that_cannot_be_trusted_is_refused(here, tmp_path):  # noqa: F811
    table = tmp_path / "mine.toml"
    table.write_text('control_hz = 30\naction_names = ["a", "b", "c"]')
    damaged = theirs.draw_ends(3, 3)
    damaged["action_head.weight"][0, 0] = np.inf
    folder = theirs.write_lerobot(tmp_path / "damaged", weights=damaged)
    with pytest.raises(BadInput, match=r"'model\.action_head\.weight' hold numbers that are not finite"):
        add_policy(here, "p", folder, settings=table)
    folder = theirs.write_lerobot(tmp_path / "bare")
    (folder / "policy_postprocessor.json").unlink()
    with pytest.raises(BadInput, match="has no normaliser"):
        add_policy(here, "p", folder, settings=table)
    folder = theirs.write_lerobot(tmp_path / "empty")
    for path in folder.glob("*normalizer_processor.safetensors"):
        path.unlink()
    with pytest.raises(BadInput, match="needs mean and std, and the normaliser lacks them"):
        add_policy(here, "p", folder, settings=table)
    assert not here.store.count(PolicyVersion)


@pytest.mark.parametrize("name", ["../../../OWNED.txt", "{outside}", "linked.safetensors", "..\\OWNED.txt", 7, "a\0b"])
def test_a_policy_names_and_writes_no_file_outside_its_folder(here, tmp_path, name):  # noqa: F811
    table = tmp_path / "mine.toml"
    table.write_text('control_hz = 30\naction_names = ["a", "b", "c"]')
    folder, outside = theirs.write_lerobot(tmp_path / "in" / "act"), tmp_path / "OWNED.txt"
    outside.write_text("mine")
    (folder / "linked.safetensors").symlink_to(outside)
    steps = json.loads((folder / "policy_preprocessor.json").read_text())
    steps["steps"].append({"registry_name": "x", "state_file": name.format(outside=outside) if name != 7 else 7})
    (folder / "policy_preprocessor.json").write_text(json.dumps(steps))
    with pytest.raises(BadInput, match=r"outside the folder|is not the name of a file"):
        add_policy(here, "p", folder, settings=table)
    with pytest.raises(BadInput, match="outside the folder"):
        write_bundle_folder(tmp_path / "b", CARD, {"../OWNED.txt": folder / "config.json"}, {}, "")
    assert [path.read_text() for path in tmp_path.rglob("OWNED.txt")] == ["mine"]


def test_a_snapshot_of_the_hub_is_read_through_its_links(tmp_path):
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "1a2b"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    (blobs / "77").write_text("{}")
    (snapshot / "config.json").symlink_to("../../blobs/77")
    assert require_inside(snapshot, "config.json").read_text() == "{}"


@pytest.mark.parametrize("name", ["pytorch_model.bin", "optimizer.pkl", "state.dat"])
def test_a_folder_with_a_pickle_is_refused(here, tmp_path, name):  # noqa: F811
    folder = theirs.write_lerobot(tmp_path / "act")
    (folder / name).write_bytes(b"\x80\x04}\x94.")
    with pytest.raises(Refused, match=f"{name}: a pickle runs code from inside it"):
        add_policy(here, "p", folder)


def test_what_torch_save_writes_is_refused_unopened(here, tmp_path):  # noqa: F811
    with zipfile.ZipFile(tmp_path / "model.pt", "w") as zipped:
        zipped.writestr("model/data.pkl", b"\x80\x02}q\x00.")
    with pytest.raises(Refused, match="a pickle of torch"):
        add_policy(here, "p", tmp_path / "model.pt")


def test_a_server_becomes_a_policy_by_its_settings(here, tmp_path):  # noqa: F811
    table = tmp_path / "server.toml"
    table.write_text(
        'control_hz = 10\naction_names = ["x", "y", "z"]\nunits = "rad"\nhorizon = 4\nprompt = true\n'
        '[inputs.image]\nshape = [6, 8, 3]\ndtype = "uint8"\nkey = "images.top"\n[inputs.state]\nshape = [2]\n'
    )
    with stand_ins.run_openpi_server() as address:
        version = add_policy(here, "pi0", address, settings=table)
        assert (version.source, version.control_hz) == (address, 10.0)
        engine = load_engine(here, version)
        picture, state = np.full((6, 8, 3), 51, np.uint8), np.ones(2)
        answered = engine.act(Observation(0, {"image": picture}, {"state": state}, "pick"))
        np.testing.assert_allclose(answered.chunk, theirs.expected(picture / 255, state) + 4, atol=1e-5)
        with pytest.raises(BadInput, match="refused the observation: ValueError: out of memory"):
            engine.act(Observation(0, {"image": picture}, {"state": state}, "break"))
        engine.close()
    with pytest.raises(Refused, match="does not answer"):
        add_policy(here, "pi0-2", address, settings=table)
    assert add_policy(here, "pi0-3", address).bundle == "", "without settings only the address is recorded"


def test_how_many_steps_are_executed_is_stated_or_read_and_decides_the_limit(here, tmp_path, settings):  # noqa: F811
    settings.write_text("replan_steps = 2\n" + TOML)
    version = add_policy(here, "theirs", theirs.write_onnx(tmp_path / "theirs.onnx"), settings=settings)
    engine = load_engine(here, version)
    assert engine.bundle.metadata["replan_steps"] == 2
    assert measure_policy_health(here, "theirs").admission.maximum == pytest.approx(0.8 * 2 * 1000 / 50)
    settings.write_text("replan_steps = 99\n" + TOML)
    with pytest.raises(BadInput, match="replan_steps = 99 must be whole, from 1 to the horizon"):
        add_policy(here, "other", theirs.write_onnx(tmp_path / "theirs.onnx"), settings=settings)
    stated = read_lerobot_folder(theirs.write_lerobot(tmp_path / "act", n_action_steps=3))
    assert find_replan_steps(stated) == 3
    assert find_replan_steps(read_lerobot_folder(theirs.write_lerobot(tmp_path / "act", n_action_steps=99))) is None


def test_a_bundle_with_a_pickle_or_with_weights_that_are_not_finite_is_refused(here, tmp_path, monkeypatch):  # noqa: F811
    folder = hand_made_policy.write(tmp_path / "pickled")
    (folder / "extra.pkl").write_bytes(b"x")
    with pytest.raises(Refused, match="a pickle runs code"):
        add_policy(here, "p", folder)
    monkeypatch.setattr(hand_made_policy, "WEIGHTS", hand_made_policy.WEIGHTS * np.float32(np.nan))
    with pytest.raises(BadInput, match="not finite"):
        add_policy(here, "p", hand_made_policy.write(tmp_path / "nan"))
    assert not here.store.count(PolicyVersion)


@pytest.mark.parametrize("url", ["wss://h:1", "https://h", "ws://h"])
def test_a_client_takes_encrypted_addresses_too(url):
    PolicyClient(url).close()
    for wrong in ("ftp://h", "wss://", "ws://h:99999"):
        with pytest.raises(PolicyUnavailable, match="is neither"):
            PolicyClient(wrong)
