"""Guess the unit of values whose source does not state it, by kind and range, with a note."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import UNIT_NOTE

LARGEST_ANGLE_RAD = 4 * math.pi  # two turns either way: larger joint angles are not in radians
LARGEST_RATE_RAD_S = 40.0  # beyond it no arm's joint turns
FARTHEST_M = 100.0  # no arm reaches farther: such positions are in millimetres
GUESSES = {
    StreamKind.JOINT_POSITION: ("rad", "radians", LARGEST_ANGLE_RAD),
    StreamKind.ACTION: ("rad", "radians", LARGEST_ANGLE_RAD),
    StreamKind.JOINT_VELOCITY: ("rad/s", "radians a second", LARGEST_RATE_RAD_S),
    StreamKind.POSE: ("m", "metres", FARTHEST_M),
}


def guess_unit(kind: StreamKind, values: NDArray[Any], columns: Iterable[str] = ()) -> tuple[str, dict[str, str]]:
    """Return the SI unit that is usual, with a note that it is assumed; none where values or columns contradict it.

    >>> guess_unit(StreamKind.JOINT_POSITION, np.asarray([[1.5]]))
    ('rad', {'unit': 'radians are assumed: the source does not state it'})
    >>> guess_unit(StreamKind.JOINT_POSITION, np.asarray([[150.0]]))
    ('', {'unit': 'unknown: values reach 150, so they are hardly radians'})
    """
    if kind not in GUESSES:
        return "", {}
    unit, words, most = GUESSES[kind]
    finite = np.abs(values[np.isfinite(values)]) if values.dtype.kind == "f" else np.abs(values.astype(np.float64))
    reach = float(finite.max()) if finite.size else 0.0
    if reach > most:
        return "", {UNIT_NOTE: f"unknown: values reach {reach:.4g}, so they are hardly {words}"}
    if "deg" in " ".join(columns).lower():
        return "", {UNIT_NOTE: f"unknown: the column names mention degrees, so they are hardly {words}"}
    return unit, {UNIT_NOTE: f"{words} are assumed: the source does not state it"}
