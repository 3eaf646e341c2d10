"""Injuries that the checks of force must notice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import Injury, change_stream, change_values


def triple_grip_force(case: Case) -> Case:
    """Grip three times as hard."""

    def triple_values(values: NDArray[Any]) -> None:
        values *= 3.0

    return change_values(case, "gripper/effort", triple_values)


def round_wrist_force(case: Case) -> Case:
    """Round the wrist's forces to steps of a quarter newton."""

    def round_values(values: NDArray[Any]) -> None:
        values[:] = np.round(values / 0.25) * 0.25

    return change_values(case, "force", round_values)


def drift_wrist_force(case: Case) -> Case:
    """Make the wrist's reading drift by three newtons over the episode."""

    def add_drift(values: NDArray[Any]) -> None:
        values[:, 0] += np.linspace(0.0, 3.0, len(values))

    return change_values(case, "force", add_drift)


def add_spikes(case: Case) -> Case:
    """Add a spike to one reading in a hundred."""

    def add_spike_values(values: NDArray[Any]) -> None:
        values[50::100, 1] += 40.0

    return change_values(case, "force", add_spike_values)


def clip_wrist_force(case: Case) -> Case:
    """Clip the wrist's readings below the force it carries."""

    def clip_values(values: NDArray[Any]) -> None:
        values[:, 2] = np.minimum(values[:, 2], 9.2)

    return change_values(case, "force", clip_values)


INJURIES: dict[str, Injury] = {
    "force.window": Injury(triple_grip_force),
    "force.saturated": Injury(clip_wrist_force),
    "force.resolution": Injury(round_wrist_force),
    "force.zero": Injury(drift_wrist_force),
    "force.spikes": Injury(add_spikes),
    "force.frame": Injury(lambda case: change_stream(case, "force", frame_id="")),
}
