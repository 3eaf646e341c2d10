"""A few frames beside each other, the one that is meant in a frame of its own."""

from collections.abc import Sequence

from fieldloop.loop.glimpse import FrameSeen
from fieldloop.ui.markup import Html, tag


def film_strip(frames: Sequence[FrameSeen], at_s: float) -> Html:
    """Show frames by camera in the order of time."""
    cameras = dict.fromkeys(frame.stream for frame in frames)
    rows = (_row(camera, [f for f in frames if f.stream == camera], at_s) for camera in cameras)
    return tag("div", *rows, class_="films")


def _row(camera: str, own: Sequence[FrameSeen], at_s: float) -> Html:
    meant = min(own, key=lambda frame: abs(frame.at_s - at_s))
    return tag("div", *(_figure(camera, frame, here=frame is meant) for frame in own), class_="film")


def _figure(camera: str, frame: FrameSeen, *, here: bool) -> Html:
    said = f"{camera} at {frame.at_s:.2f} s"
    drawn = tag("img", src=frame.picture, alt=said) if frame.picture else tag("p", "did not decode", class_="dim")
    return tag("figure", drawn, tag("figcaption", said), class_="here" if here else None)
