"""The card of a policy bundle: weights with their digests, inputs, action, control rate and guard limits."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.identity import compute_content_id
from fieldloop.model.policy import Input
from fieldloop.serve.digests import check_digests
from fieldloop.serve.normaliser import INSIDE, read_normaliser

SCHEMA, FIRST_SCHEMA = "bundle/2", "bundle/1"
CARD, WEIGHTS = "bundle.json", "policy.onnx"
LAYOUTS = ("HWC", "CHW")


@dataclass(frozen=True, slots=True)
class Bundle:
    """The card of a policy bundle; `policy` is the id of its content.

    `engine` names what runs the weights, with its `options`. A policy answers `horizon` rows of actions.
    `max_delay_steps` is the longest delay, in steps, for which it was trained to continue a chunk; None: it takes no
    leftover of the last chunk. `replan_steps` is how many rows a robot executes before it asks again; None: not stated.
    `files` are the weights by name, with the SHA-256 of each. `aliases` says which input a
    client means by another name; `layouts` how the pictures of an input are laid out (HWC or CHW). `units` are those of
    the values of an action, where they are stated.
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
    replan_steps: int | None = None
    version: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    layouts: Mapping[str, str] = field(default_factory=dict)
    normaliser: Any = INSIDE
    options: Mapping[str, Any] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata sent to a client on connecting."""
        return {
            "schema": "policy/1",
            "policy": self.policy,
            "name": self.name,
            "version": self.version,
            "release": self.release,
            "trainer": self.trainer,
            "inputs": [{"name": i.name, "shape": list(i.shape), "dtype": i.dtype} for i in self.inputs],
            "aliases": dict(self.aliases),
            "layouts": dict(self.layouts),
            "action_names": list(self.action_names),
            "units": dict(self.units),
            "control_hz": self.control_hz,
            "engine": self.engine,
            "action_horizon": self.horizon,
            "takes_prompt": self.takes_prompt,
            "supports_rtc": self.max_delay_steps is not None,
            "max_delay_steps": self.max_delay_steps,
            "replan_steps": self.replan_steps,
            "guard": dict(self.guard),
            "guard_fingerprint": self.guard_fingerprint,
        }

    def make_card(self) -> dict[str, Any]:
        """Return the card as it is written to a bundle's folder."""
        carried = ("name", "version", "release", "trainer", "control_hz", "engine", "horizon", "takes_prompt")
        return {
            "schema": SCHEMA,
            **{key: getattr(self, key) for key in carried},
            "max_delay_steps": self.max_delay_steps,
            "replan_steps": self.replan_steps,
            "inputs": [{"name": i.name, "shape": list(i.shape), "dtype": i.dtype} for i in self.inputs],
            "action_names": list(self.action_names),
            **{key: dict(getattr(self, key)) for key in ("aliases", "layouts", "options", "units", "files", "guard")},
            "normaliser": self.normaliser,
            "guard_fingerprint": self.guard_fingerprint,
        }


def read_bundle(folder: Path, *, verify: bool = True) -> Bundle:
    """Read and check the card of a bundle; an error names the field and the file.

    Weights whose bytes are not those that the card names are refused; `verify=False` reads the card alone.
    """
    path = folder / CARD
    card = _read_card(path)
    first = card["schema"] == FIRST_SCHEMA
    files = _read_files(path, card)
    if verify:
        check_digests(folder, files)
    content = (path, folder / WEIGHTS) if first else (path,)  # the second card holds the digests of all else
    inputs = tuple(_read_input(path, row) for row in _read_field(path, card, "inputs", list))
    names = _read_action_names(path, card)
    return Bundle(
        policy=compute_content_id(part.read_bytes() for part in content) if verify or not first else "",
        name=str(card.get("name", "")),
        release=str(card.get("release", "")),
        trainer=str(card.get("trainer", "")),
        inputs=inputs,
        action_names=names,
        control_hz=_read_rate(path, card),
        guard=dict(_read_field(path, card, "guard", dict)),
        guard_fingerprint=str(card.get("guard_fingerprint", "")),
        **({} if first else _read_second(path, card, inputs, names)),
        files=files,
    )


def read_schema(folder: Path) -> str:
    """Return the schema that a folder's card names; '' where the file cannot be read as one."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(card.get("schema", "")) if isinstance(card, dict) else ""


def _read_card(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise BadInput(f"{path.parent} is not a policy bundle: {path.name} is missing.")
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as wrong:
        raise BadInput(f"{path} is not valid JSON: {wrong}.") from wrong
    if not isinstance(card, dict) or card.get("schema") not in (SCHEMA, FIRST_SCHEMA):
        schema = card.get("schema") if isinstance(card, dict) else type(card).__name__
        raise BadInput(f"{path} has the schema {schema!r}; this fieldloop reads {FIRST_SCHEMA!r} and {SCHEMA!r}.")
    return card


def _read_files(path: Path, card: Mapping[str, Any]) -> dict[str, str]:
    """Return the weights with their digests; a card of the first schema may state none."""
    if card["schema"] == FIRST_SCHEMA:
        return {WEIGHTS: str(card.get("model_sha256", ""))}
    files = _read_field(path, card, "files", dict)
    if not all(isinstance(name, str) and isinstance(digest, str) and digest for name, digest in files.items()):
        raise BadInput(f"{path}: files = {files!r} must be names with the SHA-256 of each.")
    return dict(files)


def _read_second(
    path: Path, card: Mapping[str, Any], inputs: tuple[Input, ...], names: tuple[str, ...]
) -> dict[str, Any]:
    """Read what a card of the second schema adds."""
    horizon, delay = card.get("horizon"), card.get("max_delay_steps")
    if not isinstance(horizon, int) or isinstance(horizon, bool) or horizon < 1:
        raise BadInput(f"{path}: horizon = {horizon!r} is not a whole number of steps from 1.")
    if delay is not None and (not isinstance(delay, int) or isinstance(delay, bool) or not 0 <= delay < horizon):
        raise BadInput(f"{path}: max_delay_steps = {delay!r} must be whole, from 0 and below the horizon of {horizon}.")
    replan = card.get("replan_steps")
    if replan is not None and (not isinstance(replan, int) or isinstance(replan, bool) or not 1 <= replan <= horizon):
        raise BadInput(f"{path}: replan_steps = {replan!r} must be whole, from 1 to the horizon of {horizon}.")
    known = {i.name: i for i in inputs}
    aliases, layouts = (_read_field(path, card, key, dict) for key in ("aliases", "layouts"))
    if wrong := [key for key, name in aliases.items() if name not in known]:
        raise BadInput(f"{path}: the alias {wrong[0]!r} means {aliases[wrong[0]]!r}, which is not an input.")
    if wrong := [key for key, layout in layouts.items() if key not in known or layout not in LAYOUTS]:
        raise BadInput(f"{path}: layout {wrong[0]!r} = {layouts[wrong[0]]!r}; an input is laid out HWC or CHW.")
    read_normaliser(card.get("normaliser"), {i.name: i.shape for i in inputs}, len(names), str(path))
    return {
        "engine": str(_read_field(path, card, "engine", str)),
        "horizon": horizon,
        "takes_prompt": bool(card.get("takes_prompt", False)),
        "max_delay_steps": delay,
        "replan_steps": replan,
        "version": str(card.get("version", "")),
        "aliases": dict(aliases),
        "layouts": dict(layouts),
        "normaliser": card["normaliser"],
        "options": dict(_read_field(path, card, "options", dict)),
        "units": {str(name): str(unit) for name, unit in card.get("units", {}).items()},
    }


def _read_rate(path: Path, card: Mapping[str, Any]) -> float:
    control_hz = _read_field(path, card, "control_hz", (int, float))
    if not (math.isfinite(control_hz) and control_hz > 0):
        raise BadInput(f"{path}: control_hz = {control_hz!r} is not a valid rate.")
    return float(control_hz)


def _read_action_names(path: Path, card: Mapping[str, Any]) -> tuple[str, ...]:
    names = _read_field(path, card, "action_names", list)
    if not names or not all(isinstance(n, str) and n for n in names) or len(set(names)) != len(names):
        raise BadInput(f"{path}: action_names = {names!r} must be distinct names, one for each value of an action.")
    return tuple(names)


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
