"""The card of a policy bundle: inputs, action, control rate and guard limits."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.identity import compute_content_id
from fieldloop.model.policy import Input

SCHEMA = "bundle/1"
CARD, WEIGHTS = "bundle.json", "policy.onnx"


@dataclass(frozen=True, slots=True)
class Bundle:
    """The card of a policy bundle; `policy` is the id of its content.

    `engine` names what runs the weights. A policy answers `horizon` rows of actions. `max_delay_steps` is the longest
    delay, in steps, for which it was trained to continue a chunk; None: it takes no leftover of the last chunk.
    """

    policy: str
    name: str
    release: str
    trainer: str
    inputs: tuple[Input, ...]
    action_names: tuple[str, ...]
    control_hz: float
    guard: Mapping[str, Any]
    guard_fingerprint: str
    engine: str = "onnx"
    horizon: int = 1
    takes_prompt: bool = False
    max_delay_steps: int | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata sent to a client on connecting."""
        return {
            "schema": "policy/1",
            "policy": self.policy,
            "name": self.name,
            "release": self.release,
            "trainer": self.trainer,
            "inputs": [{"name": i.name, "shape": list(i.shape), "dtype": i.dtype} for i in self.inputs],
            "action_names": list(self.action_names),
            "control_hz": self.control_hz,
            "engine": self.engine,
            "action_horizon": self.horizon,
            "takes_prompt": self.takes_prompt,
            "supports_rtc": self.max_delay_steps is not None,
            "max_delay_steps": self.max_delay_steps,
            "guard": dict(self.guard),
            "guard_fingerprint": self.guard_fingerprint,
        }


def read_bundle(folder: Path) -> Bundle:
    """Read and check the card of a bundle; an error names the field and the file."""
    path = folder / CARD
    for part in (path, folder / WEIGHTS):
        if not part.is_file():
            raise BadInput(f"{folder} is not a policy bundle: {part.name} is missing.")
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as wrong:
        raise BadInput(f"{path} is not valid JSON: {wrong}.") from wrong
    if not isinstance(card, dict) or card.get("schema") != SCHEMA:
        schema = card.get("schema") if isinstance(card, dict) else type(card).__name__
        raise BadInput(f"{path} has the schema {schema!r}; this fieldloop reads {SCHEMA!r}.")
    control_hz = _read_field(path, card, "control_hz", (int, float))
    if not (math.isfinite(control_hz) and control_hz > 0):
        raise BadInput(f"{path}: control_hz = {control_hz!r} is not a valid rate.")
    names = _read_field(path, card, "action_names", list)
    if not names or not all(isinstance(n, str) and n for n in names) or len(set(names)) != len(names):
        raise BadInput(f"{path}: action_names = {names!r} must be distinct names, one for each value of an action.")
    return Bundle(
        policy=compute_content_id(part.read_bytes() for part in (path, folder / WEIGHTS)),
        name=str(card.get("name", "")),
        release=str(card.get("release", "")),
        trainer=str(card.get("trainer", "")),
        inputs=tuple(_read_input(path, row) for row in _read_field(path, card, "inputs", list)),
        action_names=tuple(names),
        control_hz=float(control_hz),
        guard=dict(_read_field(path, card, "guard", dict)),
        guard_fingerprint=str(card.get("guard_fingerprint", "")),
    )


def _read_field(path: Path, card: Mapping[str, Any], key: str, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(card.get(key), kind) or isinstance(card.get(key), bool):
        raise BadInput(f"{path}: {key} is {'missing' if key not in card else repr(card[key])}; train the policy again.")
    return card[key]


def _read_input(path: Path, row: Any) -> Input:
    try:
        batch, *rest = row["shape"] or (1,)
        stated = isinstance(batch, int) and batch > 0  # a batch axis may be written as "N", null or -1
        name, shape = str(row["name"]), (batch if stated else 1, *(int(n) for n in rest))
        dtype = str(np.dtype(row["dtype"]))
    except (KeyError, TypeError, ValueError) as wrong:
        raise BadInput(f"{path}: {row!r} is not an input with name, shape and dtype ({wrong}).") from wrong
    if not name or any(n < 1 for n in shape):
        raise BadInput(f"{path}: input {name!r} of shape {shape} must have a name and whole sizes from 1.")
    return Input(name, shape, dtype)
