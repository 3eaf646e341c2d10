"""Imprint of the static part of each camera's view, to detect a fixed camera that moved between episodes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import imprinter
from fieldloop.check.signals.pictures import colour_cameras, scan
from fieldloop.geometry.still_view import still_view
from fieldloop.geometry.view_shift import SMALLEST_PX
from fieldloop.geometry.view_stays import view_stays

FEWEST = 4
"""Least number of frames for a useful median."""


@imprinter("view", needs=("cameras",), pixels=True)
def view(case: Case) -> dict[str, NDArray[Any]]:
    """Return each colour camera's median picture and its static share, which is small for a camera on the robot."""
    taken: dict[str, NDArray[Any]] = {}
    for stream in colour_cameras(case):
        small = scan(case, stream).small
        if len(small) >= FEWEST and min(small[0].shape) >= SMALLEST_PX:
            taken[f"{stream.name}/picture"] = still_view(small)
            taken[f"{stream.name}/stays"] = np.asarray([view_stays(small)], np.float32)
    return taken
