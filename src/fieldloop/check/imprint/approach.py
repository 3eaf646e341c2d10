"""Imprint of the approach direction, for the checks of variety in a batch."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import imprinter
from fieldloop.check.signals.approach import approach as direction_of
from fieldloop.check.signals.contact import hold


@imprinter("approach", needs=("gripper",))
def approach(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return the unit vector of the last stretch before contact of the longest hold, in the tool pose's frame."""
    found = direction_of(case, hold(case))
    return {} if found is None else {found[0].name: found[1].astype(np.float32)}
