"""What every engine keeps, whatever runs the weights: one contract, tried on each of them.

PyTorch and ZeroMQ are extras: where they are not installed, their engines are skipped with that reason.
"""

from contextlib import ExitStack

import numpy as np
import pytest
from tests.serve import foreign_policies as theirs
from tests.serve import stand_ins
from tests.serve.hand_made_policy import write as write_own

from fieldloop.errors import BadInput
from fieldloop.model.finding import Status
from fieldloop.model.policy import Observation
from fieldloop.serve import probe_engine
from fieldloop.serve.adding.lerobot_policy import describe_lerobot_policy
from fieldloop.serve.adding.onnx_file import describe_onnx
from fieldloop.serve.adding.server import describe_server
from fieldloop.serve.adding.settings import read_settings
from fieldloop.serve.adding.torchscript_file import describe_torchscript
from fieldloop.serve.adding.write import write_bundle_folder
from fieldloop.serve.engine import BatchEngine, RememberingEngine
from fieldloop.serve.engines.groot import GrootEngine
from fieldloop.serve.open_engine import open_engine

KINDS = (
    "own onnx",
    "onnx",
    "onnx of batch 1",
    "torchscript",
    "lerobot act",
"openpi", "groot", "groot that remembers",
         "groot over zeromq")  # fmt: skip
LEROBOT = {"control_hz": 30, "action_names": ["a", "b", "c"]}


@pytest.fixture(scope="module", params=KINDS)
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("engine")
    with ExitStack() as stack:
        made = make_engine(request.param, folder, stack)
        yield made
        if hasattr(made, "close"):
            made.close()


def make_engine(kind, folder, stack):
    if kind == "own onnx":
        return open_engine(write_own(folder / "bundle"))
    if kind == "openpi":
        address = stack.enter_context(stand_ins.run_openpi_server())
        made = describe_server(address, "theirs", read_settings(stand_ins.REMOTE, "mine.toml"))
    elif kind in ("groot", "groot that remembers"):
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        server = stand_ins.GrootServer()
        patch.setattr(GrootEngine, "_exchange", lambda _self, data: server.reply(data))
        patch.setattr("fieldloop.serve.engines.groot.require_zmq", lambda: None)
        settings = stand_ins.groot_settings(remembers=kind.endswith("remembers"))
        made = describe_server("tcp://127.0.0.1:1", "theirs", read_settings(settings, "mine.toml"))
    elif kind == "groot over zeromq":
        pytest.importorskip("zmq", reason="pyzmq is not installed: pip install 'fieldloop[groot]'")
        address = stack.enter_context(stand_ins.run_groot_server(stand_ins.GrootServer("npy")))
        settings = stand_ins.groot_settings(encoding="npy")
        made = describe_server(address, "theirs", read_settings(settings, "mine.toml"))
    elif kind == "torchscript":
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fieldloop[torch]'")
        inputs = {"image": {"shape": [3, 6, 8]}, "state": {"shape": [2]}}
        path = theirs.write_torchscript(folder / "theirs.pt")
        made = describe_torchscript(path, "theirs", theirs.settings(inputs=inputs))
    elif kind == "lerobot act":
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fieldloop[torch]'")
        path = theirs.write_lerobot(folder / "act", weights=theirs.draw_whole_act())
        made = describe_lerobot_policy(path, "theirs", read_settings(LEROBOT, "mine.toml"))
    else:
        path = theirs.write_onnx(folder / "theirs.onnx", 1 if kind.endswith("1") else "N")
        made = describe_onnx(path, "theirs", theirs.settings())
    write_bundle_folder(folder / "bundle", *made, {}, "")
    return open_engine(folder / "bundle")


def observe(engine, seed, **changes):
    rng = np.random.default_rng(seed)
    arrays = {}
    for one in engine.bundle.inputs:
        whole = one.dtype == "uint8"
        arrays[one.name] = rng.integers(0, 256, one.shape, np.uint8) if whole else rng.random(one.shape)
        if one.dtype == "float32" and len(one.shape) > 1:
            arrays[one.name] = arrays[one.name].astype(np.float32)
    arrays |= changes
    pictures = {name: array for name, array in arrays.items() if array.ndim > 1}
    signals = {name: array for name, array in arrays.items() if array.ndim == 1}
    return Observation(seed, pictures, signals, "pick the cup" if engine.bundle.takes_prompt else "")


def signal_of(engine):
    return next(i for i in engine.bundle.inputs if len(i.shape) == 1)


def test_the_same_observation_gets_the_same_answer_and_another_gets_another(engine):
    first, again, other = (engine.act(observe(engine, seed)).values for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0
    assert np.isfinite(first).all()


def test_a_chunk_is_as_long_as_the_card_states_with_a_value_for_each_name(engine):
    action = engine.act(observe(engine, 1))
    assert action.chunk.shape == (engine.bundle.horizon, len(engine.bundle.action_names))
    assert action.names == engine.bundle.action_names
    assert action.latency_ms > 0


def test_a_batch_is_answered_as_its_members_in_their_order(engine):
    if not isinstance(engine, BatchEngine):
        pytest.skip("this engine answers one robot at a time")
    observed = [observe(engine, seed) for seed in (3, 1, 2)]
    together = engine.act_together(observed)
    for one, action in zip(observed, together, strict=True):
        np.testing.assert_allclose(action.values, engine.act(one).values, rtol=1e-4, atol=1e-5)


def test_what_does_not_fit_is_refused_by_name(engine):
    signal = signal_of(engine)
    with pytest.raises(BadInput, match=f"'{signal.name}' has the shape"):
        engine.act(observe(engine, 1, **{signal.name: np.zeros(signal.shape[0] + 1)}))
    picture = next(i for i in engine.bundle.inputs if len(i.shape) == 3)
    with pytest.raises(BadInput, match=f"'{picture.name}' is float64, the policy wants uint8|has the shape"):
        engine.act(
            observe(engine, 1, **{picture.name: np.zeros(picture.shape if picture.dtype == "uint8" else (2, 2, 2))})
        )
    whole = observe(engine, 1)
    with pytest.raises(BadInput, match=f"lacks '{picture.name}'"):
        engine.act(Observation(0, {}, whole.signals, whole.prompt))
    assert np.isfinite(engine.act(whole).values).all(), "a refusal leaves nothing behind"


def test_reset_forgets(engine):
    if not isinstance(engine, RememberingEngine):
        pytest.skip("this engine remembers nothing")
    first = engine.act(observe(engine, 1)).values
    engine.act(observe(engine, 2))
    engine.reset("another")
    np.testing.assert_array_equal(engine.act(observe(engine, 1)).values, first)


def test_numbers_that_are_not_finite_are_reported_and_not_hidden(engine):
    signal = signal_of(engine)
    answered = engine.act(observe(engine, 1, **{signal.name: np.full(signal.shape, np.nan)}))
    assert not np.isfinite(answered.values).all()
    if engine.bundle.takes_prompt:
        return  # a blank observation has no task
    assert probe_engine(engine, lambda: 0).status is Status.PASSED
