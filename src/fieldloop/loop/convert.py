"""Any log in, a training format out, without a workspace."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fieldloop.ingest import LogMapping, OpenLog, open_log
from fieldloop.loop.mapping import mapping_in_force
from fieldloop.loop.workspace import Track, track_silently
from fieldloop.model.episode import Recording
from fieldloop.release import writers
from fieldloop.release.writers import Written

Format = Literal["lerobot", "hdf5", "rlds", "mcap"]
WRITTEN_AS = {"lerobot": "LeRobot v3.0", "hdf5": "robomimic HDF5", "rlds": "RLDS", "mcap": "MCAP"}


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


def convert(
    source: Path,
    target: Path,
    *,
    to: Format = "lerobot",
    clock: str = "",
    hz: float | None = None,
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
        mapping: the house's names, units and frames
    """
    log = _Again(source, mapping_in_force(None, mapping), track)
    written = write(to, log, target, clock=clock, hz=hz)
    lost = (*written.left_out, *(f"{d.subject} {d.place}: {d.message}" for d in log.log.defects))
    return converted(to, written, lost)


def write(to: Format, recordings: Iterable[Recording], target: Path, *, clock: str, hz: float | None) -> Written:
    """Write recordings, which can be walked through more than once, in one of the formats."""
    match to:
        case "mcap":
            return writers.write_mcap(recordings, target)
        case "hdf5":
            return writers.write_hdf5(recordings, target, clock=clock, hz=hz)
        case "rlds":
            return writers.write_rlds(recordings, target, clock=clock, hz=hz)
        case _:
            return writers.write_lerobot(recordings, target, clock=clock, hz=hz)


def converted(to: Format, written: Written, left_out: tuple[str, ...]) -> Converted:
    """Say what came of it."""
    rules = tuple(sorted((written.rules or {}).items()))
    return Converted(
        str(written.path), WRITTEN_AS[to], written.episodes, written.frames, written.clock, rules, left_out
    )  # fmt: skip


class _Again:
    """A log whose recordings can be walked through as often as a writer needs."""

    def __init__(self, path: Path, mapping: LogMapping | None, track: Track) -> None:
        self.log: OpenLog = open_log(path, mapping)
        self._track, self._name = track, path.name

    def __iter__(self) -> Iterator[Recording]:
        return self._track(self.log.recordings, f"reading {self._name}", self.log.expected)
