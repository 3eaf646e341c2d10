"""Run a policy bundle with ONNX Runtime in this process."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.policy import Action, Input, Observation
from fieldloop.serve.bundle import WEIGHTS, Bundle, read_bundle

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


class OnnxEngine:
    """A policy in this process; it may be used by one thread at a time."""

    def __init__(self, bundle: Bundle, session: Any, source: tuple[Path, int, str]) -> None:
        """Take a card and an open session that were checked against each other (`load`), and what was loaded."""
        self._bundle, self._session, self._source = bundle, session, source

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as the bundle's folder: a session cannot."""
        return load_bundle, self._source

    @property
    def bundle(self) -> Bundle:
        """The card of the policy's bundle."""
        return self._bundle

    def act(self, observation: Observation) -> Action:
        """Answer one observation; what does not fit the inputs is refused by name."""
        began = time.perf_counter_ns()
        seen = {**observation.signals, **observation.pictures}
        feed = {i.name: select_input_array(i, seen)[np.newaxis] for i in self._bundle.inputs}
        values, confidence = self._session.run([ACTION, CONFIDENCE], feed)
        latency_ms = (time.perf_counter_ns() - began) / 1e6
        names = self._bundle.action_names
        return Action(names, np.asarray(values[0], np.float64), _read_confidence(confidence[0]), latency_ms)


def load_bundle(folder: Path, threads: int = 1, policy: str = "") -> OnnxEngine:
    """Open a bundle; its card and its graph must agree on every input, type and output.

    `policy` is the id it is known by elsewhere; its content's own unless given.
    """
    import onnxruntime

    bundle = read_bundle(folder)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 3  # its warnings are about speed and would fill the terminal
    try:
        session = onnxruntime.InferenceSession(
            (folder / WEIGHTS).read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as wrong:  # onnxruntime raises classes of its own C++ module, with no base but Exception
        raise BadInput(f"{folder / WEIGHTS} cannot be run: {_get_first_line(wrong)}") from wrong
    agreed = _check_inputs_agree(bundle, session, folder)
    engine = OnnxEngine(replace(agreed, policy=policy or agreed.policy), session, (folder, threads, policy))
    _run_trial_inference(engine, folder)
    return engine


def select_input_array(declared_input: Input, observed_arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Return the array for one input: right shape, right type, nothing rounded or wrapped."""
    if declared_input.name not in observed_arrays:
        raise BadInput(
            f"The observation lacks {declared_input.name!r}; it holds "
            f"{', '.join(sorted(observed_arrays)) or 'nothing'}."
        )
    array = np.asarray(observed_arrays[declared_input.name])
    if array.shape != declared_input.shape:
        raise BadInput(f"{declared_input.name!r} has the shape {array.shape}, the policy wants {declared_input.shape}.")
    if not np.can_cast(array.dtype, declared_input.dtype, "same_kind"):
        raise BadInput(f"{declared_input.name!r} is {array.dtype}, the policy wants {declared_input.dtype}.")
    return np.ascontiguousarray(array, declared_input.dtype)


def _check_inputs_agree(bundle: Bundle, session: Any, folder: Path) -> Bundle:
    graph = {node.name: node for node in session.get_inputs()}
    declared = {i.name for i in bundle.inputs}
    if graph.keys() != declared:
        raise BadInput(f"{folder}: the graph takes {sorted(graph)}, the card declares {sorted(declared)}.")
    outputs = {node.name for node in session.get_outputs()}
    if not {ACTION, CONFIDENCE} <= outputs:
        raise BadInput(f"{folder}: the graph gives {sorted(outputs)}; it must give {ACTION!r} and {CONFIDENCE!r}.")
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


def _run_trial_inference(engine: OnnxEngine, folder: Path) -> None:
    from fieldloop.serve.engine import make_blank_observation

    try:
        values = engine.act(make_blank_observation(engine.bundle.inputs)).values
    except Exception as wrong:  # a graph that loads may still not run
        raise BadInput(f"{folder}: the policy fails on a blank observation: {_get_first_line(wrong)}") from wrong
    if values.shape != (len(engine.bundle.action_names),):
        raise BadInput(f"{folder}: an action has the shape {values.shape}, names are {engine.bundle.action_names}.")


def _read_confidence(confidence: Any) -> float | None:
    value = float(np.asarray(confidence).reshape(-1)[0])
    return value if 0.0 <= value <= 1.0 else None  # NaN or out of range: unknown


def _get_first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
