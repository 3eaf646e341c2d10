"""Closing the fingers: is the item between them, how is it held, and how much load can the hold carry?"""

from dataclasses import dataclass

import numpy as np

from fieldloop.simulate.arm import gripper
from fieldloop.simulate.arm.controller import Grasp
from fieldloop.simulate.arm.scene import Item

TOUCH_M = 0.002
"""Deeper than this is a collision; less is a graze that the fingers slide past."""
MIN_OVERLAP_M = 0.010
"""Fingers must reach at least this far below the item's top."""
MIN_COVER = 0.6
"""Share of a finger's width that must touch."""
ALIGNS_RAD = 0.45
"""Up to this angle closing jaws turn a box square to themselves; beyond, they hold it by its corners."""
CORNER_FRICTION = 0.45
"""What is left of friction when only corners touch."""
PATCH = 0.36
"""Lever of the contact patch against turning, in shares of its diagonal."""
PARALLEL = 1e-9
RAYS = np.linspace(-0.5, 0.5, 9)


@dataclass(frozen=True, slots=True)
class Grip:
    """How an item is held: opening of the fingers, item's place against the tool, and what load the hold can carry."""

    opening_m: float
    along_m: float
    turn_rad: float
    across_m: float
    bears_n: float
    bears_nm: float


def close_fingers(item: Item, grasp: Grasp) -> Grip | str:
    """Close the fingers at a grasp; return the hold, or the reason why there is none."""
    overlap = item.top - grasp.z
    if overlap < min(MIN_OVERLAP_M, 0.5 * item.height):
        return "fingers above the item"
    along, across, turn = _locate_item_in_tool(item, grasp)
    low, high, cover = _measure_chord(item, along, across, turn)
    half = grasp.width_m / 2
    if cover < MIN_COVER or high <= -half or low >= half:
        return "item not between the fingers"
    if low < -half - TOUCH_M or high > half + TOUCH_M:
        return "item only partly between the fingers"
    square = (turn + np.pi / 4) % (np.pi / 2) - np.pi / 4
    aligned = abs(square) <= ALIGNS_RAD
    opening = _get_gripped_thickness(item, turn) if aligned else high - low
    friction = item.friction * (1.0 if aligned else CORNER_FRICTION)
    patch = float(np.hypot(gripper.FINGER_WIDE_M * cover, min(overlap, item.height)))
    bears = 2 * friction * grasp.force_n
    return Grip(
        opening_m=float(opening),
        along_m=float(along),
        turn_rad=float(turn - square if aligned else turn),
        across_m=float(across),
        bears_n=float(bears),
        bears_nm=float(bears * PATCH * patch),
    )


def _locate_item_in_tool(item: Item, grasp: Grasp) -> tuple[float, float, float]:
    """Return the item's centre along the fingers' width, across them (closing direction), and its turn."""
    dx, dy = item.x - grasp.x, item.y - grasp.y
    cosine, sine = np.cos(grasp.yaw_rad), np.sin(grasp.yaw_rad)
    turn = (item.yaw_rad - grasp.yaw_rad + np.pi / 2) % np.pi - np.pi / 2
    return float(cosine * dx + sine * dy), float(-sine * dx + cosine * dy), float(turn)


def _measure_chord(item: Item, along: float, across: float, turn: float) -> tuple[float, float, float]:
    """Return where the item begins and ends across the fingers, seen over their width, and the share that sees it."""
    u = RAYS * gripper.FINGER_WIDE_M - along
    cosine, sine = np.cos(turn), np.sin(turn)
    low, high = np.full(len(u), -np.inf), np.full(len(u), np.inf)
    for half, offset, slope in ((item.length / 2, cosine * u, sine), (item.width / 2, -sine * u, cosine)):
        if abs(slope) < PARALLEL:
            high = np.where(np.abs(offset) > half, -np.inf, high)
            continue
        ends = np.sort(np.stack([(-half - offset) / slope, (half - offset) / slope]), axis=0)
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
    hit = high > low
    if not hit.any():
        return np.inf, -np.inf, 0.0
    return float(low[hit].min() + across), float(high[hit].max() + across), float(hit.mean())


def _get_gripped_thickness(item: Item, turn: float) -> float:
    return item.width if abs(turn) < np.pi / 4 else item.length
