"""Compare what was written with its source: values row by row, frames by number, and the lag of the pictures."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content_lag import (
    LagEstimate,
    LagEvidence,
    collect_lag_evidence,
    estimate_pooled_lag,
    read_content_lag_settings,
)
from fieldloop.ingest import open_log
from fieldloop.loop.ship.same_frames import compare_frames
from fieldloop.model.episode import Recording
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import MS_PER_S, Stream, StreamKind
from fieldloop.protocol import Section, default_protocol
from fieldloop.release.writers.pairing import Pair, pairs_by_index, stamp_rows_alike

KEPT_RULES = ("as recorded", "nearest")
"""Rules under which a row is a sample, so that its value must be found again."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison of the written files with their source."""

    status: Status
    fact: Note


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """How rows were made: `clock` is the stream of the rows, '' where every stream kept its own timestamps."""

    clock: str
    rules: Mapping[str, str]
    pair: Pair = ""


def compare_content(
    source: Iterable[Recording], target: Path, episodes: int, how: Pairing, settings: Section
) -> tuple[Compared, ...]:
    """Read some episodes back and compare them with the source; only FAILED ones are wrong."""
    pairs = _pair_episodes(source, target, episodes, int(settings.number("compared_episodes")))
    if not pairs:
        return (Compared(Status.CANNOT_TELL, note("release.not_compared")),)
    found = [one for before, after in pairs for one in _compare_episode(before, after, how, settings)]
    failed, unknown = (_keep_first_per_stream(found, status) for status in (Status.FAILED, Status.CANNOT_TELL))
    streams = {one.fact.subject.stream for one in found if one.status is Status.PASSED}
    if failed or not streams:
        verdict = failed
    else:
        verdict = (Compared(Status.PASSED, note("release.content_same", episodes=len(pairs), streams=len(streams))),)
    most = settings.number("most_lag_change_frames")
    lags = [one for camera in _list_cameras(pairs) for one in _compare_lag(camera, pairs, how, most)]
    nothing = Compared(Status.CANNOT_TELL, note("release.not_compared"))
    return (*((*verdict, *unknown) or (nothing,)), *lags)


def _keep_first_per_stream(found: Iterable[Compared], status: Status) -> tuple[Compared, ...]:
    """Return the first comparison of each kind and stream that has this status."""
    kept: dict[tuple[str, str], Compared] = {}
    for one in found:
        if one.status is status:
            kept.setdefault((one.fact.code, one.fact.subject.stream), one)
    return tuple(kept.values())


def _pair_episodes(
    source: Iterable[Recording], target: Path, episodes: int, most: int
) -> list[tuple[Recording, Recording]]:
    """Return episodes spread over the set as they were and as they are; those whose name is not unique are left out."""
    chosen = {int(k) for k in np.linspace(0, episodes - 1, min(most, episodes)).round()}
    names: Counter[str] = Counter()
    before: dict[str, Recording] = {}
    for k, recording in enumerate(source):
        names[recording.episode.name] += 1
        if k in chosen:
            before[recording.episode.name] = recording
    before = {name: recording for name, recording in before.items() if names[name] == 1}
    written: Counter[str] = Counter()
    after: dict[str, Recording] = {}
    for recording in open_log(target).recordings if before else ():
        name = recording.episode.name
        written[name] += 1
        if name in before:
            after[name] = recording
    return [(before[name], recording) for name, recording in after.items() if written[name] == 1]


def _compare_episode(before: Recording, after: Recording, how: Pairing, settings: Section) -> Iterator[Compared]:
    by_index = pairs_by_index(before, how.pair)
    for name, is_now in after.streams.items():
        was = before.streams.get(name)
        if was is None or (how.rules and how.rules.get(name) not in KEPT_RULES):
            continue
        rows, samples = _match_samples(was, is_now, by_index=by_index)
        if not len(rows):
            continue
        about = Subject(name, episode=before.episode.name)
        if was.values is not None and is_now.values is not None:
            yield _compare_values(about, was.values[samples], is_now.values[rows])
        elif was.pictures is not None and is_now.pictures is not None:
            yield Compared(*compare_frames(about, was.pictures, is_now.pictures, samples, rows, settings))


def _match_samples(was: Stream, is_now: Stream, *, by_index: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which rows are which samples of the source: by number, else by timestamps that occur once."""
    count = min(len(was), len(is_now))
    if by_index and (len(was) == len(is_now) or np.array_equal(was.times_ns[:count], is_now.times_ns[:count])):
        return np.arange(count), np.arange(count)
    times, first, often = np.unique(was.times_ns, return_index=True, return_counts=True)
    if not count:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    at = np.clip(np.searchsorted(times, is_now.times_ns), 0, len(times) - 1)
    found = (times[at] == is_now.times_ns) & (often[at] == 1)
    return np.flatnonzero(found), first[at[found]]


def _compare_values(about: Subject, was: NDArray[Any], is_now: NDArray[Any]) -> Compared:
    if was.dtype.kind not in "biuf" or was[:1].size != is_now[:1].size:
        return Compared(Status.CANNOT_TELL, note("release.not_compared", about=about))
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = was.reshape(len(was), -1).astype(is_now.dtype)
    shown = is_now.reshape(len(is_now), -1)
    if shown.dtype.kind == "f":  # targets round to 32 bits, and list it; a reader may widen them again
        with np.errstate(over="ignore"):
            wanted, shown = wanted.astype(np.float32), shown.astype(np.float32)
    same = (wanted == shown) | ((wanted != wanted) & (shown != shown))  # noqa: PLR0124 - NaN alone differs from itself
    wrong = int((~same.all(axis=1)).sum())
    if not wrong:
        return Compared(Status.PASSED, note("release.values_same", about=about))
    return Compared(Status.FAILED, note("release.values_differ", about=about, rows=wrong, total=len(same)))


def _list_cameras(pairs: list[tuple[Recording, Recording]]) -> list[str]:
    return sorted(
        name
        for name, stream in pairs[0][1].streams.items()
        if stream.kind is StreamKind.RGB and name in pairs[0][0].streams
    )


def _compare_lag(
    camera: str, pairs: list[tuple[Recording, Recording]], how: Pairing, most_frames: float
) -> Iterator[Compared]:
    """Compare the lag between pictures and joints before and after: whole intervals, and more than `most_frames`."""
    about = Subject(camera)
    before = _estimate_lag(camera, [_pair_source_rows(was, how) for was, _ in pairs])
    if before.refused:
        yield Compared(Status.CANNOT_TELL, note("release.lag_unknown", about=about, reason=before.refused))
        return
    after = _estimate_lag(camera, [_stamp_rows_alike(is_now, how.clock) for _, is_now in pairs])
    if after.refused:
        yield Compared(Status.CANNOT_TELL, note("release.lag_unknown", about=about, reason=after.refused))
        return
    hz = pairs[0][0].streams[camera].hz or 1.0
    apart = max(before.low_s - after.high_s, after.low_s - before.high_s)
    changed = apart > 0 and abs(after.lag_s - before.lag_s) > most_frames / hz
    numbers = {
        "before_ms": before.lag_s * MS_PER_S, "after_ms": after.lag_s * MS_PER_S,
        "half_ms": max(before.high_s - before.low_s, after.high_s - after.low_s) / 2 * MS_PER_S,
    }  # fmt: skip
    if changed:
        yield Compared(Status.FAILED, note("release.lag_changed", about=about, **numbers))
    else:
        yield Compared(Status.PASSED, note("release.lag_same", about=about, **numbers))


def _estimate_lag(camera: str, recordings: list[Recording]) -> LagEstimate:
    settings = read_content_lag_settings(default_protocol())
    kept: list[LagEvidence] = [
        collect_lag_evidence(one.streams[camera], tuple(one.streams.values()), settings)
        for one in recordings
        if camera in one.streams
    ]
    return estimate_pooled_lag(kept, settings)


def _pair_source_rows(recording: Recording, how: Pairing) -> Recording:
    """Return the source as its format pairs it: by index at the moments of rows, else by its own timestamps."""
    if not pairs_by_index(recording, how.pair):
        return recording
    return _stamp_rows_alike(recording, how.clock) if how.clock else stamp_rows_alike(recording, how.pair)[0]


def _stamp_rows_alike(recording: Recording, clock: str) -> Recording:
    """Return the recording as a learner sees it: all samples of one row at the row's moment."""
    rows = recording.streams.get(clock)
    if rows is None:
        return recording
    alike = {
        name: replace(stream, clocks={rows.clock: rows.times_ns})
        for name, stream in recording.streams.items()
        if len(stream) == len(rows)
    }
    return replace(recording, streams={**recording.streams, **alike})
