"""Decide what a dataset will hold, from all its recordings before the first is written."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.episode import Recording
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import StreamKind
from fieldloop.protocol import default_operations
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.pairing import Pair
from fieldloop.release.writers.seen import Seen, explain_unfit, make_feature
from fieldloop.release.writers.shared_stamps import SharedStamps
from fieldloop.release.writers.splits import choose_split
from fieldloop.release.writers.utf8 import escape_recording_texts

CLOCKS = (StreamKind.RGB, StreamKind.DEPTH, StreamKind.ACTION, StreamKind.JOINT_POSITION)
"""Whose stamps make the frame grid, first choice first: a learner's frame is a picture."""

ASSUMED_HZ = 1.0
"""What formats that require a rate get where the source has none: the number of a row is then its time."""

SLOWEST_HZ, FASTEST_HZ = 1e-6, 1e9
"""One row in eleven days, and one a nanosecond, which is as fine as stamps are."""


def ensure_rereadable(recordings: Iterable[Recording]) -> Iterable[Recording]:
    """Return recordings that can be read again: a writer surveys all of them before it writes the first."""
    return list(recordings) if isinstance(recordings, Iterator) else recordings


def survey_recordings(
    recordings: Iterable[Recording],
    *,
    clock: str = "",
    hz: float | None = None,
    splits: Mapping[str, str] | None = None,
    pair: Pair = "",
    longest_gap_s: float | None = None,
) -> Features:
    """Look through all recordings; no pixel is decoded but the first of each camera.

    `clock` names the stream whose stamps are the grid; `hz` asks for an even grid of that rate instead. `splits` says
    for an episode's id which split it belongs to. `pair` says whether samples come to rows by index or by time
    (default: as their format defines), `longest_gap_s` how far a row may be from its samples (default: as shipped).
    """
    if hz is not None and pair == "index":
        raise BadInput("Rows at another rate cannot be paired by index. Leave out --hz or --pair index.")
    if hz is not None and not (math.isfinite(hz) and SLOWEST_HZ <= hz <= FASTEST_HZ):
        raise BadInput(f"{hz:g} Hz is not a valid rate for rows. Give a number from {SLOWEST_HZ:g} to {FASTEST_HZ:g}.")
    seen: dict[str, Seen] = {}
    left: dict[str, Note] = {}
    robots: Counter[str] = Counter()
    found_splits: dict[str, None] = {}
    stamps = SharedStamps(clock, hz, pair)
    for recording, _ in map(escape_recording_texts, recordings):
        robots[recording.episode.robot] += 1
        found_splits[choose_split(recording.episode, splits)] = None
        for stream in recording.streams.values():
            if reason := explain_unfit(stream):
                left.setdefault(stream.name, reason)
                continue
            if stream.name not in seen:
                seen[stream.name] = Seen(make_feature(stream))
            seen[stream.name].add_episode_stream(stream)
        stamps.add_recording(recording)
    count = robots.total()
    if not count:
        raise BadInput("No recordings to write.")
    _drop_incomplete_streams(seen, left, count)
    grid = _choose_grid_clock(seen, clock)
    rate = hz or (float(np.median(seen[grid].rates)) if seen[grid].rates else None)
    unknown_rate = () if rate else (note("release.rate_assumed", hz=ASSUMED_HZ),)
    features = [found.merge_into_feature(stamps, grid) for _, found in sorted(seen.items())]
    return Features(
        tuple(f for f in features if not f.is_camera), tuple(f for f in features if f.is_camera),
        grid, rate or ASSUMED_HZ, robots.most_common(1)[0][0], hz is not None,
        (*(left[name] for name in sorted(left)), *unknown_rate), count, tuple(found_splits), pair,
        default_operations()["convert"].number("longest_gap_s") if longest_gap_s is None else longest_gap_s,
    )  # fmt: skip


def _drop_incomplete_streams(seen: dict[str, Seen], left_out: dict[str, Note], episode_count: int) -> None:
    for name, seen_stream in list(seen.items()):
        if seen_stream.episodes < episode_count or seen_stream.unlike:
            few = note(
                "release.not_in_every_episode", about=Subject(name), episodes=seen_stream.episodes, total=episode_count
            )
            left_out[name] = seen_stream.unlike or left_out.get(name) or few
            del seen[name]
    if not seen:
        raise BadInput(f"No stream is usable in every episode. Streams examined: {', '.join(left_out)}.")


def _choose_grid_clock(seen: dict[str, Seen], wanted_stream: str) -> str:
    if wanted_stream:
        if wanted_stream not in seen:
            raise BadInput(f"{wanted_stream} is not a stream of every episode. Available: {', '.join(sorted(seen))}.")
        return wanted_stream
    uneven_share = default_operations()["convert"].number("uneven_share")
    even = {name for name, found in seen.items() if found.rates and found.is_even(uneven_share)}
    sensors_are_even = any(seen[name].feature.kind is not StreamKind.ACTION for name in even)
    for kind in CLOCKS:
        of_kind = sorted(name for name, found in seen.items() if found.feature.kind is kind)
        if kind is StreamKind.ACTION and sensors_are_even:  # commands sent on change are not moments of a learner's row
            of_kind = [name for name in of_kind if name in even]
        if of_kind:
            return of_kind[0]
    return max(sorted(even or seen), key=lambda name: float(np.median(seen[name].rates or [0.0])))
