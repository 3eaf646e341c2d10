"""Any log in, a training format out, without a workspace."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fieldloop.ingest import open_log
from fieldloop.loop.workspace import Track, track_silently
from fieldloop.model.episode import Recording
from fieldloop.release.writers import write_lerobot


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written, and what the target format could not hold."""

    folder: str
    format: str
    episodes: int
    frames: int
    left_out: tuple[str, ...]


def convert(
    source: Path, target: Path, *, to: Literal["lerobot"] = "lerobot", track: Track = track_silently
) -> Converted:
    """Convert a log or dataset into a training format; says what the target cannot hold.

    Arguments:
        source: a log file, a dataset folder, or a folder of logs
        target: a folder that is not there yet; it appears whole or not at all
        to: the format to write (LeRobot v3.0)
    """
    log = open_log(source)
    recordings: Iterator[Recording] = track(log.recordings, f"converting {source.name}", None)
    written = write_lerobot(recordings, target)
    lost = (*written.left_out, *(f"{d.subject} {d.place}: {d.message}" for d in log.defects))
    return Converted(str(target), f"{to} v3.0", written.episodes, written.frames, lost)
