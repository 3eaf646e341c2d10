"""Where a camera stands, and how far from there it may be mounted."""

import math
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import ProtocolError
from fieldloop.protocol.cells import read_line, read_positive_number, read_table, read_vector
from fieldloop.protocol.number import refuse_unknown_keys

KEYS = {"mounted", "sees", "parent", "position_m", "quaternion_xyzw", "tolerance_mm", "tolerance_deg"}
UNIT_LENGTH = 1e-3
"""A quaternion written by hand is rounded; one farther from length one is a typing error."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A camera's described position, its pose in the parent's frame if known, and the mounting tolerance."""

    stream: str
    mounted: str = ""
    sees: str = ""
    parent: str = ""
    position_m: tuple[float, ...] | None = None
    quaternion_xyzw: tuple[float, ...] | None = None
    tolerance_mm: float | None = None
    tolerance_deg: float | None = None


def read_viewpoint(where: str, stream: str, raw: Any) -> Viewpoint:
    """Read one `[viewpoints."camera/name"]` table."""
    where = f"{where}.{stream}"
    row = read_table(where, raw)
    refuse_unknown_keys(where, row, KEYS)
    turn = read_vector(where, row, "quaternion_xyzw", 4)
    if turn is not None and abs(math.hypot(*turn) - 1.0) > UNIT_LENGTH:
        raise ProtocolError(f"{where}: quaternion_xyzw has length {math.hypot(*turn):.3f}; a rotation has length 1.")
    parent, place = read_line(where, row, "parent"), read_vector(where, row, "position_m", 3)
    if (place or turn) and not parent:
        raise ProtocolError(f"{where}: parent is missing: name the frame that the pose is measured in, such as base.")
    return Viewpoint(
        stream, read_line(where, row, "mounted"), read_line(where, row, "sees"), parent, place, turn,
        read_positive_number(where, row, "tolerance_mm"), read_positive_number(where, row, "tolerance_deg"),
    )  # fmt: skip
