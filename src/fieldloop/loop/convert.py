"""Any log in, a training format out, without a workspace."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from fieldloop.errors import BadInput
from fieldloop.ingest import LogMapping, OpenLog, open_log
from fieldloop.loop.mapping import mapping_in_force
from fieldloop.loop.workspace import Track, track_silently
from fieldloop.model.episode import Defect, Recording
from fieldloop.release import writers
from fieldloop.release.writers import Written

Format = Literal["lerobot", "hdf5", "rlds", "mcap"]
Codec = Literal["h264", "av1"]
LOSSES = ("left out", "rounded", "values")
"""Notes of a reader that name what a stream does not hold."""
ATTACHED = "attachment."
WRITTEN_AS = {"lerobot": "LeRobot v3.0", "hdf5": "robomimic HDF5", "rlds": "RLDS", "mcap": "MCAP"}


@dataclass(frozen=True, slots=True)
class Options:
    """How a training format is written, beyond what it must hold."""

    clock: str = ""
    hz: float | None = None
    codec: Codec = "h264"
    actions_from: str = ""


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written, how each stream got onto the frame grid, and what the target could not hold."""

    path: str
    format: str
    episodes: int
    frames: int
    clock: str
    rules: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]


def convert(  # noqa: PLR0913 - each is an option of the command
    source: Path,
    target: Path,
    *,
    to: Format = "lerobot",
    clock: str = "",
    hz: float | None = None,
    codec: Codec = "h264",
    actions_from: str = "",
    mapping: Path | None = None,
    track: Track = track_silently,
) -> Converted:
    """Convert a log or dataset into a training format; says what the target cannot hold.

    Arguments:
        source: a log file, a dataset folder, or a folder of logs
        target: a name that is not taken yet; it appears whole or not at all
        to: the format to write; mcap keeps every rate and clock, the others have one row a frame
        clock: the stream whose stamps are the frames (default: the first camera, else the action)
        hz: frames at this even rate instead
        codec: how LeRobot's videos are compressed
        actions_from: the stream that HDF5 takes for the actions where no stream is one
        mapping: the house's names, units and frames
    """
    if target.resolve().is_relative_to(source.resolve()):
        raise BadInput(f"{target} lies inside {source}; what is read would change while it is read.")
    log = _Again(source, mapping_in_force(None, mapping), track)
    options = Options(clock, hz, codec, actions_from)
    return converted(to, write(to, log, target, options), options, (*log.told, *log.log.defects))


def write(to: Format, recordings: Iterable[Recording], target: Path, options: Options) -> Written:
    """Write recordings, which can be walked through more than once, in one of the formats."""
    clock, hz = options.clock, options.hz
    match to:
        case "mcap":
            return writers.write_mcap(recordings, target)
        case "hdf5":
            return writers.write_hdf5(recordings, target, clock=clock, hz=hz, actions_from=options.actions_from)
        case "rlds":
            return writers.write_rlds(recordings, target, clock=clock, hz=hz)
        case _:
            return writers.write_lerobot(recordings, target, clock=clock, hz=hz, codec=options.codec)


def converted(to: Format, written: Written, options: Options, defects: Iterable[Defect]) -> Converted:
    """Say what came of it; what was wrong with the source is no more in the target than what it could not hold."""
    rules = tuple(sorted((written.rules or {}).items()))
    clock = f"{written.clock}, evenly at {options.hz:g} Hz" if options.hz and written.clock else written.clock
    told = [f"{d.subject} {d.place}: {d.message}" for d in defects]
    return Converted(
        str(written.path), WRITTEN_AS[to], written.episodes, written.frames, clock, rules,
        folded((*written.left_out, *told)),
    )  # fmt: skip


def folded(lines: Iterable[str]) -> tuple[str, ...]:
    """Keep one of many lines that differ in numbers alone, and count the others.

    >>> folded(["a: 3 rows late", "b: 4 rows late", "c: dark"])
    ('a: 3 rows late (and 1 more like it)', 'c: dark')
    """
    alike: dict[str, list[str]] = {}
    for line in dict.fromkeys(lines):
        _, colon, said = line.partition(": ")
        alike.setdefault(re.sub(r"[\d.,]+", "#", said if colon else line), []).append(line)
    return tuple(
        first if not more else f"{first} (and {len(more)} more like it)" for first, *more in alike.values()
    )  # fmt: skip


class _Again:
    """A log whose recordings can be walked through as often as a writer needs; `told` is what was wrong with them."""

    def __init__(self, path: Path, mapping: LogMapping | None, track: Track) -> None:
        self.log: OpenLog = open_log(path, mapping)
        self.told: list[Defect] = []
        self._track, self._name = track, path.name

    def __iter__(self) -> Iterator[Recording]:
        self.told = []
        for recording in self._track(self.log.recordings, f"reading {self._name}", self.log.expected):
            self.told += said_of(recording)
            yield recording


def said_of(recording: Recording) -> list[Defect]:
    """Return what of a recording will not be in any target: what was wrong with it, and what its reader left behind."""
    name = recording.episode.name
    said = [d if d.subject.startswith(name) else replace(d, subject=f"{name}: {d.subject}") for d in recording.defects]
    for stream in recording.streams.values():
        said += [Defect(stream.name, key, stream.notes[key]) for key in LOSSES if key in stream.notes]
    files = [key.removeprefix(ATTACHED) for key, _ in recording.episode.facts if key.startswith(ATTACHED)]
    return said + [Defect("attachment", file, "its hash is kept as a fact, its bytes are not.") for file in files]
