"""How a policy's numbers are normalised: what its weights expect, from and to the robot's own units."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

INSIDE = "inside"
"""What a card states where the weights normalise by themselves."""

EPSILON = 1e-8
"""Keeps a signal that never varied from dividing by zero, as LeRobot does."""

MODES: Mapping[str, tuple[str, ...]] = {
    "identity": (),
    "mean_std": ("mean", "std"),
    "min_max": ("min", "max"),
    "quantiles": ("q01", "q99"),
    "quantile10": ("q10", "q90"),
}
"""Mode → the statistics that it needs. All but `mean_std` map the range onto −1…1."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """Normalise by (x − offset) / scale; undo by x · scale + offset."""

    offset: NDArray[np.float64]
    scale: NDArray[np.float64]

    def normalise(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the numbers that the weights expect."""
        return np.asarray((values - self.offset) / self.scale)

    def undo(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the numbers in the robot's own unit."""
        return np.asarray(values * self.scale + self.offset)


@dataclass(frozen=True, slots=True, eq=False)
class Normaliser:
    """The scaling of each input that has one, and of the action (None: as the weights answer)."""

    inputs: Mapping[str, Scaling]
    action: Scaling | None = None


def make_scaling(mode: str, statistics: Mapping[str, Any], where: str) -> Scaling | None:
    """Make the scaling of one signal; `identity` needs none.

    >>> one = make_scaling("min_max", {"min": [0.0], "max": [10.0]}, "state")
    >>> one.normalise(np.array([10.0])), one.undo(np.array([-1.0]))
    (array([1.]), array([0.]))
    """
    if mode not in MODES:
        raise BadInput(f"{where}: {mode!r} is not a way to normalise; these are: {', '.join(MODES)}.")
    if not MODES[mode]:
        return None
    if missing := [name for name in MODES[mode] if name not in statistics]:
        raise BadInput(f"{where}: the mode {mode!r} needs {' and '.join(missing)}, and the normaliser lacks them.")
    first, second = (_read_numbers(statistics[name], f"{where}: {name}") for name in MODES[mode])
    if first.shape != second.shape:
        names = " and ".join(MODES[mode])
        raise BadInput(f"{where}: {names} differ in shape, {first.shape} and {second.shape}.")
    if mode == "mean_std":
        if (second < 0).any():
            raise BadInput(f"{where}: a standard deviation below 0 is not valid.")
        return Scaling(first, second + EPSILON)
    if (second < first).any():
        raise BadInput(
            f"{where}: {MODES[mode][0]} is above {MODES[mode][1]} for value {int(np.argmax(second < first))}."
        )
    span = second - first
    half = np.where(span == 0, EPSILON, span) / 2
    return Scaling(first + half, half)


def read_normaliser(
    stated: Any, inputs: Mapping[str, tuple[int, ...]], n_actions: int, where: str
) -> Normaliser | None:
    """Read the normaliser of a card: 'inside', or a table of inputs and action. A card that states none is refused.

    `inputs` are the shapes of the policy's inputs.
    """
    if stated == INSIDE:
        return None
    if not isinstance(stated, Mapping) or not isinstance(stated.get("inputs", {}), Mapping):
        raise BadInput(
            f"{where} states no normaliser, so its numbers could mean anything. State normaliser = 'inside' where the "
            "weights normalise by themselves, or a table with mode and statistics of each input and of the action."
        )
    if unknown := set(stated.get("inputs", {})) - set(inputs):
        raise BadInput(f"{where}: the normaliser names {', '.join(sorted(unknown))}, which the policy does not take.")
    scalings = {
        name: scaling
        for name, row in stated.get("inputs", {}).items()
        if (scaling := _read_row(row, f"{where}: normaliser of {name!r}"))
    }
    for name, scaling in scalings.items():
        _check_fits(scaling, inputs[name], f"{where}: normaliser of {name!r}")
    action = _read_row(stated.get("action", {"mode": "identity"}), f"{where}: normaliser of the action")
    if action:
        _check_fits(action, (n_actions,), f"{where}: normaliser of the action")
    return Normaliser(scalings, action)


def _read_row(row: Any, where: str) -> Scaling | None:
    if not isinstance(row, Mapping):
        raise BadInput(f"{where} is {row!r}, not a table with mode and statistics.")
    return make_scaling(str(row.get("mode", "")), row, where)


def _read_numbers(stated: Any, where: str) -> NDArray[np.float64]:
    try:
        values = np.asarray(stated, np.float64)
    except (TypeError, ValueError) as wrong:
        raise BadInput(f"{where} is not an array of numbers: {wrong}.") from wrong
    if not values.size or not np.isfinite(values).all():
        raise BadInput(f"{where} holds no numbers, or numbers that are not finite.")
    return values


def _check_fits(scaling: Scaling, shape: tuple[int, ...], where: str) -> None:
    try:
        fits = np.broadcast_shapes(scaling.offset.shape, shape) == tuple(shape)
    except ValueError:
        fits = False
    if not fits or (len(shape) == 1 and math.prod(scaling.offset.shape) not in (1, shape[0])):
        raise BadInput(f"{where} has statistics of shape {scaling.offset.shape}; the policy has the shape {shape}.")
