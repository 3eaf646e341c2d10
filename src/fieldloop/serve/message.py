"""Conversion of wire messages: observations by stream name in, an action with its timing out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.policy import Action, Input, Observation
from fieldloop.serve.bundle import Bundle

LEFTOVER, DELAY = "prev_chunk_left_over", "inference_delay"  # LeRobot's names
CHANNELS = (1, 3, 4)
"""Sizes of an axis that can hold a picture's colours."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a request states beside its observation: who sends it, in which episode, and until when it is of use."""

    robot: str = ""
    episode: str = ""
    resets: bool = False
    deadline_ms: float | None = None


def read_header(message: Mapping[str, Any]) -> Header:
    """Read who sends a request; all of it may be missing.

    >>> read_header({"episode": "e1", "reset": True})
    Header(robot='', episode='e1', resets=True, deadline_ms=None)
    """
    deadline_ms = message.get("deadline_ms")
    if deadline_ms is not None:
        if not isinstance(deadline_ms, int | float) or isinstance(deadline_ms, bool) or not deadline_ms > 0:
            raise BadInput(f"deadline_ms = {deadline_ms!r} is not a positive number of milliseconds.")
        deadline_ms = float(deadline_ms) if math.isfinite(deadline_ms) else None
    resets = message.get("reset", False)
    if not isinstance(resets, bool):
        raise BadInput(f"reset = {resets!r} is neither true nor false.")
    return Header(_read_text(message, "robot"), _read_text(message, "episode"), resets, deadline_ms)


def has_observation(message: Mapping[str, Any]) -> bool:
    """Return whether a message holds more than a request to reset."""
    return not message.keys() <= {"reset", "episode", "robot", "deadline_ms", "at_ns"}


def read_observation(message: Mapping[str, Any], bundle: Bundle, now_ns: int) -> Observation:
    """Read an observation; what the policy does not need is ignored.

    An input is found under its own name, in maps within maps (`images.cam_high` holds the input `images/cam_high`),
    by an alias of the card, and by its last part where that is unique (`camera/cam_high` takes it too). A picture may
    have its channels first or last.
    """
    values = _flatten_maps(message) if any(isinstance(v, dict) for v in message.values()) else message
    if bundle.aliases:
        values = {bundle.aliases[key]: value for key, value in values.items() if key in bundle.aliases} | dict(values)
    pictures: dict[str, NDArray[Any]] = {}
    signals: dict[str, NDArray[Any]] = {}
    missing = []
    for declared in bundle.inputs:
        key = declared.name if declared.name in values else _find_key(declared.name, bundle.inputs, values)
        if key is None:
            missing.append(declared.name)
            continue
        array = _read_array(declared, values[key])
        (pictures if array.ndim > 1 else signals)[declared.name] = array
    if missing:
        raise BadInput(
            f"The observation lacks {', '.join(missing)}; it holds {', '.join(map(str, values)) or 'nothing'}."
        )
    at_ns = message.get("at_ns", now_ns)
    if not isinstance(at_ns, int) or isinstance(at_ns, bool):
        raise BadInput(f"at_ns = {at_ns!r} is not a valid time in nanoseconds.")
    leftover, delay_steps = _read_leftover(message, bundle)
    return Observation(at_ns, pictures, signals, _read_prompt(message, bundle), leftover, delay_steps)


def write_action(action: Action, bundle: Bundle, timing: Mapping[str, float]) -> dict[str, Any]:
    """Write an action as a chunk, the way existing robot clients read it.

    The chunk is the only array: openpi's ActionChunkBroker slices every array of a reply.
    """
    chunk = action.chunk
    if len(chunk) < bundle.horizon:
        raise BadInput(f"The policy answered {len(chunk)} steps; its card promises {bundle.horizon}.")
    return {
        "actions": chunk.astype(np.float64, copy=False),
        "action_names": list(action.names),
        "confidence": action.confidence,
        "policy": bundle.policy,
        "policy_timing": {"infer_ms": timing["infer_ms"]},
        "server_timing": dict(timing),
    }


def _read_text(message: Mapping[str, Any], key: str) -> str:
    value = message.get(key, "")
    if not isinstance(value, str):
        raise BadInput(f"{key} = {value!r} is not a text.")
    return value


def _read_prompt(message: Mapping[str, Any], bundle: Bundle) -> str:
    if bundle.takes_prompt and "prompt" not in message:
        raise BadInput("The observation lacks prompt: this policy takes its task in words.")
    return _read_text(message, "prompt") if bundle.takes_prompt else ""


def _read_leftover(message: Mapping[str, Any], bundle: Bundle) -> tuple[NDArray[np.float64] | None, int]:
    """Read what real-time chunking sends: the rest of the last chunk, and how many steps of it the answer costs."""
    given, delay = message.get(LEFTOVER), message.get(DELAY, 0)
    if given is None:
        return None, 0
    if bundle.max_delay_steps is None:
        raise BadInput(
            "This policy was not trained to continue a chunk (supports_rtc is false in its metadata); "
            f"send no {LEFTOVER}."
        )
    leftover = np.asarray(given)
    if leftover.ndim == 3 and len(leftover) == 1:  # noqa: PLR2004 - LeRobot's has a batch axis
        leftover = leftover[0]
    if leftover.ndim != 2 or leftover.dtype.kind not in "fiu" or leftover.shape[1] != len(bundle.action_names):  # noqa: PLR2004 - rows of values
        raise BadInput(f"{LEFTOVER} has the shape {leftover.shape}, not (steps, {len(bundle.action_names)}).")
    if not np.isfinite(leftover).all():
        raise BadInput(f"{LEFTOVER} holds numbers that are not finite.")
    if not isinstance(delay, int | np.integer) or isinstance(delay, bool) or not 0 <= delay <= len(leftover):
        raise BadInput(f"{DELAY} = {delay!r} is not a number of steps from 0 to {len(leftover)}.")
    if delay > bundle.max_delay_steps:
        raise BadInput(
            f"A delay of {delay} steps is longer than the {bundle.max_delay_steps} that this policy was trained for. "
            "Execute the chunk to its end and ask without it."
        )
    return leftover.astype(np.float64), int(delay)


def _flatten_maps(message: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """Write maps within maps as one map.

    >>> _flatten_maps({"images": {"cam_high": 1}, "state": 2})
    {'images/cam_high': 1, 'state': 2}
    """
    flat: dict[str, Any] = {}
    for key, value in message.items():
        path = f"{place}{key}"
        if isinstance(value, dict):
            flat |= _flatten_maps(value, f"{path}/")
        else:
            flat[path] = value
    return flat


def _find_key(name: str, inputs: tuple[Input, ...], values: Mapping[str, Any]) -> str | None:
    """Return the key of an input under another spelling; None where there is none or more than one."""
    path = name.replace(".", "/")
    spelled = {key: str(key).replace(".", "/") for key in values}
    found = [key for key, other in spelled.items() if other == path]
    last = _get_last_part(path)
    if not found and sum(_get_last_part(i.name.replace(".", "/")) == last for i in inputs) == 1:
        own = {i.name for i in inputs}
        found = [key for key, other in spelled.items() if _get_last_part(other) == last and key not in own]
    return found[0] if len(found) == 1 else None


def _get_last_part(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _read_array(declared: Input, value: Any) -> NDArray[Any]:
    array = value if isinstance(value, np.ndarray) else _read_plain_numbers(declared, value)
    if array.dtype.kind == "f" and array.size and math.isnan(array.flat[0]) and np.isnan(array).all():
        raise BadInput(f"{declared.name!r} holds no number at all: every value is NaN.")
    return _turn_channels(array, declared.shape) if array.shape != declared.shape else array


def _turn_channels(array: NDArray[Any], wanted: tuple[int, ...]) -> NDArray[Any]:
    """Move a picture's channels to where the policy wants them; any other shape stays as it is.

    >>> _turn_channels(np.zeros((3, 8, 10)), (8, 10, 3)).shape, _turn_channels(np.zeros((8, 10, 3)), (3, 8, 10)).shape
    ((8, 10, 3), (3, 8, 10))
    """
    if array.ndim == len(wanted) == 3:  # noqa: PLR2004 - height, width, channels
        first, last = array.transpose(1, 2, 0), array.transpose(2, 0, 1)
        if first.shape == wanted and wanted[2] in CHANNELS:
            return first
        if last.shape == wanted and wanted[0] in CHANNELS:
            return last
    return array


def _read_plain_numbers(declared: Input, value: Any) -> NDArray[Any]:
    try:
        array = np.asarray(value, float)  # JSON: lists of numbers, null where there is none
    except (TypeError, ValueError) as wrong:
        raise BadInput(f"{declared.name!r} is not an array of numbers: {wrong}.") from wrong
    kept = array.astype(declared.dtype) if _fits_dtype(array, np.dtype(declared.dtype)) else None
    if kept is None:
        raise BadInput(f"{declared.name!r} holds numbers that are not {declared.dtype}.")
    return kept


def _fits_dtype(array: NDArray[np.float64], dtype: np.dtype[Any]) -> bool:
    if dtype.kind not in "iu":
        return True
    limits = np.iinfo(dtype)
    return bool(((array == np.round(array)) & (array >= limits.min) & (array <= limits.max)).all())
