"""Injuries that the checks of depth must notice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import Injury
from fieldloop.testing.injuries.repaint import change_camera_frames, get_camera_pictures, shift_camera_view

DEPTH = "depth/overhead"
Picture = NDArray[Any]


def add_depth_noise(case: Case, deviation_mm: float = 4.0) -> Case:
    """Add noise that grows with the square of the distance, given at half a metre."""
    random = np.random.default_rng(0)

    def add_frame_noise(frame: Picture) -> Picture:
        noise = random.normal(0.0, deviation_mm / 1000, frame.shape) * (frame / 0.5) ** 2
        return (frame + noise).astype(np.float32)

    return change_camera_frames(case, DEPTH, add_frame_noise)


def remove_depth_pixels(case: Case) -> Case:
    """Remove the distance of three pixels in five."""
    random = np.random.default_rng(0)

    def remove_frame_pixels(frame: Picture) -> Picture:
        frame[random.random(frame.shape) < 0.6] = np.nan  # noqa: PLR2004 - three in five
        return frame

    return change_camera_frames(case, DEPTH, remove_frame_pixels)


def repeat_depth_frame(case: Case) -> Case:
    """Repeat a picture for a second during movement."""
    places = list(get_camera_pictures(case, DEPTH).places)
    places[126:157] = [places[126]] * 31
    return shift_camera_view(case, DEPTH, places)


def scale_depth(case: Case, factor: float) -> Case:
    """Multiply all distances by a factor."""
    return change_camera_frames(case, DEPTH, lambda frame: frame * np.float32(factor))


INJURIES: dict[str, Injury] = {
    "depth.noise": Injury(add_depth_noise),
    "depth.range": Injury(lambda case: scale_depth(case, 6.0)),
    "depth.plausible": Injury(
        lambda case: scale_depth(case, 1000.0), {"depth.range": "what is five hundred metres away is more than one"}
    ),
    "depth.holes": Injury(remove_depth_pixels),
    "depth.frozen": Injury(repeat_depth_frame),
}
