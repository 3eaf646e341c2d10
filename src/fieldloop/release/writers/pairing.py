"""Which samples belong to a row by their number: formats that pair by index are written row by row."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.episode import Recording
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import FIRST_REAL_NS, NS_PER_S, ClockKind, Stream
from fieldloop.protocol import default_operations
from fieldloop.release.writers.grid import Times, measure_distance_ns

Pair = Literal["", "index", "time"]
"""How samples come to a row; '' is what the source's format defines."""

ONE_SAMPLE_A_ROW = ("lerobot",)
"""Formats in which every column and every video has one sample a row."""
ONE_LENGTH_A_ROW = ("hdf5", "rlds")
"""Formats in which arrays of the same length belong together by their number."""
MADE_UP = (ClockKind.CONTAINER, ClockKind.SYNTHETIC)
"""Clocks that count frames and measure nothing."""


def pairs_by_index(recording: Recording, pair: Pair) -> bool:
    """Does a sample's number decide to which row it belongs?"""
    return pair == "index" or (not pair and _get_format_family(recording) in ONE_SAMPLE_A_ROW + ONE_LENGTH_A_ROW)


def pairs_one_sample_per_row(recording: Recording, pair: Pair) -> bool:
    """Does it decide for streams of another length, too?"""
    return pair == "index" or (not pair and _get_format_family(recording) in ONE_SAMPLE_A_ROW)


def find_paired_streams(recording: Recording, names: Iterable[str], clock: str, pair: Pair) -> frozenset[str]:
    """Return the streams whose sample k belongs to row k; empty where time decides.

    BadInput where neither index nor time can decide: another number of samples, and no timestamps. A single sample
    without a timestamp holds for the whole episode.
    """
    if not pairs_by_index(recording, pair):
        return frozenset()
    streams = recording.streams
    rows = len(streams[clock])
    if pair == "index":
        _refuse_other_rates(recording, names, clock)
    if pairs_one_sample_per_row(recording, pair):
        return frozenset(names)
    paired = frozenset(name for name in names if len(streams[name]) == rows)
    for name in names:
        if name not in paired and len(streams[name]) > 1 and streams[name].clock in MADE_UP:
            raise BadInput(
                f"{recording.episode.name}: {name} has {len(streams[name])} samples without timestamps, and {clock} "
                f"has {rows}. Choose --pair index (sample k belongs to row k) or --pair time (at assumed rates)."
            )
    return paired


def report_unpaired_samples(recording: Recording, paired: Iterable[str], row_count: int) -> Iterator[Note]:
    """Yield how many samples of each stream have no row, because another stream has fewer samples."""
    for name in sorted(paired):
        if (count := len(recording.streams[name])) > row_count:
            yield note("release.samples_without_row", about=Subject(name), samples=count - row_count, total=count)


def report_time_disagreement(recording: Recording, paired: Iterable[str], clock: str, hz: float) -> Note | None:
    """Return by how much the timestamps of a row's samples differ at most; None up to half a frame."""
    grid = recording.streams[clock].times_ns
    worst = max(
        ((_measure_max_distance_s(recording.streams[name], grid), name) for name in sorted(paired)),
        default=(0.0, ""),
        key=lambda one: one[0],
    )
    if worst[0] * hz <= 0.5:  # noqa: PLR2004 - within half a frame, the nearest frame is the row's own
        return None
    about = Subject(worst[1], clock)
    return note("release.paired_by_index", about=about, apart_s=worst[0], apart_frames=worst[0] * hz)


def stamp_rows_alike(recording: Recording, pair: Pair) -> tuple[Recording, tuple[Note, ...]]:
    """Give samples of one row one timestamp, for a format that knows no rows, where made-up clocks disagree.

    A log pairs by time alone: counted timestamps of a video that begins at another moment would shift its frames.
    """
    counted = [s for s in recording.streams.values() if len(s) and s.clock in MADE_UP]
    rows = next((s for s in counted if s.values is not None), None)
    if rows is None or not rows.hz:
        return recording, ()
    alike = [s.name for s in counted if len(s) == len(rows)]
    paired = find_paired_streams(recording, alike, rows.name, pair)
    found = report_time_disagreement(recording, paired, rows.name, rows.hz) if paired else None
    if found is None:
        return recording, ()
    restamped = {name: replace(recording.streams[name], clocks=rows.clocks) for name in paired}
    named = replace(found, subject=replace(found.subject, episode=recording.episode.name))
    return replace(recording, streams={**recording.streams, **restamped}), (named,)


def _get_format_family(recording: Recording) -> str:
    """Return the format without its version or layout: `lerobot v2.1`, `hdf5 aloha`."""
    return recording.episode.format.partition(" ")[0]


def _measure_max_distance_s(stream: Stream, grid_ns: Times) -> float:
    """Return how far samples and rows of one number are apart at most; 0 where one of the clocks counts from zero."""
    count = min(len(stream), len(grid_ns))
    times, rows = stream.times_ns[:count], grid_ns[:count]
    if not count or bool(times[0] >= FIRST_REAL_NS) != bool(rows[0] >= FIRST_REAL_NS):
        return 0.0
    return float(np.max(measure_distance_ns(times, rows))) / NS_PER_S


def _refuse_other_rates(recording: Recording, names: Iterable[str], clock: str) -> None:
    rows, share = len(recording.streams[clock]), default_operations()["convert"].number("least_pair_share")
    for name in names:
        if not share * rows <= len(recording.streams[name]) <= rows / share:
            raise BadInput(
                f"{recording.episode.name}: {name} has {len(recording.streams[name])} samples and {clock} has {rows}, "
                "so they cannot be paired by index. Use --pair time."
            )
