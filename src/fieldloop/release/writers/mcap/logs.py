"""Recordings become MCAP logs: one a file, several a folder of files named after their episodes."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal

from fieldloop.errors import BadInput
from fieldloop.model.episode import Recording
from fieldloop.model.note import Note
from fieldloop.release.writers.mcap.log import WrittenLog, write_log
from fieldloop.release.writers.mcap.pictures import Compression
from fieldloop.release.writers.pairing import Pair, stamp_rows_alike
from fieldloop.release.writers.written import Written, write_whole_or_nothing

LONGEST_NAME = 120  # file systems take 255 bytes, and a number is added


def write_mcap(
    recordings: Iterable[Recording],
    target: Path,
    *,
    pictures: Literal["jpeg", "png"] = "jpeg",
    quality: int = 95,
    depth: Literal["exact", "millimetres"] = "exact",
    pair: Pair = "",
) -> Written:
    """Write one recording to the file `target`, or several into the folder `target`.

    Pictures that are stored compressed are passed on bit by bit; others, those of videos too, become JPEG of this
    quality or PNG. `Written.frames` counts messages. `pair`: see `pairing`.
    """
    stamped: dict[Note, None] = {}
    walk = _stamp_rows(recordings, pair, stamped)
    first = next(walk, None)
    if first is None:
        raise BadInput("No recordings to write.")
    second = next(walk, None)
    compression = Compression(pictures, quality, depth)
    with write_whole_or_nothing(target) as part:
        if second is None:
            logs = [write_whole_log(first, part, compression)]
        else:
            part.mkdir()
            logs = list(_write_all_logs(chain((first, second), walk), part, compression))
    left_out = dict.fromkeys(what for log in logs for what in log.left_out)
    return Written(target, len(logs), sum(log.messages for log in logs), (*left_out, *stamped))


def _stamp_rows(recordings: Iterable[Recording], pair: Pair, stamping_notes: dict[Note, None]) -> Iterator[Recording]:
    for recording in recordings:
        alike, notes = stamp_rows_alike(recording, pair)
        stamping_notes |= dict.fromkeys(notes)
        yield alike


def _write_all_logs(recordings: Iterable[Recording], folder: Path, compression: Compression) -> Iterator[WrittenLog]:
    taken: set[str] = set()
    for recording in recordings:
        name = _make_file_name(recording.episode.name, taken)
        taken.add(name.lower())
        yield write_whole_log(recording, folder / f"{name}.mcap", compression)


def write_whole_log(recording: Recording, path: Path, compression: Compression | None = None) -> WrittenLog:
    """Write one log completely or not at all: if the writing is ended, no partial file stays."""
    try:
        return write_log(recording, path, compression)
    except BaseException:
        path.with_name(f"{path.name}.part").unlink(missing_ok=True)  # a station keeps it; a release is whole or nothing
        raise


def _make_file_name(episode: str, taken_names: set[str]) -> str:
    """Name a file on any system after its episode; two that differ in case only are the same name on some."""
    plain = re.sub(r"[^\w.-]+", "_", episode, flags=re.ASCII).strip("._")[:LONGEST_NAME] or "episode"
    return next(
        n for n in (plain, *(f"{plain}-{i}" for i in range(2, len(taken_names) + 3))) if n.lower() not in taken_names
    )
