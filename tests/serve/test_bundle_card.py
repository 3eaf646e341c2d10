"""A bundle's card: an old one stays readable, a new one is believed only as far as its bytes agree."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.serve.hand_made_policy import GUARD, INPUTS, NAMES, expected, write

from fieldloop.errors import BadInput, Refused
from fieldloop.model.policy import Observation
from fieldloop.serve.bundle import SCHEMA, read_bundle
from fieldloop.serve.digests import hash_file
from fieldloop.serve.message import read_observation
from fieldloop.serve.open_engine import open_engine
from fieldloop_robot.guard import fingerprint_limits

OLD = Path(__file__).parent / "old_bundle"
OLD_ID = "64a8c14287772dac09beba686d7122b3b37ea79499255157b92a97b6c3f77b4b"


def write_second(folder, **changes):
    """The hand-made policy under a card of the second schema."""
    write(folder)
    card = {
        "schema": SCHEMA, "name": "hand-made", "version": "2", "release": "", "trainer": "none", "engine": "onnx",
        "inputs": [{"name": n, "shape": list(s), "dtype": d} for n, s, d in INPUTS], "action_names": list(NAMES),
        "control_hz": 10.0, "horizon": 1, "takes_prompt": False, "max_delay_steps": None, "replan_steps": None,
        "normaliser": "inside",
        "aliases": {"top": "camera/overhead"}, "layouts": {"camera/overhead": "HWC"}, "options": {}, "units": {},
        "files": {"policy.onnx": hash_file(folder / "policy.onnx")}, "guard": GUARD,
        "guard_fingerprint": fingerprint_limits(GUARD),
    } | changes  # fmt: skip
    (folder / "bundle.json").write_text(json.dumps({k: v for k, v in card.items() if v != "left out"}))
    return folder


def seen(picture):
    return Observation(0, {"top": picture, "depth/overhead": np.ones((8, 10), np.float32)}, {"joints": np.ones(6)})


def test_a_bundle_of_the_first_schema_stays_readable_under_its_id():
    bundle = read_bundle(OLD)
    assert bundle.policy == OLD_ID
    assert (bundle.engine, bundle.horizon, bundle.aliases, bundle.max_delay_steps) == ("onnx", 1, {}, None)
    assert open_engine(OLD).bundle.action_names == NAMES


def test_a_second_card_answers_under_an_alias_and_in_the_other_layout(tmp_path):
    engine = open_engine(write_second(tmp_path))
    picture = np.random.default_rng(0).integers(0, 256, (8, 10, 3), dtype=np.uint8)
    one, other = engine.act(seen(picture)), engine.act(seen(np.moveaxis(picture, -1, 0)))
    values, _ = expected(picture, np.ones((8, 10)), np.ones(6))
    np.testing.assert_allclose(one.values, values, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(one.values, other.values)
    assert engine.bundle.metadata["version"] == "2"


def test_the_card_is_written_as_it_was_read(tmp_path):
    bundle = read_bundle(write_second(tmp_path))
    assert bundle.make_card() == json.loads((tmp_path / "bundle.json").read_text())


def test_a_changed_byte_of_the_weights_is_refused(tmp_path):
    write_second(tmp_path)
    data = bytearray((tmp_path / "policy.onnx").read_bytes())
    data[-1] ^= 1
    (tmp_path / "policy.onnx").write_bytes(data)
    with pytest.raises(Refused, match=r"has the SHA-256 [0-9a-f]{64}, its card states"):
        open_engine(tmp_path)
    assert read_bundle(tmp_path, verify=False).engine == "onnx"


def test_the_digest_of_a_first_card_counts_where_it_states_one(tmp_path):
    write(tmp_path, model_sha256="0" * 64)
    with pytest.raises(Refused, match="damaged or was exchanged"):
        read_bundle(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"normaliser": "left out"}, "states no normaliser"),
        ({"normaliser": {"inputs": {"wrist": {"mode": "mean_std"}}}}, "names wrist, which the policy does not take"),
        ({"normaliser": {"inputs": {"joints": {"mode": "mean_std", "mean": [0]}}}}, "needs std"),
        ({"normaliser": {"inputs": {"joints": {"mode": "min_max", "min": [0] * 5, "max": [1] * 5}}}}, "of shape"),
        ({"normaliser": {"action": {"mode": "quantiles", "q01": [1] * 6, "q99": [0] * 6}}}, "q01 is above q99"),
        ({"normaliser": {"action": {"mode": "mean_std", "mean": [float("nan")] * 6, "std": [1] * 6}}}, "not finite"),
        ({"normaliser": {"action": {"mode": "zscore"}}}, "'zscore' is not a way to normalise"),
        ({"horizon": 0}, "horizon = 0"),
        ({"horizon": 2}, "an action has the shape"),
        ({"max_delay_steps": 1}, "below the horizon of 1"),
        ({"replan_steps": 2}, "from 1 to the horizon of 1"),
        ({"replan_steps": 0}, "from 1 to the horizon of 1"),
        ({"aliases": {"top": "wrist"}}, "which is not an input"),
        ({"layouts": {"joints": "HCW"}}, "laid out HWC or CHW"),
        ({"files": {"../policy.onnx": "0" * 64}}, "outside the folder"),
        ({"files": {"policy.onnx": ""}}, "SHA-256 of each"),
        ({"files": {"other.onnx": "0" * 64}}, r"other\.onnx is missing"),
        ({"engine": "caffe"}, "needs the engine 'caffe'; this fieldloop has"),
    ],
)
def test_a_second_card_that_is_wrong_says_where(tmp_path, changes, message):
    with pytest.raises((BadInput, Refused), match=message):
        open_engine(write_second(tmp_path, **changes))


def test_a_normaliser_of_the_card_scales_inputs_and_undoes_the_action(tmp_path):
    plain = open_engine(write_second(tmp_path / "plain"))
    table = {
        "inputs": {"joints": {"mode": "mean_std", "mean": [1.0] * 6, "std": [2.0] * 6}},
        "action": {"mode": "min_max", "min": [0.0] * 6, "max": [10.0] * 6},
    }
    scaled = open_engine(write_second(tmp_path / "scaled", normaliser=table))
    picture = np.zeros((8, 10, 3), np.uint8)
    given = Observation(0, dict(seen(picture).pictures), {"joints": np.full(6, 5.0)})
    inner = Observation(0, dict(seen(picture).pictures), {"joints": np.full(6, 2.0)})
    np.testing.assert_allclose(scaled.act(given).values, plain.act(inner).values * 5 + 5, rtol=1e-5, atol=1e-6)


def test_a_request_may_name_an_input_by_its_alias_and_its_own_name_counts_first(tmp_path):
    bundle = open_engine(write_second(tmp_path, aliases={"eye": "camera/overhead"})).bundle
    ones, twos = (np.full((8, 10, 3), n, np.uint8) for n in (1, 2))
    rest = {"depth/overhead": np.ones((8, 10), np.float32), "joints": np.ones(6)}
    read = read_observation({"eye": ones, **rest}, bundle, 0)
    np.testing.assert_array_equal(read.pictures["camera/overhead"], ones)
    both = read_observation({"eye": ones, "camera/overhead": twos, **rest}, bundle, 0)
    np.testing.assert_array_equal(both.pictures["camera/overhead"], twos)
