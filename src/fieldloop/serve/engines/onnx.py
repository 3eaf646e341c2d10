"""Run a policy bundle with ONNX Runtime in this process: our own graphs, and those of other makers."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.policy import Input
from fieldloop.serve.bundle import WEIGHTS, Bundle, read_bundle
from fieldloop.serve.engines.arrays import (
    ChunkEngine,
    Feed,
    get_first_line,
    run_trial_inference,
    select_input_array,
)

__all__ = ["OnnxEngine", "load_bundle", "select_input_array"]

ACTION, CONFIDENCE = "action", "confidence"
TYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(uint8)": "uint8",
    "tensor(int8)": "int8",
    "tensor(uint16)": "uint16",
    "tensor(int16)": "int16",
    "tensor(int32)": "int32",
    "tensor(int64)": "int64",
    "tensor(bool)": "bool",
}
PROVIDERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "cpu": ("CPUExecutionProvider", {}),
    "cuda": ("CUDAExecutionProvider", {}),
    "tensorrt": (
        "TensorrtExecutionProvider",
        {"trt_fp16_enable": True, "trt_layer_norm_fp32_fallback": True, "trt_engine_cache_enable": True},
    ),
}
"""Device → ONNX Runtime's provider with its options. TensorRT runs in FP16; what it cannot run, CUDA does."""


class OnnxEngine(ChunkEngine):
    """A policy in this process; it may be used by one thread at a time."""


def load_bundle(
    folder: Path, threads: int = 1, policy: str = "", computing: Mapping[str, Any] | None = None
) -> OnnxEngine:
    """Open a bundle; its card and its graph must agree on every input, type and output.

    `policy` is the id it is known by elsewhere; its content's own unless given. `computing` may name the device.
    """
    bundle = read_bundle(folder)
    weights = next(iter(bundle.files), WEIGHTS)
    session = open_session(folder / weights, threads, str((computing or {}).get("device", "cpu")))
    agreed = _check_inputs_agree(bundle, session, folder)
    run = _make_run(session, agreed, folder)
    reopen = (load_bundle, folder, threads, policy, computing)
    engine = OnnxEngine(replace(agreed, policy=policy or agreed.policy), run, reopen)
    run_trial_inference(engine, folder)
    return engine


def open_session(path: Path, threads: int = 1, device: str = "cpu") -> Any:
    """Open a graph on a device; a provider that falls back to another device is refused."""
    import onnxruntime

    if device not in PROVIDERS:
        raise BadInput(f"The device {device!r} is not known; ONNX Runtime runs on {', '.join(PROVIDERS)}.")
    wanted = PROVIDERS[device][0]
    if wanted not in onnxruntime.get_available_providers():
        raise BadInput(
            f"This ONNX Runtime has no {wanted}, so {device!r} is not possible here; it has "
            f"{', '.join(onnxruntime.get_available_providers())}. Install onnxruntime-gpu, or serve on 'cpu'."
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 3  # its warnings are about speed and would fill the terminal
    chain = [PROVIDERS[name] for name in ("tensorrt", "cuda", "cpu") if name in _list_fallbacks(device)]
    try:
        session = onnxruntime.InferenceSession(path.read_bytes(), options, providers=[(n, dict(o)) for n, o in chain])
    except Exception as wrong:  # onnxruntime raises classes of its own C++ module, with no base but Exception
        raise BadInput(f"{path} cannot be run: {get_first_line(wrong)}") from wrong
    if (used := session.get_providers()[0]) != wanted:
        raise BadInput(f"{path}: ONNX Runtime uses {used} instead of {wanted}. The GPU or its libraries are missing.")
    return session


def _list_fallbacks(device: str) -> tuple[str, ...]:
    """List a device with those that run what it cannot.

    >>> _list_fallbacks("tensorrt"), _list_fallbacks("cpu")
    (('tensorrt', 'cuda', 'cpu'), ('cpu',))
    """
    order = ("tensorrt", "cuda", "cpu")
    return order[order.index(device) :]


def _make_run(session: Any, bundle: Bundle, folder: Path) -> Callable[[Feed], Any]:
    """Return the function that runs the graph; one with a batch of exactly 1 is run once for each robot."""
    outputs = [node.name for node in session.get_outputs()]
    stated = bundle.options.get("output")
    if stated is None and not {ACTION, CONFIDENCE} <= set(outputs):
        raise BadInput(f"{folder}: the graph gives {sorted(outputs)}; it must give {ACTION!r} and {CONFIDENCE!r}.")
    if stated is not None and stated not in outputs:
        raise BadInput(f"{folder}: the card names the output {stated!r}; the graph gives {', '.join(outputs)}.")
    asked = [ACTION, CONFIDENCE] if stated is None else [stated]
    one_at_a_time = any(node.shape and node.shape[0] == 1 for node in session.get_inputs())

    def run(feed: Feed) -> Any:
        size = len(next(iter(feed.values())))
        parts = [{k: v[n : n + 1] for k, v in feed.items()} for n in range(size)] if one_at_a_time else [feed]
        found = [session.run(asked, part) for part in parts]
        joined = [
            np.concatenate([_make_batch(one[k], part) for one, part in zip(found, parts, strict=True)])
            for k in range(len(asked))
        ]
        return (joined[0], joined[1]) if len(joined) > 1 else joined[0]

    return run


def _make_batch(values: Any, feed: Feed) -> Any:
    """Give an answer without a batch axis one, so that answers can be joined."""
    array = np.asarray(values)
    size = len(next(iter(feed.values())))
    return array if array.ndim and len(array) == size else array[np.newaxis]


def _check_inputs_agree(bundle: Bundle, session: Any, folder: Path) -> Bundle:
    graph = {node.name: node for node in session.get_inputs()}
    declared = {i.name for i in bundle.inputs}
    if graph.keys() != declared:
        raise BadInput(f"{folder}: the graph takes {sorted(graph)}, the card declares {sorted(declared)}.")
    inputs = tuple(_check_input_agrees(i, graph[i.name], folder) for i in bundle.inputs)
    return replace(bundle, inputs=inputs)


def _check_input_agrees(declared: Input, node: Any, folder: Path) -> Input:
    where = f"{folder}: input {declared.name!r}"
    if TYPES.get(node.type) != declared.dtype:
        raise BadInput(
            f"{where} is {declared.dtype} in the bundle's card and {TYPES.get(node.type, node.type)} in the graph."
        )
    stated = len(declared.shape) == len(node.shape)  # a card may state the batch axis or leave it out
    sample, wanted = declared.shape[stated:], node.shape[1:]
    if len(sample) != len(wanted) or any(isinstance(w, int) and w != s for s, w in zip(sample, wanted, strict=True)):
        raise BadInput(f"{where} has the shape {declared.shape} in the bundle's card and {node.shape} in the graph.")
    return Input(declared.name, sample, declared.dtype)
