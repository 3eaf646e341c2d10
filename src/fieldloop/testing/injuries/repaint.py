"""Functions that change the pictures of a healthy recording's camera."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.testing.injuries.injury import Spoilt, change_stream
from fieldloop.testing.synthetic import Pictures

Picture = NDArray[Any]


def change_camera_frames(
    case: Case, name: str, change: Callable[[Picture], Picture], frames: Iterable[int] | None = None
) -> Case:
    """Change some frames of one camera, or all of them."""
    inner = get_camera_pictures(case, name)
    wanted = sorted(range(len(inner)) if frames is None else frames)
    changed = {i: change(frame) for i, frame in zip(wanted, inner.frames(wanted), strict=True)}
    return change_stream(case, name, pictures=Spoilt(inner, changed))


def shift_camera_view(case: Case, name: str, shifts: Iterable[float]) -> Case:
    """Shift one camera's view, frame by frame."""
    return change_stream(case, name, pictures=replace(get_camera_pictures(case, name), places=tuple(shifts)))


def get_camera_pictures(case: Case, name: str) -> Pictures:
    """Return the pictures of a healthy recording's camera."""
    pictures = case.recording.streams[name].pictures
    assert isinstance(pictures, Pictures)
    return pictures
