"""Faults of data, robots or line as plain data; by default nothing is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.simulate.picking.strata import Strata

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Change:
    """From this week on a site has another lamp ("lamp"), or its cameras sit differently ("mount")."""

    kind: str
    site: str
    week: float

    def __post_init__(self) -> None:
        if self.kind not in ("lamp", "mount"):
            raise BadInput(f"A change is of the lamp or of the mount, not of {self.kind!r}.")


@dataclass(frozen=True, slots=True)
class Starved:
    """Of the demonstrations asked for under a condition, only this share is made; the rest is made elsewhere."""

    where: Mapping[str, str]
    share: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise BadInput(f"A share lies between 0 and 1, not at {self.share}.")


@dataclass(frozen=True, slots=True)
class Faults:
    """All possible faults; each acts only through images, actions, friction or labels."""

    camera_lag_s: float = 0.0
    """Training pairs the action at t with the frame of t − lag."""
    run_lag_s: float = 0.0
    """At run time the policy sees the frame of t − lag."""
    latency_s: float = 0.0
    """At run time an action takes effect this much later, in addition to the usual delay."""
    label_noise: float = 0.0
    """How far apart annotators' standards of the grasp moment are on unusual variants, in seconds."""
    simulated_share: float = 0.0
    """Share of the demonstrations made in a simulator twin."""
    simulated_where: Mapping[str, str] = field(default_factory=dict)
    """Only demonstrations of these conditions are made in the twin; empty: any."""
    starved: tuple[Starved, ...] = ()
    operators_left_out: tuple[int, ...] = ()
    """Nothing is demonstrated from bins that these people filled."""
    temperatures_left_out: tuple[float, float] | None = None
    """Nothing is demonstrated between these temperatures, in °C."""
    extra_cycles: float = 0.0
    """Gripper cycles beyond the ordinary."""
    worn_robots: tuple[str, ...] = ()
    """Only these robots have them; empty: all."""
    changes: tuple[Change, ...] = ()

    def __post_init__(self) -> None:
        for name in ("camera_lag_s", "run_lag_s", "latency_s", "label_noise", "extra_cycles"):
            if not np.isfinite(value := getattr(self, name)) or value < 0:
                raise BadInput(f"{name} must be a number from 0 up, not {value}.")
        if not 0 <= self.simulated_share <= 1:
            raise BadInput(f"A share lies between 0 and 1, not at {self.simulated_share}.")


NOTHING = Faults()


def leave_out_conditions(strata: Strata, *conditions: Mapping[str, str]) -> tuple[Starved, ...]:
    """Return the fault that these conditions were never demonstrated."""
    for condition in conditions:
        strata.where(condition)
    return tuple(Starved(condition) for condition in conditions)


def replace_left_out_cells(cells: Ints, strata: Strata, faults: Faults, rng: np.random.Generator) -> Ints:
    """Replace starved cells by random others that were requested."""
    lost = np.zeros(len(cells), dtype=bool)
    draws = rng.random((len(faults.starved), len(cells)))
    for fault, draw in zip(faults.starved, draws, strict=True):
        lost |= strata.where(fault.where)[cells] & (draw >= fault.share)
    rest = cells[~lost]
    if len(rest) == 0 and len(cells):
        raise BadInput("All requested demonstrations need conditions that this case leaves out.")
    return np.where(lost, rng.choice(rest, len(cells)), cells) if lost.any() else cells


def choose_simulated_demonstrations(cells: Ints, strata: Strata, faults: Faults, rng: np.random.Generator) -> Bools:
    """Which demonstrations are made in the simulator twin?"""
    draw = rng.random(len(cells))
    return np.asarray(strata.where(faults.simulated_where)[cells] & (draw < faults.simulated_share))
