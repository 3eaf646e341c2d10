"""How bright a camera saw the scene: a trait of the day, which should tell nothing about the outcome."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.pictures import scan
from fieldloop.check.imprinting import imprinter
from fieldloop.model.stream import StreamKind


@imprinter("light", needs=("cameras",), pixels=True)
def light(case: Case) -> dict[str, NDArray[np.float32]]:
    """Take the median level of each colour camera's frames, from the look that the checks had anyway."""
    taken: dict[str, NDArray[np.float32]] = {}
    for stream in case.streams(StreamKind.RGB):
        if stream.pictures is not None:
            seen = scan(case, stream)
            if seen.decoded.any():
                taken[stream.name] = np.asarray([np.median(seen.level[seen.decoded])], dtype=np.float32)
    return taken
