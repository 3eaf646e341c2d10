"""Edge cases of a scene: something before the gripper or the lens, a joint that starts near its limit."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm import arm, gripper
from fieldloop.simulate.arm.boxes import Solid
from fieldloop.simulate.arm.rig import MAST

Side = Literal["left", "right", "top", "bottom"]
SIDES: tuple[Side, ...] = ("left", "right", "top", "bottom")
CARD_M = 0.82
"""Height of the flap that hangs over the waiting gripper: above the arm's way, below the camera."""
CARD_COLOUR = (0.46, 0.41, 0.35)
WRIST_ROLL = 5
COVER_GREY = 14
"""What a camera shows of something that touches its lens: nearly nothing."""


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """What is unusual in a scene: solids that only cameras meet, a covered side of the overhead picture, joint angles.

    `covered` names the side and the share of the picture; `start_rad` are the angles at which the arm waits, None at
    home.
    """

    screens: tuple[Solid, ...] = ()
    covered: tuple[Side, float] | None = None
    start_rad: tuple[float, ...] | None = None

    def get_start_angles(self) -> Floats:
        """Return the joint angles at which the arm waits."""
        return arm.compute_home_angles() if self.start_rad is None else np.array(self.start_rad)


PLAIN = EdgeCase()


def draw_edge_case(
    gripper_hidden: float, camera_hidden: float, joint_left_rad: float | None, rng: np.random.Generator
) -> EdgeCase:
    """Draw what is unusual; a plain scene draws nothing, so that its other numbers stay as they are."""
    screens = (_make_flap(gripper_hidden, rng),) if gripper_hidden else ()
    covered = (SIDES[int(rng.integers(len(SIDES)))], camera_hidden) if camera_hidden else None
    start = None
    if joint_left_rad is not None:
        angles, joint = arm.compute_home_angles().copy(), arm.make_arm_chain().joints[WRIST_ROLL]
        angles[WRIST_ROLL] = rng.choice([joint.low_rad + joint_left_rad, joint.high_rad - joint_left_rad])
        start = tuple(float(angle) for angle in angles)
    return EdgeCase(screens, covered, start)


def hide_covered_colour(picture: NDArray[np.uint8], edge: EdgeCase) -> NDArray[np.uint8]:
    """Return a picture with the covered side dark."""
    if edge.covered is not None:
        picture[get_covered_part(edge, picture.shape[0], picture.shape[1])] = COVER_GREY
    return picture


def hide_covered_depth(depth: NDArray[np.float32], edge: EdgeCase) -> NDArray[np.float32]:
    """Return depth without a reading on the covered side: what touches the lens is nearer than it can measure."""
    if edge.covered is not None:
        depth[get_covered_part(edge, depth.shape[0], depth.shape[1])] = np.nan
    return depth


def get_covered_part(edge: EdgeCase, height: int, width: int) -> tuple[slice, slice]:
    """Return rows and columns that are covered.

    >>> get_covered_part(EdgeCase(covered=("right", 0.1)), 60, 80)
    (slice(0, 60, None), slice(72, 80, None))
    """
    side, share = edge.covered or ("left", 0.0)
    rows, columns = round(share * height), round(share * width)
    return {
        "left": (slice(0, height), slice(0, columns)),
        "right": (slice(0, height), slice(width - columns, width)),
        "top": (slice(0, rows), slice(0, width)),
        "bottom": (slice(height - rows, height), slice(0, width)),
    }[side]


def _make_flap(hidden: float, rng: np.random.Generator) -> Solid:
    """Hang a flap on the camera's line of sight to the waiting gripper, over this share of the palm's width."""
    palm_top = np.array([0.0, 0.0, gripper.FINGER_LONG_M + gripper.PALM[2]])
    eye, palm = np.array(MAST), np.array(arm.HOME) + palm_top
    along = (eye[2] - CARD_M) / (eye[2] - palm[2])
    wide = gripper.PALM[1] * along
    aside = rng.choice([-1.0, 1.0]) * wide * (1 - hidden) / 2
    x, y = (eye + along * (palm - eye))[:2]
    size = (gripper.PALM[0] * along + 0.04, float(wide * hidden), 0.004)
    return Solid("flap", (float(x), float(y + aside), CARD_M), size, 0.0, CARD_COLOUR)
