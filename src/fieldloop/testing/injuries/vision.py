"""Injuries that the checks of vision must notice."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import Injury, Spoilt, change_stream
from fieldloop.testing.synthetic import Pictures


def freeze_frames(case: Case) -> Case:
    """Repeat a picture for half a second in mid-movement."""
    pictures = case.recording.streams["camera/wrist"].pictures
    assert isinstance(pictures, Pictures)
    places = list(pictures.places)
    places[90:105] = [places[90]] * 15
    return change_stream(case, "camera/wrist", pictures=replace(pictures, places=tuple(places)))


def shrink(case: Case) -> Case:
    """Let the overhead camera give a quarter of its pixels."""
    pictures = case.recording.streams["camera/overhead"].pictures
    assert isinstance(pictures, Pictures)
    return change_stream(case, "camera/overhead", pictures=replace(pictures, width=32, height=24))


def spoil_frames(case: Case, frames: range, picture: NDArray[Any]) -> Case:
    """Replace frames of the wrist camera."""
    inner = case.recording.streams["camera/wrist"].pictures
    assert isinstance(inner, Pictures)
    return change_stream(case, "camera/wrist", pictures=Spoilt(inner, dict.fromkeys(frames, picture)))


def blind(case: Case) -> Case:
    """Turn the light off for a second; noise keeps the frames from being the same."""
    inner = case.recording.streams["camera/wrist"].pictures
    assert isinstance(inner, Pictures)
    random = np.random.default_rng(0)
    dark = {i: random.integers(0, 6, (inner.height, inner.width, 3), np.uint8) for i in range(100, 130)}
    return change_stream(case, "camera/wrist", pictures=Spoilt(inner, dark))


INJURIES: dict[str, Injury] = {
    "vision.resolution": Injury(shrink),
    "vision.frozen_frames": Injury(freeze_frames),
    "vision.black_or_blown": Injury(blind),
    "vision.undecodable": Injury(lambda case: spoil_frames(case, range(40, 41), np.empty((0, 0, 3), np.uint8))),
}
