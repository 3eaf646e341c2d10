"""Frames of each camera in a row; the one nearest to the chosen moment is outlined."""

from collections.abc import Sequence

from fieldloop.loop.data.moment import FrameSeen
from fieldloop.say.html import Markup, tag
from fieldloop.say.numbers import format_fixed


def draw_film_strip(frames: Sequence[FrameSeen], at_s: float) -> Markup:
    """Show frames by camera in the order of time."""
    cameras = dict.fromkeys(frame.stream for frame in frames)
    rows = (_draw_camera_row(camera, [f for f in frames if f.stream == camera], at_s) for camera in cameras)
    return tag("div", *rows, class_="films")


def _draw_camera_row(camera: str, frames: Sequence[FrameSeen], at_s: float) -> Markup:
    nearest = min(frames, key=lambda frame: abs(frame.at_s - at_s))
    return tag("div", *(_draw_frame(camera, frame, is_current=frame is nearest) for frame in frames), class_="film")


def _draw_frame(camera: str, frame: FrameSeen, *, is_current: bool) -> Markup:
    caption = f"{camera} at {format_fixed(frame.at_s, 2)} s"
    drawn = tag("img", src=frame.picture, alt=caption) if frame.picture else tag("p", "cannot be decoded", class_="dim")
    return tag("figure", drawn, tag("figcaption", caption), class_="here" if is_current else None)
