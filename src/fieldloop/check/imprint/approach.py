"""From where the tool came: what tells whether a batch holds as many directions as the protocol asks for."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.approach import approach as direction_of
from fieldloop.check.episode.contact import hold
from fieldloop.check.imprinting import imprinter


@imprinter("approach", needs=("gripper",))
def approach(case: Case) -> dict[str, NDArray[np.float32]]:
    """Take the unit vector of the last stretch into contact of the longest hold, in the frame of that tool's pose."""
    found = direction_of(case, hold(case))
    return {} if found is None else {found[0].name: found[1].astype(np.float32)}
