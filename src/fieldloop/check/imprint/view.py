"""Imprint of the static part of each camera's view, to detect a fixed camera that moved between episodes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import register_imprinter
from fieldloop.check.signals.pictures import find_colour_cameras, scan_colour_frames
from fieldloop.geometry.still_view import compute_median_view
from fieldloop.geometry.view_shift import SMALLEST_PX
from fieldloop.geometry.view_stays import measure_view_similarity

FEWEST = 4
"""Least number of frames for a useful median."""


@register_imprinter("view", needs=("cameras",), pixels=True)
def imprint_camera_views(case: Case) -> dict[str, NDArray[Any]]:
    """Return each colour camera's median picture and its static share, which is small for a camera on the robot."""
    taken: dict[str, NDArray[Any]] = {}
    for stream in find_colour_cameras(case):
        small = scan_colour_frames(case, stream).small
        if len(small) >= FEWEST and min(small[0].shape) >= SMALLEST_PX:
            taken[f"{stream.name}/picture"] = compute_median_view(small)
            taken[f"{stream.name}/stays"] = np.asarray([measure_view_similarity(small)], np.float32)
    return taken
