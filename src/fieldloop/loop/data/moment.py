"""Show a moment of an episode: a few small frames around it, and the signals, read from the raw log."""

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path

from fieldloop.errors import Refused
from fieldloop.ingest import open_log
from fieldloop.loop.data.mapping import find_mapping_of_log
from fieldloop.loop.work.reopen import reopen_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import NO_SUBJECT
from fieldloop.model.stream import NS_PER_S
from fieldloop.report.check import EpisodeSketch, sketch_episode
from fieldloop.say.numbers import format_fixed

AROUND_S = (-0.2, 0.0, 0.2)
LARGEST_LOG = 2 * 1024**3
"""Largest log, in bytes, that is opened for a single frame; a larger one would take too long."""
MOST_KEPT = 200
"""How many views are cached."""


@dataclass(frozen=True, slots=True)
class SignalSeen:
    """Columns of one stream over the episode, thinned without hiding a jump."""

    name: str
    unit: str
    columns: tuple[str, ...]
    at_s: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class FrameSeen:
    """One frame, small, as a data URI; '' where it did not decode."""

    stream: str
    at_s: float
    picture: str


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A moment of an episode, in seconds from its start."""

    at_s: float
    signals: tuple[SignalSeen, ...]
    frames: tuple[FrameSeen, ...]


def show_moment(workspace: Workspace, episode: Episode, at_s: float) -> Glimpse:
    """Show frames and signals of an episode at one moment; refuse if the log is too large to open for that."""
    length_s = max(0.0, (episode.end_ns - episode.start_ns) / NS_PER_S)
    at_s = round(min(max(at_s, 0.0), length_s), 2) if math.isfinite(at_s) else 0.0
    file = workspace.cache / "glimpses" / f"{episode.id}-{at_s:.2f}.json"
    if file.is_file():
        return from_plain(Glimpse, json.loads(file.read_text(encoding="utf-8")))
    seen = _make_glimpse(
        sketch_episode(open_recording(workspace, episode), _make_report_at_moment(episode, at_s)), at_s
    )
    _write_cached_moment(file, seen)
    return seen


def forget_cached_moments(workspace: Workspace, episode: str) -> None:
    """Forget the moments of an episode that were drawn from an earlier reading."""
    for file in (workspace.cache / "glimpses").glob(f"{episode}-*.json"):
        file.unlink(missing_ok=True)


def open_recording(
    workspace: Workspace, episode: Episode, *, largest: float | None = None, to_see: str = "a single moment"
) -> Recording:
    """Open one episode in its log, without reading those before it; refuse a log that is too large for that."""
    log = workspace.store.get_log(episode.id)
    if log.blob.size > (LARGEST_LOG if largest is None else largest):
        raise Refused(f"{log.name} is {format_fixed(log.blob.size / 1e9, 1)} GB, too large to open for {to_see}.")
    here = workspace.shelf.fetch_local_copy(log.blob, workspace.cache)
    if episode.id in log.episodes:
        place = log.episodes.index(episode.id)
        for recording in open_log(here, find_mapping_of_log(workspace, log)).read_part(place, place + 1):
            if recording.episode.id == episode.id:
                return recording
    return reopen_episode(workspace, episode)


def _make_report_at_moment(episode: Episode, at_s: float) -> EpisodeReport:
    """A sketch shows the frames at failed findings, so this moment is passed in as one."""
    moments = dict.fromkeys(max(0.0, at_s + around) for around in AROUND_S)
    asked = (Finding("", NO_SUBJECT, Status.FAILED, None, None, None, "", at_s=at) for at in moments)
    return EpisodeReport(episode.id, episode.name, Status.FAILED, tuple(asked))


def _make_glimpse(drawn: EpisodeSketch, at_s: float) -> Glimpse:
    signals = (
        SignalSeen(t.name, t.unit, t.columns, tuple(t.at_s.tolist()), tuple(map(tuple, t.values.tolist())))
        for t in drawn.traces
    )
    frames = (FrameSeen(f.stream, f.at_s, f.data_uri) for f in drawn.thumbnails)
    return Glimpse(at_s, tuple(signals), tuple(frames))


def _write_cached_moment(file: Path, seen: Glimpse) -> None:
    file.parent.mkdir(exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(to_plain(seen)), encoding="utf-8")
    part.replace(file)
    kept = sorted(file.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)
    for old in kept[:-MOST_KEPT]:
        old.unlink(missing_ok=True)
