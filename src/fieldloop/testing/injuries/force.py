"""Injuries that the checks of force must notice."""

from typing import Any

from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import Injury, change_values


def crush(case: Case) -> Case:
    """Grip three times as hard."""

    def harder(values: NDArray[Any]) -> None:
        values *= 3.0

    return change_values(case, "gripper/effort", harder)


INJURIES: dict[str, Injury] = {
    "force.window": Injury(crush),
}
