"""Conversion of wire messages: observations by stream name in, an action with its timing out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.policy import Action, Input, Observation
from fieldloop.serve.bundle import Bundle


def read_observation(message: Mapping[str, Any], inputs: tuple[Input, ...], now_ns: int) -> Observation:
    """Read an observation; streams the policy does not need are ignored."""
    arrays = {i.name: _read_array(i, message[i.name]) for i in inputs if i.name in message}
    at_ns = message.get("at_ns", now_ns)
    if not isinstance(at_ns, int) or isinstance(at_ns, bool):
        raise BadInput(f"at_ns = {at_ns!r} is not a valid time in nanoseconds.")
    if missing := [i.name for i in inputs if i.name not in arrays]:
        raise BadInput(
            f"The observation lacks {', '.join(missing)}; it holds {', '.join(map(str, message)) or 'nothing'}."
        )
    pictures = {name: a for name, a in arrays.items() if a.ndim > 1}
    return Observation(at_ns, pictures, {name: a for name, a in arrays.items() if a.ndim <= 1})


def write_action(action: Action, bundle: Bundle, server_timing: Mapping[str, float]) -> dict[str, Any]:
    """Write an action as a chunk, the way existing robot clients read it."""
    return {
        "actions": action.chunk.astype(np.float64),
        "action_names": list(action.names),
        "confidence": action.confidence,
        "policy": bundle.policy,
        "server_timing": dict(server_timing),
    }


def _read_array(declared_input: Input, value: Any) -> NDArray[Any]:
    if isinstance(value, np.ndarray):
        return value
    try:
        array = np.asarray(value, float)  # JSON: lists of numbers, null where there is none
    except (TypeError, ValueError) as wrong:
        raise BadInput(f"{declared_input.name!r} is not an array of numbers: {wrong}.") from wrong
    kept = array.astype(declared_input.dtype) if _fits_dtype(array, np.dtype(declared_input.dtype)) else None
    if kept is None:
        raise BadInput(f"{declared_input.name!r} holds numbers that are not {declared_input.dtype}.")
    return kept


def _fits_dtype(array: NDArray[np.float64], dtype: np.dtype[Any]) -> bool:
    if dtype.kind not in "iu":
        return True
    limits = np.iinfo(dtype)
    return bool(((array == np.round(array)) & (array >= limits.min) & (array <= limits.max)).all())
