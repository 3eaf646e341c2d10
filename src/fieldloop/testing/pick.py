"""A healthy pick as functions of time: approach, pause while the fingers close, lift, carry, set down, retreat."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PRE_S, ATTEMPT_S, POST_S = 1.5, 6.0, 2.5
ARRIVES_S, LEAVES_S, SETS_DOWN_S, RETREATS_S = 1.9, 2.45, 3.9, 4.4
"""When the tool stands at the item, lifts it, stands at the place, and leaves: from the first movement on."""

CLOSES_S, OPENS_S, FINGERS_S = 2.0, 4.0, 0.3
"""When the fingers begin to close and to open, and how long either takes."""

HOME = np.array([0.35, 0.0, 0.38])
LIFT_M, SIDE_M, TURN_RAD = 0.19, 0.03, 0.4
OPEN_M, SHUT_M, CONTACT_M = 0.08, 0.02, 0.03
PHASES = {
    "approach": (0.0, 1.4), "pre-grasp": (1.4, CLOSES_S), "grasp": (CLOSES_S, LEAVES_S), "lift": (LEAVES_S, 2.9),
    "transport": (2.9, 3.5), "place": (3.5, OPENS_S), "release": (OPENS_S, RETREATS_S), "retract": (RETREATS_S, 6.0),
}  # fmt: skip
"""Each phase from the first movement on; together the whole attempt."""


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """Where the item lies, from which side it is approached, and how the joints follow the tool."""

    item: Floats
    place: Floats
    side: Floats
    gains: Floats

    def compute_tool_position(self, at_s: Floats) -> Floats:
        """Return the tool's place in metres, seconds counted from the recording's beginning."""
        since = at_s - PRE_S
        come, carry, leave = (
            _compute_progress(since, *span)
            for span in ((0, ARRIVES_S), (LEAVES_S, SETS_DOWN_S), (RETREATS_S, ATTEMPT_S))
        )
        way = (self.item - HOME) * _compute_minimum_jerk(come) + (self.place - self.item) * _compute_minimum_jerk(carry)
        way += (HOME - self.place) * _compute_minimum_jerk(leave) + self.side * _compute_arch(come)
        return np.asarray(HOME + way + np.array([0.0, 0.0, LIFT_M]) * _compute_arch(carry))

    def compute_joint_angles(self, at_s: Floats) -> Floats:
        """Return the joint angles: a linear arm, whose tool and joints begin and end together."""
        return np.asarray((self.compute_tool_position(at_s) - HOME) @ self.gains.T)

    def compute_turn(self, at_s: Floats) -> Floats:
        """Return the tool's orientation xyzw, turning about a slanted axis while it travels."""
        half = TURN_RAD * (self.compute_tool_position(at_s) - HOME) @ np.ones((3, 1))
        return np.column_stack([np.sin(half) * np.full(3, 3**-0.5), np.cos(half)])


def draw_random_pick(random: np.random.Generator, joint_count: int) -> Pick:
    """Draw a random attempt: the position of the item, the side of the approach, the arm."""
    towards = random.uniform(0, 2 * np.pi)
    signs = np.where(np.arange(joint_count) % 2, -1, 1)[:, None]
    return Pick(
        item=np.array([0.40, 0.12, 0.10]) + random.uniform(-0.03, 0.03, 3) * [1, 1, 0],
        place=np.array([0.40, -0.13, 0.105]),
        side=SIDE_M * np.array([np.cos(towards), np.sin(towards), 0.0]),
        gains=random.uniform(1.0, 2.0, (joint_count, 3)) * signs,
    )


def compute_finger_opening(at_s: Floats) -> Floats:
    """Return the opening of the fingers: closed while the item is held, changing at a finite speed."""
    shut = _compute_progress(at_s - PRE_S, CLOSES_S, CLOSES_S + FINGERS_S) - _compute_progress(
        at_s - PRE_S, OPENS_S, OPENS_S + FINGERS_S
    )
    return OPEN_M - (OPEN_M - SHUT_M) * shut


def _compute_progress(since_s: Floats, begin: float, end: float) -> Floats:
    return np.clip((since_s - begin) / (end - begin), 0.0, 1.0)


def _compute_minimum_jerk(progress: Floats) -> Floats:
    """From 0 to 1 with the least jerk."""
    return (10 * progress**3 - 15 * progress**4 + 6 * progress**5)[:, None]


def _compute_arch(progress: Floats) -> Floats:
    """From 0 to 1 in the middle and back."""
    return (16 * progress**2 * (1 - progress) ** 2)[:, None]
