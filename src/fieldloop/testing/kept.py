"""What a recording lost by being written and read again, beyond what the writer said."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import Stream
from fieldloop.release.writers.grid import Rule, nearest, resample
from fieldloop.release.writers.written import Written

FIELDS = tuple(f.name for f in fields(Episode) if f.name not in ("id", "format", "start_ns", "end_ns", "facts"))
OF_THE_PLACE = ("dataset", "dataset_episodes", "episode_index", "split", "source_episode", "uid")
"""Facts of where an episode lies: written on, it lies elsewhere."""
TRAITS = ("kind", "unit", "columns", "frame_id", "serial")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a format cannot keep of anything, so that it need not be said each time.

    `levels` is how far a picture may be off on average, in 8-bit levels, `depth_m` a distance in metres.
    """

    levels: float = 0.0
    depth_m: float = 0.0


def differences(before: Recording, after: Recording, written: Written, limits: Limits) -> Iterator[str]:
    """Yield what is not as it was, and was not said: facts, streams, stamps, values by their rule, frames."""
    for name in FIELDS:
        one, other = getattr(before.episode, name), getattr(after.episode, name)
        if one != other and not _said(name, written):
            yield f"{name} was {one!r} and is {other!r}"
    for key, value in before.episode.facts:
        if after.episode.fact(key) != value and key not in OF_THE_PLACE and not _said(key, written):
            yield f"the fact {key} was {value!r} and is {after.episode.fact(key)!r}"
    for name, stream in before.streams.items():
        if name in after.streams:
            yield from (f"{name}: {what}" for what in _of_stream(before, stream, after.streams[name], written, limits))
        elif not _said(name, written):
            yield f"{name} is gone"


def _of_stream(recording: Recording, before: Stream, after: Stream, written: Written, limits: Limits) -> Iterator[str]:
    for trait in TRAITS:
        one, other = getattr(before, trait), getattr(after, trait)
        if one != other:
            yield f"its {trait} was {one!r} and is {other!r}"
    if not written.clock:
        yield from _same_clocks(before, after, written)
        picks = np.arange(len(before))
        values = before.values
    else:
        grid = np.sort(recording.streams[written.clock].times_ns)
        picks = nearest(before.times_ns, grid)
        wanted = before.times_ns[picks] if before.pictures is not None else grid
        if not np.array_equal(after.times_ns, wanted):
            yield f"its {after.clock.value} stamps are not those of the frames"
        values = None if before.values is None else resample(before, grid, _rule(before, written))
    if values is not None:
        yield from _same_values(values, after, rounding=_said(before.name, written))
    if before.pictures is not None:
        yield from _same_pictures(before, picks, after, limits)


def _rule(stream: Stream, written: Written) -> Rule:
    assert written.rules is not None, "what is resampled says how"
    return Rule(written.rules[stream.name])


def _same_clocks(before: Stream, after: Stream, written: Written) -> Iterator[str]:
    for kind, times in before.clocks.items():
        if kind in after.clocks and not np.array_equal(after.clocks[kind], times):
            yield f"its {kind.value} stamps are others"
        elif kind not in after.clocks and not _said(f"{before.name}: its {kind.value} clock", written):
            yield f"its {kind.value} clock is gone"
    if more := after.clocks.keys() - before.clocks.keys():
        yield f"it never had a clock called {', '.join(sorted(kind.value for kind in more))}"


def _same_values(wanted: NDArray[Any], after: Stream, *, rounding: bool) -> Iterator[str]:
    """Compare numbers: as float32 where the writer said that it rounds.

    The type of fractions may change as long as no value does.
    """
    if after.values is None:
        yield "its values are gone"
        return
    wanted, found = wanted.reshape(len(wanted), -1), after.values.reshape(len(after.values), -1)
    fractions = wanted.dtype.kind == found.dtype.kind == "f"
    if rounding and fractions:
        wanted, found = wanted.astype(np.float32), found.astype(np.float32)
    if found.dtype != wanted.dtype and not (fractions and np.array_equal(found, wanted, equal_nan=True)):
        yield f"its numbers were {wanted.dtype} and are {found.dtype}"
    elif not np.array_equal(found, wanted, equal_nan=found.dtype.kind == "f"):
        yield "its numbers are others"


def _same_pictures(before: Stream, picks: NDArray[np.int64], after: Stream, limits: Limits) -> Iterator[str]:
    if after.pictures is None or before.pictures is None:
        yield "its pictures are gone"
        return
    if after.pictures.size != before.pictures.size:
        yield f"its pictures were {before.pictures.size} and are {after.pictures.size}"
        return
    if len(after.pictures) != len(picks):
        yield f"it has {len(after.pictures)} pictures for {len(picks)} frames"
        return
    wanted = dict(zip(np.unique(picks).tolist(), before.pictures.frames(np.unique(picks).tolist()), strict=True))
    for index, frame in enumerate(after.pictures.frames()):
        drawn = wanted[int(picks[index])]
        if frame.shape != drawn.shape or frame.dtype != drawn.dtype:
            yield f"its frame {index} was {drawn.dtype} {drawn.shape} and is {frame.dtype} {frame.shape}"
            return
        if (off := _off(drawn, frame)) > (limits.depth_m if frame.dtype.kind == "f" else limits.levels):
            yield f"its frame {index} is off by {off:.3g}"
            return


def _off(drawn: NDArray[Any], frame: NDArray[Any]) -> float:
    """Return the mean error in levels, or the worst in metres; endless where only one knows a distance."""
    if frame.dtype.kind != "f":
        return float(np.abs(frame.astype(np.int64) - drawn).mean())
    known = ~np.isnan(drawn)
    if not np.array_equal(known, ~np.isnan(frame)):
        return float("inf")
    return float(np.abs(frame[known] - drawn[known]).max(initial=0.0))


def _said(what: str, written: Written) -> bool:
    """Is it named? `gripper` is not named by a word on `gripper/effort`."""
    name = re.compile(rf"(?<![\w/]){re.escape(what)}(?![\w/])")
    return any(name.search(entry) for entry in written.left_out)
