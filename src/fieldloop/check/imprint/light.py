"""Imprint of the brightness of each camera's pictures, which should not predict the outcome."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import register_imprinter
from fieldloop.check.signals.pictures import scan_colour_frames
from fieldloop.model.stream import StreamKind


@register_imprinter("light", needs=("cameras",), pixels=True)
def imprint_brightness(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return the median grey level of each colour camera's frames, from the frames that the checks examine anyway."""
    taken: dict[str, NDArray[np.float32]] = {}
    for stream in case.find_streams(StreamKind.RGB):
        if stream.pictures is not None:
            seen = scan_colour_frames(case, stream)
            if seen.decoded.any():
                taken[stream.name] = np.asarray([np.median(seen.level[seen.decoded])], dtype=np.float32)
    return taken
