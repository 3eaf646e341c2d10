"""What a hand holds: it lies where it will be picked, rides with the tool, and stays where it was let go."""

import numpy as np

from bench.timing_truth.motions import OPEN_M, SHUT_M
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.boxes import Boxes, Colour

SIZE_M = (0.06, SHUT_M, 0.05)
HOLDING_M = 0.4 * OPEN_M + 0.6 * SHUT_M
"""Fingers closer than this hold what is between them."""
SAGS_M = 0.01
"""How far below the tool's frame the middle of the thing is."""


class Held:
    """The thing one hand picks and places, all through a motion."""

    def __init__(self, times_s: Floats, opening_m: Floats, base_from_tool: Floats, colour: Colour) -> None:
        """Take the dense motion of one limb's fingers and tool."""
        shut = opening_m < HOLDING_M
        edges = np.flatnonzero(np.diff(shut.astype(int), prepend=0, append=0))
        self._times, self._colour = times_s[np.minimum(edges, len(times_s) - 1)], np.array([colour])
        self._poses = base_from_tool[np.minimum(edges, len(times_s) - 1)]

    def at(self, time_s: float, base_from_tool: Floats) -> Boxes | None:
        """Return the thing at a moment at which the tool is here; None where nothing is ever picked."""
        if not len(self._times):
            return None
        passed = int(np.searchsorted(self._times, time_s, side="right"))
        pose = base_from_tool if passed % 2 else self._poses[max(passed - 1, 0)]
        return Boxes((pose @ tf.make_transform(np.eye(3), [0.0, 0.0, SAGS_M]))[None], np.array([SIZE_M]), self._colour)
