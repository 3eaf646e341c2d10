"""Imprint of the approach direction, for the checks of variety in a batch."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import register_imprinter
from fieldloop.check.signals.approach import find_approach as direction_of
from fieldloop.check.signals.contact import find_longest_hold


@register_imprinter("approach", needs=("gripper",))
def imprint_approach_direction(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return the unit vector of the last stretch before contact of the longest hold, in the tool pose's frame."""
    source_and_direction = direction_of(case, find_longest_hold(case))
    return (
        {}
        if source_and_direction is None
        else {source_and_direction[0].name: source_and_direction[1].astype(np.float32)}
    )
