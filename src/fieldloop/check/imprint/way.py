"""Imprint of the arm's path by distance travelled: the same for a copy that was cut, delayed or played slower."""

import math

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import register_imprinter
from fieldloop.model.stream import StreamKind

POINTS = 32  # enough to tell two demonstrations apart, little to keep
MOST_SAMPLES = 2000  # a longer recording is thinned first; a point stands for 60 of them
SURELY = 1 + 1e-9
"""Tolerance for rounding when a distance is compared with a step."""
STEP = 0.005
"""Distance is counted in steps of this share of the widest joint's range, so that tremor at rest does not count."""


@register_imprinter("way", needs=("joints",))
def imprint_joint_path(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return each joint stream at 32 points evenly spaced along its path."""
    taken: dict[str, NDArray[np.float32]] = {}
    for stream in case.find_streams(StreamKind.JOINT_POSITION):
        values = stream.values
        if values is None or values.dtype.kind not in "fiu":
            continue
        flat = values.reshape(len(values), -1).astype(np.float64)
        flat = flat[np.all(np.isfinite(flat), axis=1)]
        if len(flat) and (points := _resample_by_distance(flat)) is not None:
            taken[stream.name] = points
    return taken


def _resample_by_distance(joint_rows: NDArray[np.float64]) -> NDArray[np.float32] | None:
    """Walk along the samples in whole steps; None where nothing moves."""
    joint_rows = joint_rows[:: -(-len(joint_rows) // MOST_SAMPLES)]
    step = STEP * float(np.ptp(joint_rows, axis=0).max())
    if step <= 0.0:
        return None
    rows = joint_rows.tolist()
    strides = np.sqrt(((joint_rows[1:] - joint_rows[:-1]) ** 2).sum(axis=1))
    strode = [False, *(strides > step * SURELY).tolist()]
    kept = [0]
    for index, row in enumerate(rows):  # for rows this short math.dist is quicker than NumPy
        if (strode[index] and kept[-1] == index - 1) or math.dist(row, rows[kept[-1]]) >= step:
            kept.append(index)
    corners = joint_rows[[*kept, len(rows) - 1]]
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    at = np.linspace(0.0, travelled[-1], POINTS)
    return np.column_stack([np.interp(at, travelled, column) for column in corners.T]).astype(np.float32)
