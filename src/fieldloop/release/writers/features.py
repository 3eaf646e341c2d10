"""What a dataset will hold, told from all its recordings before the first is written."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.episode import Recording
from fieldloop.model.stream import Stream, StreamKind

CLOCKS = (StreamKind.RGB, StreamKind.DEPTH, StreamKind.ACTION, StreamKind.JOINT_POSITION)
"""Whose stamps make the frame grid, first choice first: a learner's frame is a picture."""

NUMBERS = "biuf"
"""Kinds of NumPy type that are numbers: truths, integers with and without sign, fractions."""


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """One stream as every episode of the dataset has it."""

    name: str
    kind: StreamKind
    unit: str
    columns: tuple[str, ...]
    width: int = 0
    dtype: str = ""
    size: tuple[int, int] = (0, 0)
    frame_id: str = ""
    serial: str = ""

    @property
    def is_camera(self) -> bool:
        """Does it hold pictures?"""
        return not self.width


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The streams that all episodes share, the clock they are brought onto, and what stays behind and why."""

    signals: tuple[Feature, ...]
    cameras: tuple[Feature, ...]
    clock: str
    hz: float
    robot: str
    uniform: bool = False
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Seen:
    feature: Feature
    episodes: int = 0
    rates: list[float] = field(default_factory=list)
    differs: str = ""


def survey(recordings: Iterable[Recording], *, clock: str = "", hz: float | None = None) -> Features:
    """Look through all recordings; no pixel is decoded but the first of each camera.

    `clock` names the stream whose stamps are the grid; `hz` asks for an even grid of that rate instead.
    """
    seen: dict[str, _Seen] = {}
    left: dict[str, str] = {}
    robots: Counter[str] = Counter()
    count = 0
    for recording in recordings:
        count += 1
        robots[recording.episode.robot] += 1
        for stream in recording.streams.values():
            if reason := _unfit(stream):
                left.setdefault(stream.name, reason)
                continue
            _note(seen, stream)
    if not count:
        raise BadInput("There is no recording to write.")
    for name, found in list(seen.items()):
        if found.episodes < count or found.differs:
            left[name] = found.differs or left.get(name) or f"only {found.episodes} of {count} episodes have it"
            del seen[name]
    if not seen:
        raise BadInput(f"No stream is in every episode: {'; '.join(f'{n}: {why}' for n, why in left.items())}.")
    grid = _clock(seen, clock)
    features = [found.feature for _, found in sorted(seen.items())]
    rate = hz or float(np.median(seen[grid].rates or [1.0]))
    return Features(
        tuple(f for f in features if not f.is_camera), tuple(f for f in features if f.is_camera),
        grid, rate, robots.most_common(1)[0][0], hz is not None,
        tuple(f"{name}: {why}" for name, why in sorted(left.items())),
    )  # fmt: skip


def _unfit(stream: Stream) -> str:
    if not len(stream):
        return "it has no sample"
    if stream.values is None and stream.pictures is None:
        return stream.notes.get("encoding") or stream.notes.get("values") or "it has stamps but no values"
    if stream.values is not None and (not stream.values.size or stream.values.dtype.kind not in NUMBERS):
        return "its messages hold no numbers"
    if stream.pictures is not None and 0 in stream.pictures.size:
        return "none of its pictures can be decoded"
    return ""


def _note(seen: dict[str, _Seen], stream: Stream) -> None:
    if stream.name not in seen:
        seen[stream.name] = _Seen(_feature(stream))
    found = seen[stream.name]
    found.episodes += 1
    if stream.hz:
        found.rates.append(stream.hz)
    new, known = _feature(stream), found.feature
    for what in ("kind", "unit", "columns", "size", "width"):
        here, there = getattr(new, what), getattr(known, what)
        if here != there and not (what == "columns" and not (here and there)):
            found.differs = found.differs or f"its {what} is {there or 'not told'} in one episode, {here} in another"
    if new.dtype != known.dtype:
        found.feature = replace(known, dtype=np.result_type(new.dtype, known.dtype).name)


def _feature(stream: Stream) -> Feature:
    if stream.values is None:
        assert stream.pictures is not None
        size = stream.pictures.size
        return Feature(
            stream.name, stream.kind, stream.unit, (), size=size, frame_id=stream.frame_id, serial=stream.serial
        )
    width = _width(stream)
    names = stream.columns if len(stream.columns) == width else ()
    return Feature(
        stream.name, stream.kind, stream.unit, names, width, stream.values.dtype.name,
        frame_id=stream.frame_id, serial=stream.serial,
    )  # fmt: skip


def _width(stream: Stream) -> int:
    assert stream.values is not None
    return int(np.prod(stream.values.shape[1:]))


def _clock(seen: dict[str, _Seen], wanted: str) -> str:
    if wanted:
        if wanted not in seen:
            raise BadInput(f"{wanted} is no stream that every episode has. There are: {', '.join(sorted(seen))}.")
        return wanted
    for kind in CLOCKS:
        of_kind = sorted(name for name, found in seen.items() if found.feature.kind is kind)
        if of_kind:
            return of_kind[0]
    return max(sorted(seen), key=lambda name: float(np.median(seen[name].rates or [0.0])))
