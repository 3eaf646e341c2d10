"""Where a policy computes is a setting of the machine; a device that is missing is refused, never replaced quietly."""

import numpy as np
import onnxruntime
import pytest
from tests.serve import foreign_policies as theirs
from tests.serve.test_bundle_card import seen, write_second

from fieldloop.errors import BadInput
from fieldloop.protocol import default_operations
from fieldloop.serve.engines.onnx import PROVIDERS, load_bundle
from fieldloop.serve.open_engine import COMPUTING, open_engine


@pytest.mark.parametrize("device", ["cuda", "tensorrt"])
def test_a_gpu_answers_as_the_processor_does_or_is_refused(tmp_path, device):
    folder = write_second(tmp_path)
    if PROVIDERS[device][0] not in onnxruntime.get_available_providers():
        with pytest.raises(BadInput, match=f"'{device}' is not possible here; it has .*CPUExecutionProvider"):
            load_bundle(folder, computing={"device": device})
        pytest.skip(f"this ONNX Runtime has no {PROVIDERS[device][0]}: the GPU's answers are untested here")
    picture = np.random.default_rng(0).integers(0, 256, (8, 10, 3), np.uint8)
    one, other = (load_bundle(folder, computing={"device": d}).act(seen(picture)).values for d in ("cpu", device))
    np.testing.assert_allclose(one, other, rtol=1e-2, atol=1e-2)  # FP16


def test_an_unknown_device_is_refused(tmp_path):
    with pytest.raises(BadInput, match="The device 'tpu' is not known"):
        open_engine(write_second(tmp_path), computing={"device": "tpu"})


def test_the_settings_name_a_device_a_mode_and_a_precision():
    settings = default_operations()["serve"]
    assert {name: settings[name] for name in COMPUTING} == {
        "device": "cpu", "torch_mode": "eager", "precision": "float32", "max_batch": settings["max_batch"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("computing", "message"),
    [
        ({"torch_mode": "fast"}, "The mode 'fast' is not known"),
        ({"torch_mode": "cuda_graph"}, "needs a GPU; on 'cpu' use 'eager' or 'compiled'"),
        ({"precision": "int4"}, "The precision 'int4' is not known"),
        ({"device": "cuda"}, "sees no GPU"),
    ],
)
def test_pytorch_refuses_what_it_cannot_do(tmp_path, computing, message):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fieldloop[torch]'")
    if computing == {"device": "cuda"} and torch.cuda.is_available():
        pytest.skip("a GPU is there")
    from fieldloop.serve.engines.act import open_act

    folder = theirs.write_lerobot(tmp_path, weights=theirs.draw_whole_act())
    with pytest.raises(BadInput, match=message):
        open_act(folder, computing)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # inside PyTorch's own compiler
@pytest.mark.parametrize("mode", ["eager", "compiled"])
def test_pytorch_answers_the_same_in_every_mode(mode):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fieldloop[torch]'")
    from fieldloop.serve.engines.torch_runner import TorchRunner

    rows = np.random.default_rng(0).random((3, 4), np.float32)
    runner = TorchRunner(lambda feed: torch.tanh(feed["x"]) * 2, mode=mode)
    runner.prepare({"x": rows[:1]}, 3)
    np.testing.assert_allclose(runner.run({"x": rows}), np.tanh(rows) * 2, rtol=1e-5)
