"""Injuries that the checks of depth must notice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import Injury
from fieldloop.testing.injuries.repaint import move, pictures_of_camera, repaint

DEPTH = "depth/overhead"
Picture = NDArray[Any]


def tremble(case: Case, deviation_mm: float = 4.0) -> Case:
    """Add noise that grows with the square of the distance, given at half a metre."""
    random = np.random.default_rng(0)

    def shake(frame: Picture) -> Picture:
        noise = random.normal(0.0, deviation_mm / 1000, frame.shape) * (frame / 0.5) ** 2
        return (frame + noise).astype(np.float32)

    return repaint(case, DEPTH, shake)


def pierce(case: Case) -> Case:
    """Remove the distance of three pixels in five."""
    random = np.random.default_rng(0)

    def drill(frame: Picture) -> Picture:
        frame[random.random(frame.shape) < 0.6] = np.nan  # noqa: PLR2004 - three in five
        return frame

    return repaint(case, DEPTH, drill)


def stall(case: Case) -> Case:
    """Repeat a picture for a second during movement."""
    places = list(pictures_of_camera(case, DEPTH).places)
    places[126:157] = [places[126]] * 31
    return move(case, DEPTH, places)


def scale(case: Case, factor: float) -> Case:
    """Multiply all distances by a factor."""
    return repaint(case, DEPTH, lambda frame: frame * np.float32(factor))


INJURIES: dict[str, Injury] = {
    "depth.noise": Injury(tremble),
    "depth.range": Injury(lambda case: scale(case, 6.0)),
    "depth.plausible": Injury(
        lambda case: scale(case, 1000.0), {"depth.range": "what is five hundred metres away is more than one"}
    ),
    "depth.holes": Injury(pierce),
    "depth.frozen": Injury(stall),
}
