"""Real-time chunking: the rest of the last chunk reaches what runs the policy, or is refused; it is never ignored."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from tests.serve import foreign_policies as theirs
from tests.serve import stand_ins
from tests.serve.test_every_engine import LEROBOT

from fieldloop.errors import BadInput
from fieldloop.model.policy import Observation
from fieldloop.serve.adding.lerobot_policy import describe_lerobot_policy
from fieldloop.serve.adding.onnx_file import describe_onnx
from fieldloop.serve.adding.server import describe_server
from fieldloop.serve.adding.settings import read_settings
from fieldloop.serve.adding.write import write_bundle_folder
from fieldloop.serve.engines import lerobot as engine_of
from fieldloop.serve.open_engine import open_engine

LEFTOVER = np.arange(9.0).reshape(3, 3)


def make_server_bundle(folder, address, **more):
    made = describe_server(address, "theirs", read_settings(stand_ins.REMOTE | more, "mine.toml"))
    write_bundle_folder(folder, *made, {}, "")
    return folder


def see(**changes):
    picture = np.zeros((6, 8, 3), np.uint8)
    return dataclasses.replace(Observation(0, {"image": picture}, {"state": np.ones(2)}, "pick"), **changes)


def test_a_remote_server_gets_the_rest_of_the_chunk_and_the_delay(tmp_path):
    heard = []

    def answer(message):
        heard.append(message)
        return stand_ins.answer_openpi(message)

    with stand_ins.run_openpi_server(answer) as address:
        engine = open_engine(make_server_bundle(tmp_path / "b", address, max_delay_steps=2))
        engine.act(see())
        engine.act(see(leftover=LEFTOVER, delay_steps=2))
        engine.close()
    assert "prev_chunk_left_over" not in heard[-2]
    np.testing.assert_array_equal(heard[-1]["prev_chunk_left_over"], LEFTOVER)
    assert heard[-1]["inference_delay"] == 2


def test_a_remote_server_that_does_not_continue_chunks_is_found_out(tmp_path):
    with stand_ins.run_openpi_server(metadata={"supports_rtc": False}) as address:
        folder = make_server_bundle(tmp_path / "b", address, max_delay_steps=2)
        with pytest.raises(BadInput, match=r"does not continue a chunk\. Leave max_delay_steps out"):
            open_engine(folder)


def test_an_engine_that_would_ignore_the_rest_of_a_chunk_does_not_promise_to_continue_it(tmp_path):
    path = theirs.write_onnx(tmp_path / "theirs.onnx")
    settings = theirs.settings()
    for delay in (None, 1):
        made = describe_onnx(path, "theirs", dataclasses.replace(settings, max_delay_steps=delay))
        write_bundle_folder(tmp_path / f"bundle-{delay}", *made, {}, "")
    with pytest.raises(BadInput, match=r"it would ignore the rest of the last one\. Leave max_delay_steps out"):
        open_engine(tmp_path / "bundle-1")
    engine = open_engine(tmp_path / "bundle-None")
    assert engine.bundle.metadata["supports_rtc"] is False
    with pytest.raises(BadInput, match="not trained to continue a chunk"):
        engine.act(Observation(0, {}, {}, leftover=LEFTOVER))


class Continuing:
    """Stands for a policy of LeRobot's that continues chunks: guidance follows a gradient, as LeRobot's does."""

    def __init__(self):
        self.config, self.began, self.asked = SimpleNamespace(rtc_config=None), 0, []

    def supports_rtc(self):
        return True

    def init_rtc_processor(self):
        self.began += 1

    def reset(self):
        pass

    def predict_action_chunk(self, batch, **more):
        import torch

        self.asked.append((set(batch), more))
        chunk = torch.zeros(1, 4, 3)
        if more.get("prev_chunk_left_over") is not None:
            with torch.enable_grad():
                leaf = batch["observation.state"].sum() * chunk.requires_grad_()
                torch.autograd.grad(leaf.sum(), chunk)
            chunk[:, :3] += more["prev_chunk_left_over"]
        return chunk


def open_library_engine(folder, monkeypatch, policy, **changes):
    path = theirs.write_lerobot(folder / "act", weights=theirs.draw_whole_act())
    bundle, _ = describe_lerobot_policy(path, "theirs", read_settings(LEROBOT, "mine.toml"))

    def normalise(batch):
        return batch | {"action": batch["action"] / 10 if "action" in batch else None}

    monkeypatch.setattr(engine_of, "_load_with_lerobot", lambda *_: (policy, normalise, lambda values: values * 10))
    bundle = dataclasses.replace(bundle, horizon=4, **changes)
    return engine_of.LibraryEngine(bundle, path, "cpu", ())


def observe(engine, **more):
    arrays = {i.name: np.ones(i.shape, i.dtype) for i in engine.bundle.inputs}
    pictures = {name: array for name, array in arrays.items() if array.ndim > 1}
    return Observation(0, pictures, {n: a for n, a in arrays.items() if a.ndim == 1}, **more)


def test_lerobot_continues_a_chunk_in_its_own_numbers(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fieldloop[torch]'")
    policy = Continuing()
    policy.config.rtc_config = SimpleNamespace(enabled=True)
    engine = open_library_engine(tmp_path, monkeypatch, policy, max_delay_steps=2)
    engine.act(observe(engine))
    answered = engine.act(observe(engine, leftover=LEFTOVER, delay_steps=1))
    (_, first), (fed, second) = policy.asked
    assert first == {}
    assert "action" not in fed, "the rest of the chunk is no input"
    assert second["inference_delay"] == 1
    torch.testing.assert_close(second["prev_chunk_left_over"], torch.from_numpy(LEFTOVER).float() / 10)
    np.testing.assert_allclose(answered.chunk[:3], LEFTOVER, atol=1e-5)


def test_a_policy_of_lerobot_that_cannot_continue_a_chunk_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fieldloop[torch]'")
    policy = SimpleNamespace(config=SimpleNamespace(), reset=lambda: None)
    with pytest.raises(BadInput, match="cannot continue a chunk"):
        open_library_engine(tmp_path, monkeypatch, policy, max_delay_steps=2)
