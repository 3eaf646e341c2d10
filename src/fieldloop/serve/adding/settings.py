"""What a policy of another maker does not state about itself, and its user does, in a small TOML file or by options."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.policy import Input
from fieldloop.serve.bundle import LAYOUTS, Bundle

KEYS = (
    "version", "control_hz", "action_names", "units", "normaliser", "prompt", "max_delay_steps", "replan_steps",
    "horizon", "output", "layouts", "aliases", "inputs", "options",
)  # fmt: skip
ASKED: Mapping[str, str] = {
    "control_hz": "control_hz = 50                      # how many actions a second the robot executes",
    "action_names": 'action_names = ["joint_1", "joint_2"]   # one for each value of an action, in its order',
    "units": 'units = "rad"                        # of all values, or a table: name = unit',
    "normaliser": 'normaliser = "inside"                # or a table of modes and statistics, where the weights do not',
    "inputs": '[inputs.state]\nshape = [14]\ndtype = "float32"',
    "horizon": "horizon = 50                         # rows of actions in one answer",
}
"""Key → how it is written, for the error that asks for it."""


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """The settings of one policy; what is not stated is None or empty."""

    version: str = ""
    control_hz: float | None = None
    action_names: tuple[str, ...] = ()
    units: str | Mapping[str, str] = ""
    normaliser: Any = None
    prompt: bool = False
    max_delay_steps: int | None = None
    replan_steps: int | None = None
    horizon: int | None = None
    output: str = ""
    layouts: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def require(self, where: str, *keys: str) -> None:
        """Refuse a policy of which any of these is not stated, with all that is missing and how to write it."""
        missing = [key for key in keys if getattr(self, key) in (None, "", ()) or getattr(self, key) == {}]
        if missing:
            lines = "\n".join(ASKED[key] for key in missing)
            raise BadInput(
                f"{where} does not state {', '.join(missing)}. Write this into a file, with your values, and name it "
                f"by --settings FILE:\n{lines}"
            )

    def list_units(self) -> dict[str, str]:
        """Return the unit of each value of an action."""
        return dict.fromkeys(self.action_names, self.units) if isinstance(self.units, str) else dict(self.units)

    def read_inputs(self, where: str) -> tuple[Input, ...]:
        """Return the inputs that the settings state."""
        return tuple(_read_input(name, row, f"{where}: inputs.{name}") for name, row in self.inputs.items())

    def make_bundle(self, name: str, engine: str, inputs: tuple[Input, ...], horizon: int, **more: Any) -> Bundle:
        """Make the card; `control_hz` and `action_names` must be stated."""
        assert self.control_hz is not None
        return Bundle(
            policy="",
            name=name,
            release="",
            trainer="elsewhere",
            inputs=inputs,
            action_names=self.action_names,
            control_hz=self.control_hz,
            guard={},
            guard_fingerprint="",
            engine=engine,
            horizon=horizon,
            max_delay_steps=self.max_delay_steps,
            replan_steps=self.replan_steps,
            version=self.version,
            units={value: unit for value, unit in self.list_units().items() if unit},
            **{
                "takes_prompt": self.prompt,
                "layouts": dict(self.layouts),
                "aliases": dict(self.aliases),
                "options": dict(self.options),
                **more,
            },
        )


def read_settings(table: Mapping[str, Any], where: str) -> PolicySettings:
    """Read a table of settings; unknown keys and values of another kind are refused.

    >>> read_settings({"control_hz": 50, "action_names": ["x"]}, "mine.toml").control_hz
    50.0
    """
    if unknown := [key for key in table if key not in KEYS]:
        raise BadInput(f"{where}: {unknown[0]!r} is not a setting of a policy; these are: {', '.join(KEYS)}.")
    rate = table.get("control_hz")
    if rate is not None and not (_is_number(rate) and math.isfinite(rate) and rate > 0):
        raise BadInput(f"{where}: control_hz = {rate!r} is not a valid rate.")
    for key in ("layouts", "aliases", "inputs", "options"):
        if not isinstance(table.get(key, {}), Mapping):
            raise BadInput(f"{where}: {key} must be a table.")
    for key, least in (("max_delay_steps", 0), ("replan_steps", 1), ("horizon", 1)):
        if table.get(key) is not None and not (type(table[key]) is int and table[key] >= least):
            raise BadInput(f"{where}: {key} = {table[key]!r} is not a whole number of steps.")
    if wrong := [layout for layout in table.get("layouts", {}).values() if layout not in LAYOUTS]:
        raise BadInput(f"{where}: the layout {wrong[0]!r} is not known; a picture is HWC or CHW.")
    names = _read_names(table.get("action_names", ()), where)
    units = table.get("units", "")
    if isinstance(units, Mapping) and (missing := [name for name in names if name not in units]):
        raise BadInput(f"{where}: units does not state the unit of {', '.join(missing)}.")
    kept = {key: table[key] for key in KEYS if key in table}
    return PolicySettings(
        **(kept | {"control_hz": None if rate is None else float(rate), "action_names": names}),
    )


def _read_names(stated: Any, where: str) -> tuple[str, ...]:
    if not isinstance(stated, Sequence) or isinstance(stated, str) or not all(isinstance(n, str) and n for n in stated):
        raise BadInput(f"{where}: action_names = {stated!r} must be a list of names, one for each value of an action.")
    if len(set(stated)) != len(stated):
        raise BadInput(f"{where}: action_names = {list(stated)!r} has a name twice.")
    return tuple(stated)


def _read_input(name: str, row: Any, where: str) -> Input:
    try:
        shape, dtype = tuple(int(n) for n in row["shape"]), str(np.dtype(row.get("dtype", "float32")))
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise BadInput(f"{where} needs shape = [...] (without the batch) and dtype ({wrong}).") from wrong
    if not shape or min(shape) < 1:
        raise BadInput(f"{where}: shape = {list(shape)} must hold whole sizes from 1, without the batch.")
    return Input(name, shape, dtype)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
