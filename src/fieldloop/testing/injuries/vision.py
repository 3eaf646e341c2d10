"""Injuries that the checks of vision must notice."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import Injury, change_stream, keep_samples
from fieldloop.testing.injuries.repaint import change_camera_frames, get_camera_pictures, shift_camera_view

WRIST = "camera/wrist"


def freeze_frames(case: Case) -> Case:
    """Repeat a picture for half a second during movement."""
    places = list(get_camera_pictures(case, WRIST).places)
    places[126:141] = [places[126]] * 15
    return shift_camera_view(case, WRIST, places)


def repeat_every_second_frame(case: Case) -> Case:
    """Read a camera twice as often as it delivers."""
    count = len(get_camera_pictures(case, WRIST))
    return shift_camera_view(case, WRIST, ((number // 2) * 0.04 % 1.0 for number in range(count)))


def halve_frame_rate(case: Case) -> Case:
    """Reduce a camera to 15 frames per second, and declare that rate."""
    stream = case.recording.streams[WRIST]
    half = keep_samples(stream, np.arange(0, len(stream), 2))
    return change_stream(case, WRIST, clocks=half.clocks, pictures=half.pictures, nominal_hz=15.0)


def shrink_overhead_pictures(case: Case) -> Case:
    """Reduce the overhead camera to a quarter of its pixels."""
    pictures = get_camera_pictures(case, "camera/overhead")
    return change_stream(case, "camera/overhead", pictures=replace(pictures, width=32, height=24))


def replace_wrist_frames(case: Case, frames: range, picture: NDArray[Any]) -> Case:
    """Replace frames of the wrist camera by another picture."""
    return change_camera_frames(case, WRIST, lambda _: picture, frames)


def darken_frames(case: Case) -> Case:
    """Turn the light off for a second; noise keeps the frames from being the same."""
    random = np.random.default_rng(0)
    return change_camera_frames(
        case, WRIST, lambda frame: random.integers(0, 6, frame.shape, np.uint8), range(100, 130)
    )


def overexpose_frames(case: Case) -> Case:
    """Make the upper and lower third of every picture white."""

    def whiten_thirds(frame: NDArray[Any]) -> NDArray[Any]:
        third = len(frame) // 3
        frame[:third] = frame[-third:] = 255
        return frame

    return change_camera_frames(case, WRIST, whiten_thirds)


def cover_lens(case: Case) -> Case:
    """Cover the lens for a second."""
    random = np.random.default_rng(0)
    return change_camera_frames(
        case, WRIST, lambda frame: random.integers(88, 93, frame.shape, np.uint8), range(100, 130)
    )


def blur_frames(case: Case, frames: int = 60) -> Case:
    """Blur the picture for two seconds, or for some frames."""

    def blur_frame(frame: NDArray[Any]) -> NDArray[Any]:
        width = 13
        rows = np.pad(frame[:, :, 1].astype(float), ((0, 0), (width // 2, width // 2)), mode="edge")
        smooth = np.lib.stride_tricks.sliding_window_view(rows, width, axis=1).mean(axis=2)
        return np.repeat(smooth[:, :, None], 3, axis=2).astype(np.uint8)

    return change_camera_frames(case, WRIST, blur_frame, range(100, 100 + frames))


INJURIES: dict[str, Injury] = {
    "vision.resolution": Injury(shrink_overhead_pictures),
    "vision.frame_rate": Injury(halve_frame_rate),
    "vision.frozen_frames": Injury(freeze_frames),
    "vision.repeated_frames": Injury(repeat_every_second_frame),
    "vision.black_or_blown": Injury(darken_frames),
    "vision.overexposed": Injury(overexpose_frames),
    "vision.covered": Injury(cover_lens),
    "vision.sharpness": Injury(blur_frames),
    "vision.undecodable": Injury(lambda case: replace_wrist_frames(case, range(40, 41), np.empty((0, 0, 3), np.uint8))),
}
