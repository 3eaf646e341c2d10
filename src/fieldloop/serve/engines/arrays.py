"""What engines share: an observation becomes a batch of arrays, and rows of numbers become actions."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput, FieldloopError
from fieldloop.model.policy import Action, Input, Observation
from fieldloop.serve.bundle import Bundle
from fieldloop.serve.engine import make_blank_observation
from fieldloop.serve.normaliser import read_normaliser

Feed = dict[str, NDArray[Any]]
PICTURE_AXES = 3
NO_LEFTOVER = (
    "This policy was not trained to continue a chunk (supports_rtc is false in its metadata). "
    "Send the observation without the rest of the last chunk."
)


class ChunkEngine:
    """A policy that maps named arrays to rows of actions; it may be used by one thread at a time."""

    def __init__(self, bundle: Bundle, run: Callable[[Feed], Any], reopen: tuple[Any, ...]) -> None:
        """Take a card, a function from a batch of arrays to answers, and how to open the same bundle anew.

        Answers are [batch, horizon, values], or a pair of these and a confidence for each row of the batch.
        """
        self._bundle, self._run, self._reopen = bundle, run, reopen
        refuse_promised_delay(bundle)
        self._read_normaliser()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as the bundle's folder: a session cannot."""
        opener, *arguments = self._reopen
        return opener, tuple(arguments)

    @property
    def bundle(self) -> Bundle:
        """The card of the policy's bundle."""
        return self._bundle

    def act(self, observation: Observation) -> Action:
        """Answer one observation; what does not fit the inputs is refused by name."""
        return self.act_together((observation,))[0]

    def act_together(self, observations: Sequence[Observation]) -> tuple[Action, ...]:
        """Answer several robots in one pass, in their order."""
        began = time.perf_counter_ns()
        rows = [select_inputs(self._bundle, one) for one in observations]
        feed = {i.name: np.stack([row[i.name] for row in rows]) for i in self._bundle.inputs}
        found = self._run(self._normalise(feed))
        values, sure = found if isinstance(found, tuple) else (found, None)
        answers = check_answers(np.asarray(values), self._bundle, len(observations))
        if self._normaliser and self._normaliser.action:
            answers = self._normaliser.action.undo(answers)
        latency_ms = (time.perf_counter_ns() - began) / 1e6
        return tuple(self._make_action(chunk, sure, n, latency_ms) for n, chunk in enumerate(answers))

    def _make_action(self, chunk: NDArray[np.float64], sure: Any, n: int, latency_ms: float) -> Action:
        confidence = None if sure is None else _read_confidence(sure[n])
        return Action(self._bundle.action_names, chunk if len(chunk) > 1 else chunk[0], confidence, latency_ms)

    def _read_normaliser(self) -> None:
        shapes = {i.name: i.shape for i in self._bundle.inputs}
        names, where = self._bundle.action_names, self._bundle.name or "the card"
        self._normaliser = read_normaliser(self._bundle.normaliser, shapes, len(names), where)

    def _normalise(self, feed: Feed) -> Feed:
        if self._normaliser is None:
            return feed
        scaled = {name: one.normalise(feed[name]).astype(np.float32) for name, one in self._normaliser.inputs.items()}
        return feed | scaled


def check_answers(values: NDArray[Any], bundle: Bundle, size: int) -> NDArray[np.float64]:
    """Return the answers as [batch, horizon, values]; a policy of horizon 1 may leave that axis out."""
    wanted = (size, bundle.horizon, len(bundle.action_names))
    if values.shape == (wanted[0], wanted[2]) and bundle.horizon == 1:
        values = values[:, np.newaxis]
    if values.shape != wanted:
        raise BadInput(
            f"{bundle.name or 'The policy'}: an action has the shape {values.shape}, the card states {wanted}: batch, "
            "horizon, and one value for each action name."
        )
    return np.asarray(values, np.float64)


def refuse_promised_delay(bundle: Bundle) -> None:
    """Refuse a card that promises to continue a chunk, for an engine that cannot: it would ignore the leftover."""
    if bundle.max_delay_steps is not None:
        raise BadInput(
            f"{bundle.name or 'The card'} states max_delay_steps = {bundle.max_delay_steps}, and what runs it cannot "
            "continue a chunk: it would ignore the rest of the last one. Leave max_delay_steps out."
        )


def select_inputs(bundle: Bundle, observation: Observation) -> Feed:
    """Return the array of each input; a stream may come under an alias, and a picture in the other layout.

    The rest of a chunk is refused by a policy that does not continue it, and never ignored.
    """
    if observation.leftover is not None and bundle.max_delay_steps is None:
        raise BadInput(NO_LEFTOVER)
    seen = {**observation.signals, **observation.pictures}
    for alias, name in bundle.aliases.items():
        if alias in seen and name not in seen:
            seen[name] = seen[alias]
    return {i.name: select_input_array(i, seen, bundle.layouts.get(i.name, "")) for i in bundle.inputs}


def select_input_array(
    declared_input: Input, observed_arrays: Mapping[str, NDArray[Any]], layout: str = ""
) -> NDArray[Any]:
    """Return the array for one input: right shape, right type, nothing rounded or wrapped."""
    name, dtype = declared_input.name, np.dtype(declared_input.dtype)
    if name not in observed_arrays:
        raise BadInput(f"The observation lacks {name!r}; it holds {', '.join(sorted(observed_arrays)) or 'nothing'}.")
    array = turn_picture(np.asarray(observed_arrays[name]), declared_input.shape, layout)
    if array.shape != declared_input.shape:
        raise BadInput(f"{name!r} has the shape {array.shape}, the policy wants {declared_input.shape}.")
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise BadInput(f"{name!r} is {array.dtype}, the policy wants {declared_input.dtype}.")
    return np.ascontiguousarray(array, dtype)


def turn_picture(array: NDArray[Any], wanted: tuple[int, ...], layout: str) -> NDArray[Any]:
    """Bring a picture's channels to where the policy wants them; everything else stays as it is.

    >>> turn_picture(np.zeros((4, 5, 3)), (3, 4, 5), "CHW").shape
    (3, 4, 5)
    """
    if not layout or array.ndim != PICTURE_AXES or array.shape == wanted:
        return array
    turned = np.moveaxis(array, -1, 0) if layout == "CHW" else np.moveaxis(array, 0, -1)
    return turned if turned.shape == wanted else array


def run_trial_inference(engine: Any, folder: Path) -> None:
    """Run a bundle once on a blank observation: weights that load may still not run."""
    try:
        engine.act(make_blank_observation(engine.bundle.inputs))
    except BadInput as wrong:
        raise BadInput(f"{folder}: {wrong}") from wrong
    except FieldloopError:
        raise
    except Exception as wrong:
        raise BadInput(f"{folder}: the policy fails on a blank observation: {get_first_line(wrong)}") from wrong


def get_first_line(error: Exception) -> str:
    """Return the first line of an error of a third-party runtime; the rest is for its own makers."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _read_confidence(confidence: Any) -> float | None:
    value = float(np.asarray(confidence).reshape(-1)[0])
    return value if 0.0 <= value <= 1.0 else None  # NaN or out of range: unknown
