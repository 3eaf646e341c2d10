"""A camera that pans over a printed sheet as three joints turn, so that the lag of its pictures is known exactly."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.identity import compute_content_id
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

START_NS = 1_780_000_000 * NS_PER_S
CAMERA, JOINTS = "camera/panning", "joints"
FRAMES_HZ, JOINTS_HZ = 30.0, 100.0
SIZE = (128, 96)
SHEET = 512
REACH_PX = np.array([[70.0, 10.0], [-15.0, 60.0], [25.0, -20.0]])
"""How far the view moves, across and down, by a radian of each joint."""


@dataclass(frozen=True, slots=True, eq=False)
class Panned:
    """A FrameSource that cuts its pictures out of the sheet around these places, between pixels too."""

    places: NDArray[np.float64]
    noise: float = 2.0
    size: tuple[int, int] = SIZE

    def __len__(self) -> int:
        return len(self.places)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Cut frames in ascending order; each has noise of its own."""
        import cv2

        for index in range(len(self)) if indices is None else sorted(indices):
            across, down = self.places[index]
            cut = cv2.getRectSubPix(_draw_printed_sheet(), self.size, (float(across), float(down))).astype(np.float64)
            cut += np.random.default_rng(index).normal(0.0, self.noise, cut.shape)
            yield np.repeat(np.clip(cut, 0, 255).astype(np.uint8)[:, :, None], 3, axis=2)


def record_panning_camera(
    seed: int = 0, *, lag_ms: float = 0.0, seconds: float = 12.0, speed: float = 1.0, drift_ppm: float = 0.0
) -> Recording:
    """Record a panning camera: a frame stamped t shows the joints as logged at t + lag.

    `speed` stretches the motion: 1 moves about once a second, 0.1 is slow, 0 is still.
    """
    rng = np.random.default_rng(seed)
    way = _draw_joint_motion(rng, speed * (seconds + 2) + 4)
    joints_s = np.arange(-0.5, seconds + 0.5, 1 / JOINTS_HZ)
    frames_s = rng.uniform(0, 1 / FRAMES_HZ) + np.arange(round(seconds * FRAMES_HZ)) / FRAMES_HZ
    shown_s = frames_s + lag_ms / 1e3 + drift_ppm * 1e-6 * (frames_s - seconds / 2)
    angles = way(speed * (joints_s + 1) + 1) + rng.normal(0.0, 2e-5, (len(joints_s), 3))
    places = SHEET / 2 + way(speed * (shown_s + 1) + 1) @ REACH_PX
    joints = Stream(
        JOINTS, StreamKind.JOINT_POSITION, "rad", _make_header_clock(joints_s), angles, nominal_hz=JOINTS_HZ
    )
    camera = Stream(
        CAMERA, StreamKind.RGB, "8-bit", _make_header_clock(frames_s), pictures=Panned(places), nominal_hz=FRAMES_HZ
    )
    episode = Episode(
        id=compute_content_id([angles.tobytes()]),
        name=f"panning-{seed}",
        format="synthetic",
        robot="panner",
        start_ns=START_NS,
    )
    return Recording(episode, {CAMERA: camera, JOINTS: joints})


def drop_frames_silently(recording: Recording, first_frame: int, frame_count: int) -> Recording:
    """Drop frames without a gap in the timestamps: later frames move up."""
    camera = recording.streams[CAMERA]
    assert isinstance(camera.pictures, Panned)
    places = np.delete(camera.pictures.places, np.arange(first_frame, first_frame + frame_count), axis=0)
    stamps = {ClockKind.HEADER: camera.times_ns[: len(places)]}
    lost = replace(camera, pictures=Panned(places), clocks=stamps)
    return replace(recording, streams={**recording.streams, CAMERA: lost})


def _draw_joint_motion(rng: np.random.Generator, seconds: float) -> Any:
    """Return angles as a smooth function of time: from rest to rest, with pauses and varied moves."""
    from scipy.interpolate import PchipInterpolator

    moments, places = [0.0], [np.zeros(3)]
    while moments[-1] < seconds:
        moments.append(moments[-1] + rng.uniform(0.5, 1.1))
        places.append(rng.uniform(-1, 1, 3))
        if rng.random() < 0.4:  # noqa: PLR2004 - some stops take a moment
            moments.append(moments[-1] + rng.uniform(0.1, 0.4))
            places.append(places[-1])
    return PchipInterpolator(moments, np.array(places))


def _make_header_clock(at_s: NDArray[np.float64]) -> dict[ClockKind, NDArray[np.int64]]:
    return {ClockKind.HEADER: START_NS + np.round(at_s * NS_PER_S).astype(np.int64)}


@cache
def _draw_printed_sheet() -> NDArray[np.uint8]:
    import cv2

    rng, sheet = np.random.default_rng(7), np.zeros((SHEET, SHEET))
    for grains, strength in ((12, 0.45), (48, 0.4), (120, 0.3)):
        grain = rng.random((grains, grains))
        sheet += strength * cv2.resize(grain, (SHEET, SHEET), interpolation=cv2.INTER_CUBIC)
    return np.clip(40 + 140 * sheet, 0, 255).astype(np.uint8)
