"""Compare a recording with itself after writing and reading, and report losses that the writer did not list."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Recording
from fieldloop.model.episode_text import FIELDS
from fieldloop.model.stream import ClockKind, Stream
from fieldloop.model.stream_notes import RESAMPLED
from fieldloop.release.writers.grid import Rule, Times, choose_rule, make_grid_ns, pick_samples, resample_stream
from fieldloop.release.writers.written import Written

OF_THE_PLACE = ("dataset", "dataset_episodes", "episode_index", "split", "source_episode", "uid")
"""Facts about the location of an episode, which change when it is written elsewhere."""
TRAITS = ("kind", "unit", "columns", "frame_id", "serial")
SAME_RATE = 0.05
TRUST = tuple(ClockKind)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a format can never keep, so that a writer need not list it for each stream.

    `levels` is how far a picture may be off on average, in 8-bit levels, `depth_m` a distance in metres. `remade` are
    clocks that the format makes anew for every stream.
    """

    levels: float = 0.0
    depth_m: float = 0.0
    remade: tuple[ClockKind, ...] = ()


def find_differences(before: Recording, after: Recording, written: Written, limits: Limits) -> Iterator[str]:
    """Yield differences that the writer did not list: facts, streams, timestamps, values by their rule, frames."""
    for name in FIELDS:
        one, other = getattr(before.episode, name), getattr(after.episode, name)
        if one != other and not _is_listed_loss(name, written):
            yield f"{name} was {one!r} and is {other!r}"
    for key, value in before.episode.facts:
        if after.episode.get_fact(key) != value and key not in OF_THE_PLACE and not _is_listed_loss(key, written):
            yield f"the fact {key} was {value!r} and is {after.episode.get_fact(key)!r}"
    for name, stream in before.streams.items():
        if name in after.streams:
            yield from (
                f"{name}: {what}"
                for what in _find_stream_differences(before, stream, after.streams[name], written, limits)
            )
        elif not _is_listed_loss(name, written):
            yield f"{name} is gone"


def _find_stream_differences(
    recording: Recording, before: Stream, after: Stream, written: Written, limits: Limits
) -> Iterator[str]:
    for trait in TRAITS:
        one, other = getattr(before, trait), getattr(after, trait)
        if one != other and not _is_listed_loss(before.name, written, trait):
            yield f"its {trait} was {one!r} and is {other!r}"
    if written.clock:
        clock = recording.streams[written.clock]
        yield from _find_grid_differences(clock, before, after, written, limits)
        return
    yield from _compare_notes(before, after, written)
    yield from _compare_rate(before.nominal_hz, before, after, written)
    yield from _compare_clocks(before.clocks, before, after, written, limits)
    if before.values is not None:
        yield from _compare_values(before.values, after, rounding=_is_listed_loss(before.name, written))
    if before.pictures is not None:
        yield from _compare_pictures(before, np.arange(len(before)), after, limits)


def _find_grid_differences(
    clock: Stream, before: Stream, after: Stream, written: Written, limits: Limits
) -> Iterator[str]:
    """Compare a stream that was resampled onto the timestamps of another, by the rule of its kind."""
    grid = make_grid_ns(clock.times_ns)
    rule, stated = choose_rule(before, grid), (written.rules or {}).get(before.name, "")
    if rule is not Rule.AS_RECORDED and rule.value not in stated.split(" or "):
        yield f"its rule is {rule.value} and is stated as {stated!r}"
    yield from _compare_notes(before, after, written)
    rate = before.nominal_hz if stated == Rule.AS_RECORDED.value else clock.hz
    if rule is not Rule.AS_RECORDED or after.nominal_hz != before.nominal_hz:
        yield from _compare_rate(rate, before, after, written)
    if rule is not Rule.AS_RECORDED and RESAMPLED not in after.notes:
        yield "no note states that it was resampled"
    picks = pick_samples(before, grid, rule) if rule.keeps_samples else None
    yield from _compare_clocks(_compute_expected_clocks(clock, before, grid, picks), before, after, written, limits)
    if before.values is not None:
        yield from _compare_values(
            resample_stream(before, grid, rule), after, rounding=_is_listed_loss(before.name, written)
        )
    if before.pictures is not None and picks is not None:
        yield from _compare_pictures(before, picks, after, limits)


def _compute_expected_clocks(
    clock: Stream, before: Stream, grid: Times, picks: NDArray[np.int64] | None
) -> dict[ClockKind, Times]:
    """Return the stamps that rows must have: their samples', else the grid's under the less trusted clock."""
    if picks is None:
        return {max(clock.clock, before.clock, key=TRUST.index): grid}
    return {kind: times[picks] for kind, times in before.clocks.items()}


def _compare_notes(before: Stream, after: Stream, written: Written) -> Iterator[str]:
    """Compare notes. They state what is uncertain: without its note a guess would become a fact."""
    for key, text in before.notes.items():
        kept = after.notes.get(key, "")
        more = key == RESAMPLED and kept.startswith(f"{text}, then ")
        if kept != text and not more and not _is_listed_loss(before.name, written, f"note {key}"):
            yield f"its note {key} was {text!r} and is {kept!r}"


def _compare_rate(expected_hz: float | None, before: Stream, after: Stream, written: Written) -> Iterator[str]:
    rate = after.nominal_hz
    same = abs(rate / expected_hz - 1) < SAME_RATE if rate and expected_hz else not rate and not expected_hz
    if not same and not _is_listed_loss(before.name, written, "nominal_hz"):
        yield f"its nominal rate is {rate}, and should be {expected_hz}"


def _compare_clocks(
    expected_clocks: Mapping[ClockKind, Times], before: Stream, after: Stream, written: Written, limits: Limits
) -> Iterator[str]:
    for kind, times in expected_clocks.items():
        first = kind is next(one for one in ClockKind if one in expected_clocks)
        if kind in limits.remade and not first:
            continue
        if kind in after.clocks and not np.array_equal(after.clocks[kind], times):
            yield f"its {kind.value} stamps differ"
        elif kind not in after.clocks and not _is_clock_listed(before.name, kind, written):
            yield f"its {kind.value} clock is gone"
    if more := after.clocks.keys() - expected_clocks.keys() - {*limits.remade}:
        yield f"it never had a clock called {', '.join(sorted(kind.value for kind in more))}"


def _is_clock_listed(name: str, kind: ClockKind, written: Written) -> bool:
    """Is it listed for this stream, or as one that no stream keeps?"""
    everywhere = [loss for loss in written.left_out if loss.code == "release.further_clocks_not_kept"]
    return _is_listed_loss(name, written, kind.value) or any(kind.value in str(loss["clocks"]) for loss in everywhere)


def _compare_values(expected_values: NDArray[Any], after: Stream, *, rounding: bool) -> Iterator[str]:
    """Compare numbers: as float32 where the writer lists that it rounds.

    The type of fractions may change as long as no value does.
    """
    if after.values is None:
        yield "its values are gone"
        return
    expected_values, read_back = (
        expected_values.reshape(len(expected_values), -1),
        after.values.reshape(len(after.values), -1),
    )
    fractions = expected_values.dtype.kind == read_back.dtype.kind == "f"
    if rounding and fractions:
        expected_values, read_back = expected_values.astype(np.float32), read_back.astype(np.float32)
    if read_back.dtype != expected_values.dtype and not (
        fractions and np.array_equal(read_back, expected_values, equal_nan=True)
    ):
        yield f"its numbers were {expected_values.dtype} and are {read_back.dtype}"
    elif not np.array_equal(read_back, expected_values, equal_nan=read_back.dtype.kind == "f"):
        yield "its numbers differ"


def _compare_pictures(before: Stream, picks: NDArray[np.int64], after: Stream, limits: Limits) -> Iterator[str]:
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
        if (off := _compute_picture_error(drawn, frame)) > (
            limits.depth_m if frame.dtype.kind == "f" else limits.levels
        ):
            yield f"its frame {index} is off by {off:.3g}"
            return


def _compute_picture_error(expected_picture: NDArray[Any], frame: NDArray[Any]) -> float:
    """Return the mean error in levels, or the worst in metres; infinite where only one of the two has a distance."""
    if frame.dtype.kind != "f":
        return float(np.abs(frame.astype(np.int64) - expected_picture).mean())
    known = ~np.isnan(expected_picture)
    if not np.array_equal(known, ~np.isnan(frame)):
        return float("inf")
    return float(np.abs(frame[known] - expected_picture[known]).max(initial=0.0))


def _is_listed_loss(name: str, written: Written, part: str = "") -> bool:
    """Did the writer list this stream or field, and this part of it, as left out?"""
    about = [loss for loss in written.left_out if name in (loss.subject.stream, dict(loss.numbers).get("name"))]
    return any(not part or part in dict(loss.numbers).values() for loss in about)
