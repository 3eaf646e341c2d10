"""Injuries that the checks of force must notice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import Injury, change_stream, change_values


def crush(case: Case) -> Case:
    """Grip three times as hard."""

    def harder(values: NDArray[Any]) -> None:
        values *= 3.0

    return change_values(case, "gripper/effort", harder)


def coarsen(case: Case) -> Case:
    """Round the wrist's forces to steps of a quarter newton."""

    def step(values: NDArray[Any]) -> None:
        values[:] = np.round(values / 0.25) * 0.25

    return change_values(case, "force", step)


def lose_zero(case: Case) -> Case:
    """Make the wrist's reading drift by three newtons over the episode."""

    def drift(values: NDArray[Any]) -> None:
        values[:, 0] += np.linspace(0.0, 3.0, len(values))

    return change_values(case, "force", drift)


def add_spikes(case: Case) -> Case:
    """Add a spike to one reading in a hundred."""

    def break_some(values: NDArray[Any]) -> None:
        values[50::100, 1] += 40.0

    return change_values(case, "force", break_some)


def clip(case: Case) -> Case:
    """Clip the wrist's readings below the force it carries."""

    def cut_off(values: NDArray[Any]) -> None:
        values[:, 2] = np.minimum(values[:, 2], 9.2)

    return change_values(case, "force", cut_off)


INJURIES: dict[str, Injury] = {
    "force.window": Injury(crush),
    "force.saturated": Injury(clip),
    "force.resolution": Injury(coarsen),
    "force.zero": Injury(lose_zero),
    "force.spikes": Injury(add_spikes),
    "force.frame": Injury(lambda case: change_stream(case, "force", frame_id="")),
}
