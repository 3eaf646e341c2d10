"""A trainer of one's own gets frames and a folder; what it leaves is recorded with the release."""

import json
import sys

import numpy as np
import pytest
from tests.loop.test_loop_release import recorded, taken_in  # noqa: F401 - fixtures

import fieldloop as fl
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.run.trust import trace
from fieldloop.loop.ship.dataset import open_release_dataset
from fieldloop.loop.ship.own_trainer import SHELF
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.train import train_policy_version
from fieldloop.model.episode import Blob, Episode
from fieldloop.model.person import Actor, Role
from fieldloop.model.policy import PolicyVersion
from fieldloop.train import trainers

SCRIPT = """
import numpy as np
def main(train, validation, folder, seed):
    (folder / "weights.npy").write_bytes(np.mean([train[i]["joints"] for i in (0, -1)], axis=0).tobytes())
def broken(train, validation, folder, seed):
    raise ValueError("out of memory")
def idle(train, validation, folder, seed):
    pass
word = 3
"""


@pytest.fixture
def frozen(recorded):  # noqa: F811
    return freeze_release(recorded, "r1", override="no device is declared")


@pytest.fixture
def script(tmp_path, monkeypatch):
    (tmp_path / "our_trainer.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    yield "our_trainer"
    sys.modules.pop("our_trainer", None)


def test_a_release_opens_as_frames_with_its_labels_and_weights(recorded, frozen):  # noqa: F811
    dataset = open_release_dataset(recorded, "r1")
    assert {e.id for e in dataset.episodes} == set(frozen.episodes)
    assert set(dataset.table.label_names) == {"phase"}
    assert len(dataset.table.label_names["phase"]) == 8
    assert dataset.weights.tolist() == [1.0] * len(dataset)
    item = dataset[len(dataset) // 2]
    assert item["camera/wrist"].dtype == np.uint8
    assert item["task"] == "pick"
    sides = [open_release_dataset(recorded, "r1", split) for split in ("train", "validation")]
    assert sorted(e.id for one in sides for e in one.episodes) == sorted(frozen.episodes)
    with pytest.raises(UnknownName, match="train and validation"):
        open_release_dataset(recorded, "r1", "test")


def test_a_registered_trainer_trains_by_name_and_is_traced(recorded, frozen, monkeypatch):  # noqa: F811
    monkeypatch.setattr(trainers, "_FRAME_TRAINERS", {})
    seen = []

    def train(frames, held_out, folder, seed):
        seen.append(
            (len(frames.episodes), len(held_out.episodes), frames.make_windowed(chunk=4)[0]["action"].shape, seed)
        )
        (folder / "sub").mkdir()
        (folder / "sub" / "weights.bin").write_bytes(b"weights")
        (folder / "config.json").write_text(json.dumps({"layers": 2}))
        return {"validation_error": np.float32(0.25), "control_hz": 15}

    fl.register_trainer("ours", train)
    version = train_policy_version(recorded, "r1", name="p1", seed=3, trainer="ours")
    assert seen[0][:2] == (1, 1)
    assert (seen[0][2][0], seen[0][3]) == (4, 3)
    assert (version.release, version.trainer, version.episodes, version.seed) == (frozen.id, "ours", 1, 3)
    assert (version.validation_error, version.control_hz, version.bundle) == (0.25, 15.0, "")
    assert recorded.store.get(PolicyVersion, version.id) == version
    folder = recorded.shelf.fetch_local_copy(
        Blob(version.source.removeprefix(SHELF), 0, is_folder=True), recorded.cache
    )
    assert (folder / "sub" / "weights.bin").read_bytes() == b"weights"
    assert version.source.removeprefix(SHELF) in recorded.store.list_blobs(), "a sweep keeps it"
    assert len(trace(recorded, "p1").origins) == 2
    assert train_policy_version(recorded, "r1", name="p1", seed=3, trainer="ours").id == version.id


def test_module_and_function_name_a_script_beside_one(recorded, frozen, script):  # noqa: F811, ARG001
    before = list(sys.path)
    version = train_policy_version(recorded, "r1", name="p1", trainer=f"{script}:main")
    assert version.trainer == "our_trainer:main"
    assert sys.path == before, "where one works is searched only meanwhile"
    with pytest.raises(Refused, match="p1"):  # another trainer makes another policy
        train_policy_version(recorded, "r1", name="p1", trainer=f"{script}:broken")
    with pytest.raises(BadInput, match="left its folder empty"):
        train_policy_version(recorded, "r1", name="p2", trainer=f"{script}:idle")
    with pytest.raises(ValueError, match="out of memory"):
        train_policy_version(recorded, "r1", name="p3", trainer=f"{script}:broken")
    for wrong in (f"{script}:mian", "no_such_module:main", f"{script}:word"):
        with pytest.raises(BadInput, match=r"cannot be imported|is not a function"):
            train_policy_version(recorded, "r1", name="p4", trainer=wrong)
    assert [one.name for one in recorded.store.find(PolicyVersion)] == ["p1"]


@pytest.mark.parametrize("role", [Role.ENGINEER, Role.ADMIN])
def test_code_is_not_named_over_the_network(recorded, frozen, script, role):  # noqa: F811, ARG001
    with pytest.raises(Refused, match="names code to run"):
        train_policy_version(recorded.acting_as(Actor("eve", role)), "r1", trainer=f"{script}:main")


def test_a_bundle_is_stored_as_one_that_can_be_served(recorded, frozen, monkeypatch):  # noqa: F811, ARG001
    monkeypatch.setattr(trainers, "_FRAME_TRAINERS", {})

    def train(frames, held_out, folder, seed):  # noqa: ARG001 - what a trainer is given
        card = {"schema": "bundle/1", "name": "ours", "inputs": [], "action_names": ["x"], "control_hz": 12.0}
        (folder / "policy.onnx").write_bytes(b"onnx")
        (folder / "bundle.json").write_text(
            json.dumps(card | {"guard": {}, "guard_fingerprint": "g", "trainer": "ours"})
        )

    fl.register_trainer("ours", train)
    version = train_policy_version(recorded, "r1", name="p1", trainer="ours")
    assert version.bundle
    assert version.control_hz == 12.0


def test_names_that_would_be_lost_are_refused(monkeypatch):
    monkeypatch.setattr(trainers, "_FRAME_TRAINERS", {})
    for name in ("", "a:b", "reference"):
        with pytest.raises(BadInput):
            fl.register_trainer(name, lambda *_: None)


def test_the_workspace_of_python_opens_a_release(recorded, frozen):  # noqa: F811
    root, episodes = recorded.root, recorded.store.find(Episode)
    with fl.open(root) as ws:
        dataset = ws.open_dataset("r1", "train", streams=("joints", "action"), chunk=2, tensors=False)
    assert len(dataset.episodes) == len(frozen.train) < len(episodes)
    assert dataset[0]["action"].shape[0] == 2
