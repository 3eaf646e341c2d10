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
        return load, self._source

    @property
    def bundle(self) -> Bundle:
        """The card of the policy's bundle."""
        return self._bundle

    def act(self, observation: Observation) -> Action:
        """Answer one observation; what does not fit the inputs is refused by name."""
        began = time.perf_counter_ns()
        seen = {**observation.signals, **observation.pictures}
        feed = {i.name: fit_array(i, seen)[np.newaxis] for i in self._bundle.inputs}
        values, confidence = self._session.run([ACTION, CONFIDENCE], feed)
        latency_ms = (time.perf_counter_ns() - began) / 1e6
        names = self._bundle.action_names
        return Action(names, np.asarray(values[0], np.float64), _valid_confidence(confidence[0]), latency_ms)


def load(folder: Path, threads: int = 1, policy: str = "") -> OnnxEngine:
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
        raise BadInput(f"{folder / WEIGHTS} cannot be run: {_first_line(wrong)}") from wrong
    agreed = _check_inputs_agree(bundle, session, folder)
    engine = OnnxEngine(replace(agreed, policy=policy or agreed.policy), session, (folder, threads, policy))
    _try_once(engine, folder)
    return engine


def fit_array(wanted: Input, seen: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Return the array for one input: right shape, right type, nothing rounded or wrapped."""
    if wanted.name not in seen:
        raise BadInput(f"The observation lacks {wanted.name!r}; it holds {', '.join(sorted(seen)) or 'nothing'}.")
    array = np.asarray(seen[wanted.name])
    if array.shape != wanted.shape:
        raise BadInput(f"{wanted.name!r} has the shape {array.shape}, the policy wants {wanted.shape}.")
    if not np.can_cast(array.dtype, wanted.dtype, "same_kind"):
        raise BadInput(f"{wanted.name!r} is {array.dtype}, the policy wants {wanted.dtype}.")
    return np.ascontiguousarray(array, wanted.dtype)


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


def _try_once(engine: OnnxEngine, folder: Path) -> None:
    from fieldloop.serve.engine import blank

    try:
        values = engine.act(blank(engine.bundle.inputs)).values
    except Exception as wrong:  # a graph that loads may still not run
        raise BadInput(f"{folder}: the policy fails on a blank observation: {_first_line(wrong)}") from wrong
    if values.shape != (len(engine.bundle.action_names),):
        raise BadInput(f"{folder}: an action has the shape {values.shape}, names are {engine.bundle.action_names}.")


def _valid_confidence(confidence: Any) -> float | None:
    value = float(np.asarray(confidence).reshape(-1)[0])
    return value if 0.0 <= value <= 1.0 else None  # NaN or out of range: unknown


def _first_line(wrong: Exception) -> str:
    return (str(wrong).strip().splitlines() or [type(wrong).__name__])[0]
