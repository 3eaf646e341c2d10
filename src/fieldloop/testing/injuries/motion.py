"""Injuries that the checks of motion must notice."""

from typing import Any

from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import STEP_NS, Injury, change_stamps, change_values


def jump(case: Case) -> Case:
    """Let one joint be somewhere else for a sample."""

    def away(values: NDArray[Any]) -> None:
        values[500, 2] += 1.0

    return change_values(case, "joints", away)


def delay_arm(case: Case) -> Case:
    """Let the commands come 0.8 s early."""
    return change_stamps(case, "action", lambda times: times - 800 * STEP_NS)


def overwind(case: Case) -> Case:
    """Turn one joint a full turn and more beyond its stop, as a wrong zero does."""

    def turn(values: NDArray[Any]) -> None:
        values[:, 3] += 7.0

    return change_values(case, "joints", turn)


INJURIES: dict[str, Injury] = {
    "motion.joint_limit": Injury(overwind),
    "motion.teleport": Injury(jump),
    "motion.action_follows_state": Injury(delay_arm),
}
