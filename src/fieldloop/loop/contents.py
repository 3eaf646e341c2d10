"""What is in these logs? Everything is read, nothing is stored, no workspace is needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import LogMapping, open_log
from fieldloop.ingest.readers import all_readers
from fieldloop.ingest.search import find_logs
from fieldloop.loop.run_on import each
from fieldloop.loop.workspace import Track
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Defect
from fieldloop.model.stream import Stream, StreamKind

SCHEMA = "ingest/1"


@dataclass(frozen=True, slots=True)
class StreamListed:
    """One stream in a line: by its primary clock, which `clock` names."""

    name: str
    kind: StreamKind
    count: int
    start_ns: int | None
    end_ns: int | None
    nominal_hz: float | None
    clock: str


@dataclass(frozen=True, slots=True)
class EpisodeListed:
    """One episode with its streams; findings of its log as a whole stand with the log's first episode."""

    id: str
    name: str
    format: str
    streams: tuple[StreamListed, ...]
    findings: tuple[Defect, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """What the logs hold; `findings` are those of logs without a single episode."""

    episodes: tuple[EpisodeListed, ...]
    findings: tuple[Defect, ...] = ()

    @property
    def exit_ok(self) -> bool:
        """Was everything readable?"""
        return not self.findings and not any(episode.findings for episode in self.episodes)

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema ingest/1."""
        return {"schema": SCHEMA, **to_plain(self)}


def contents_of(paths: Sequence[Path], mapping: LogMapping | None, track: Track) -> Contents:
    """Read every log below these paths, on all cores."""
    findings: list[Defect] = []
    logs: list[Path] = []
    for path in paths:
        if not path.exists():
            raise UnreadableLog(f"{path}: no such file or folder.")
        found, beside = find_logs(path, all_readers()[0])
        findings += beside
        logs += [log.path for log in found] or [path]
    read = track(each(partial(list_log, mapping=mapping), logs), "reading", len(logs))
    parts = list(read)
    listed = tuple(episode for part in parts for episode in part.episodes)
    return Contents(listed, (*findings, *(defect for part in parts for defect in part.findings)))


def list_log(path: Path, *, mapping: LogMapping | None) -> Contents:
    """Read one log; runs anywhere."""
    try:
        log = open_log(path, mapping)
    except UnreadableLog as broken:
        return Contents((), (Defect(path.name, "", str(broken)),))
    episodes = [
        EpisodeListed(
            recording.episode.id, recording.episode.name, recording.episode.format,
            tuple(_listed(stream) for stream in recording.streams.values()), recording.defects,
        )
        for recording in log.recordings
    ]  # fmt: skip
    if not episodes:
        return Contents((), log.defects or (Defect(path.name, "", "The log holds no episode."),))
    first = episodes[0]
    episodes[0] = EpisodeListed(first.id, first.name, first.format, first.streams, (*log.defects, *first.findings))
    return Contents(tuple(episodes))


def _listed(stream: Stream) -> StreamListed:
    if not stream.clocks or not len(stream):
        return StreamListed(stream.name, stream.kind, 0, None, None, stream.nominal_hz, "")
    times = stream.times_ns
    return StreamListed(
        stream.name, stream.kind, len(times), int(times.min()), int(times.max()), stream.hz, stream.clock
    )
