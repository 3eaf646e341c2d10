"""The engine gives the graph's own numbers, and names whatever does not fit."""

import json

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serve.hand_made_policy import NAMES, expected, graph, write

from fieldloop.errors import BadInput
from fieldloop.model.finding import Status
from fieldloop.model.policy import Observation
from fieldloop.serve import probe_engine, read_bundle
from fieldloop.serve.engine import make_blank_observation
from fieldloop.serve.engines.onnx import load_bundle
from fieldloop_robot.guard import GuardLimits


def seen(rng, **changes):
    arrays = {
        "camera/overhead": rng.integers(0, 256, (8, 10, 3), dtype=np.uint8),
        "depth/overhead": rng.random((8, 10), dtype=np.float32),
        "joints": rng.normal(size=6),
    } | changes
    return Observation(
        1, {k: v for k, v in arrays.items() if v.ndim > 1}, {k: v for k, v in arrays.items() if v.ndim == 1}
    )


@given(st.integers(0, 2**32 - 1))
def test_answers_equal_the_same_arithmetic_in_numpy(engine, seed):
    observation = seen(np.random.default_rng(seed))
    action = engine.act(observation)
    values, confidence = expected(*observation.pictures.values(), observation.signals["joints"])
    assert action.names == NAMES
    np.testing.assert_allclose(action.values, values, rtol=1e-4, atol=1e-5)
    assert action.confidence == pytest.approx(confidence, abs=1e-6)
    assert action.latency_ms > 0


def test_the_cards_guard_limits_are_those_that_were_approved(engine):
    limits = GuardLimits.from_json(engine.bundle.guard, engine.bundle.guard_fingerprint)
    assert limits.min_confidence == 0.7


def test_the_policys_id_follows_its_content(tmp_path, engine):
    assert read_bundle(write(tmp_path / "same")).policy == engine.bundle.policy
    assert read_bundle(write(tmp_path / "other", control_hz=20.0)).policy != engine.bundle.policy
    assert load_bundle(tmp_path / "same", policy="policy_1").bundle.policy == "policy_1"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"joints": np.zeros(7)}, r"'joints' has the shape \(7,\), the policy wants \(6,\)"),
        ({"camera/overhead": np.zeros((8, 10, 3))}, "'camera/overhead' is float64, the policy wants uint8"),
        ({"camera/overhead": np.zeros((10, 8, 3), np.uint8)}, "has the shape"),
    ],
)
def test_an_observation_that_does_not_fit_is_refused_by_name(engine, changes, message):
    with pytest.raises(BadInput, match=message):
        engine.act(seen(np.random.default_rng(0), **changes))


def test_a_missing_stream_is_named(engine):
    with pytest.raises(BadInput, match="lacks 'camera/overhead'; it holds joints"):
        engine.act(Observation(0, {}, {"joints": np.zeros(6)}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "bundle/9"}, "reads 'bundle/1'"),
        ({"schema": None}, "reads 'bundle/1'"),
        ({"control_hz": None}, "control_hz is missing"),
        ({"control_hz": 0}, "is not a valid rate"),
        ({"control_hz": "10"}, "control_hz is '10'"),
        ({"action_names": []}, "distinct names"),
        ({"action_names": ["x", "x"]}, "distinct names"),
        ({"action_names": ["x", "y"]}, "an action has the shape"),
        ({"guard": None}, "guard is missing"),
        ({"inputs": [{"name": "joints", "shape": [6], "dtype": "float32"}]}, "the card declares"),
        ({"inputs": [{"name": "joints", "shape": [6]}]}, "not an input with name"),
        ({"inputs": [{"name": "joints", "shape": [-6, 0], "dtype": "float32"}]}, "whole sizes"),
    ],
)
def test_a_card_that_is_wrong_says_where(tmp_path, changes, message):
    with pytest.raises(BadInput, match=message):
        load_bundle(write(tmp_path, **changes))


@pytest.mark.parametrize(
    ("place", "change", "message"),
    [
        (2, {"shape": [7]}, "in the bundle's card and"),
        (0, {"dtype": "float32"}, "in the bundle's card and uint8 in the graph"),
    ],
)
def test_card_and_graph_must_agree(tmp_path, place, change, message):
    folder = write(tmp_path)
    card = json.loads((folder / "bundle.json").read_text())
    card["inputs"][place] |= change
    with pytest.raises(BadInput, match=message):
        load_bundle(write(tmp_path, inputs=card["inputs"]))


def test_a_card_may_tell_the_batch_axis(tmp_path):
    folder = write(tmp_path)
    card = json.loads((folder / "bundle.json").read_text())
    for row, batch in zip(card["inputs"], (1, "N", None), strict=True):
        row["shape"] = [batch, *row["shape"]]
    engine = load_bundle(write(tmp_path, inputs=card["inputs"]))
    assert [i.shape for i in engine.bundle.inputs] == [(8, 10, 3), (8, 10), (6,)]


def test_a_graph_without_confidence_is_refused(tmp_path):
    model = graph()
    model.graph.output.pop()
    with pytest.raises(BadInput, match="must give 'action' and 'confidence'"):
        load_bundle(write(tmp_path, model))


@pytest.mark.parametrize("cut", [0, 100])
def test_a_truncated_graph_is_refused(tmp_path, cut):
    folder = write(tmp_path)
    (folder / "policy.onnx").write_bytes((folder / "policy.onnx").read_bytes()[:cut])
    with pytest.raises(BadInput, match=r"policy\.onnx cannot be run|the graph takes \[\]"):
        load_bundle(folder)


def test_a_folder_that_is_no_bundle_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"bundle\.json is missing"):
        load_bundle(tmp_path)
    (write(tmp_path) / "bundle.json").write_text("{")
    with pytest.raises(BadInput, match="not valid JSON"):
        load_bundle(tmp_path)


def scaled(by):
    model = graph()
    constant = next(c for c in model.graph.initializer if c.name == "full")
    constant.CopyFrom(onnx.numpy_helper.from_array(np.float32(by), "full"))
    return model


def test_health_is_a_real_inference(engine, tmp_path):
    ticks = iter([1_000_000, 4_500_000])
    health = probe_engine(engine, lambda: next(ticks))
    assert (health.status, health.latency_ms, health.at_ns) == (Status.PASSED, 3.5, 1_000_000)
    broken = load_bundle(write(tmp_path, scaled(by=0.0)))  # 0/0 on a blank picture
    assert probe_engine(broken, lambda: 0).status is Status.FAILED
    assert broken.act(make_blank_observation(broken.bundle.inputs)).confidence is None


def test_health_of_a_policy_that_breaks_is_errored(engine):
    class Broken:
        bundle = engine.bundle

        def act(self, _observation):
            raise RuntimeError("out of memory")

    health = probe_engine(Broken(), lambda: 0)
    assert (health.status, health.latency_ms) == (Status.ERRORED, None)
    assert "out of memory" in health.message
