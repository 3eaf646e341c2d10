"""The exported graph answers as the learner does, and the bundle says all a robot must know."""

import hashlib
import json

import numpy as np
import onnxruntime
import pytest

from fieldloop.errors import UnknownName
from fieldloop.train import Trained, reference, register_trainer, train_policy, write_bundle
from fieldloop.train.samples import ACTION_NAMES, CAMERA, DEPTH

GUARD = {"min_confidence": 0.7, "max_force": 40.0}


@pytest.fixture(scope="module")
def trained(samples, settings):
    return train_policy(samples, settings, seed=1)


@pytest.fixture(scope="module")
def session(trained):
    return onnxruntime.InferenceSession(trained.model, providers=["CPUExecutionProvider"])


def written(folder, trained):
    return write_bundle(folder, trained, name="p1", release="r1", control_hz=10.0, guard=GUARD, guard_fingerprint="abc")


def test_runtime_and_numpy_agree(samples, settings, session):
    weights = reference.train_reference_policy(samples, settings, seed=1)
    pictures, depths = (np.concatenate([getattr(s, what) for s in samples]) for what in ("pictures", "depths"))
    depths = depths.copy()
    depths[0, 10:20] = np.nan
    pictures[1] = 0
    action, sure = session.run(["action", "confidence"], {CAMERA: pictures, DEPTH: depths})
    expected, surely = reference.predict_grasps(weights, pictures, depths)
    assert action.shape == (len(pictures), 6)
    assert np.abs(action - expected).max() < 1e-4
    assert np.abs(sure - surely).max() < 1e-4


def test_one_picture_at_a_time_is_the_same_as_many(samples, session):
    pictures, depths = (np.concatenate([getattr(s, what) for s in samples[:5]]) for what in ("pictures", "depths"))
    many, _ = session.run(None, {CAMERA: pictures, DEPTH: depths})
    one, _ = session.run(None, {CAMERA: pictures[2:3], DEPTH: depths[2:3]})
    assert np.allclose(many[2], one[0], atol=1e-6)


def test_inputs_are_named_like_their_streams_and_outputs_typed(session):
    assert {i.name: i.type for i in session.get_inputs()} == {CAMERA: "tensor(uint8)", DEPTH: "tensor(float)"}
    assert {o.name: o.type for o in session.get_outputs()} == {
        "action": "tensor(float)", "confidence": "tensor(float)",
    }  # fmt: skip


def test_a_bundle_holds_the_model_and_its_card(tmp_path, trained):
    folder = written(tmp_path / "bundle", trained)
    card = json.loads((folder / "bundle.json").read_text())
    assert sorted(p.name for p in folder.iterdir()) == ["bundle.json", "policy.onnx"]
    assert card["schema"] == "bundle/2"
    assert card["action_names"] == list(ACTION_NAMES)
    assert (card["guard"], card["guard_fingerprint"], card["control_hz"]) == (GUARD, "abc", 10.0)
    assert card["inputs"][0] == {"name": CAMERA, "shape": [120, 160, 3], "dtype": "uint8"}
    assert card["files"] == {"policy.onnx": hashlib.sha256((folder / "policy.onnx").read_bytes()).hexdigest()}


def test_the_same_training_gives_the_same_bytes(tmp_path, samples, settings, trained):
    one, two = written(tmp_path / "one", trained), written(tmp_path / "two", train_policy(samples, settings, seed=1))
    for name in ("policy.onnx", "bundle.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_another_trainer_joins_by_one_call(samples, settings):
    def lazy(samples, _settings, seed, _validation):
        return Trained("lazy", b"model", (), ACTION_NAMES, 0.5, len(samples), seed)

    register_trainer("lazy", lazy)
    made = train_policy(samples, settings, 4, trainer="lazy")
    assert (made.trainer, made.episodes, made.seed) == ("lazy", len(samples), 4)
    with pytest.raises(UnknownName, match="Did you mean 'lazy'"):
        train_policy(samples, settings, 4, trainer="lasy")
