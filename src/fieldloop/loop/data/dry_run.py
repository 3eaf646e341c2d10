"""List the contents of logs; stores nothing and needs no workspace."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import LogMapping, OpenLog, open_log
from fieldloop.ingest.mapping import find_unused_entries
from fieldloop.ingest.readers import load_readers
from fieldloop.ingest.search import find_logs
from fieldloop.loop.data.file_names import name_defect_file, name_files_apart
from fieldloop.loop.work.run_on import run_each
from fieldloop.loop.workspace import Track
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.note import note
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.model.stream_notes import TYPE
from fieldloop.say.spelled import spell_out_facts
from fieldloop.say.streams import write_stream_note

SCHEMA = "ingest/1"
PLAIN_NOTES = (TYPE,)


@dataclass(frozen=True, slots=True)
class StreamListed:
    """One stream in a line: by its primary clock, which `clock` names; `notes` are those of its reader."""

    name: str
    kind: StreamKind
    count: int
    start_ns: int | None
    end_ns: int | None
    nominal_hz: float | None
    clock: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeListed:
    """One episode with its streams; findings of a file that holds this episode alone are its own."""

    id: str
    name: str
    format: str
    streams: tuple[StreamListed, ...]
    findings: tuple[Defect, ...]
    start_ns: int = 0
    end_ns: int = 0


@dataclass(frozen=True, slots=True)
class Contents:
    """Contents of the logs; `findings` are those of a dataset as a whole, of files without episodes, of the mapping."""

    episodes: tuple[EpisodeListed, ...]
    findings: tuple[Defect, ...] = ()

    @property
    def exit_ok(self) -> bool:
        """Was everything readable?"""
        return not self.findings and not any(episode.findings for episode in self.episodes)

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema ingest/1."""
        return {"schema": SCHEMA, **spell_out_facts(self)}


def list_contents(paths: Sequence[Path], mapping: LogMapping | None, track: Track) -> Contents:
    """Read every log below these paths, on all cores."""
    findings: list[Defect] = []
    logs: list[tuple[Path, str]] = []
    for path in paths:
        if not path.exists():
            raise UnreadableLog(f"{path}: no such file or folder.")
        found, beside = find_logs(path, load_readers()[0])
        findings += beside
        logs += [(log.path, log.reader.name) for log in found] or [(path, "")]
    read = list(track(run_each(partial(list_log, mapping=mapping), logs), "reading", len(logs)))
    met = set[str]().union(*(streams for _, streams, _ in read))
    facts = set[str]().union(*(facts for _, _, facts in read))
    for entry in find_unused_entries(mapping, met, facts) if mapping else ():
        findings.append(Defect("mapping", entry, note("ingest.mapping_unused")))
    listed = tuple(episode for part, _, _ in read for episode in part.episodes)
    return Contents(listed, (*findings, *_list_findings([path for path, _ in logs], [part for part, _, _ in read])))


def _list_findings(paths: Sequence[Path], parts: Sequence[Contents]) -> Iterator[Defect]:
    """Yield the findings of logs as a whole; where there are several logs, each names its own."""
    files = name_files_apart(paths)
    for path, part in zip(paths, parts, strict=True):
        yield from (name_defect_file(one, files[path], path) if len(files) > 1 else one for one in part.findings)


def list_log(found: tuple[Path, str], *, mapping: LogMapping | None) -> tuple[Contents, set[str], set[str]]:
    """Read one log by its reader; return the streams and facts a mapping could refer to, too. Runs in any process."""
    path, reader = found
    try:
        log = open_log(path, mapping, reader=reader)
    except UnreadableLog as broken:
        return Contents((), (Defect(path.name, "", note("ingest.not_a_log", reason=str(broken))),)), set(), set()
    return _make_contents(path, log), log.met, log.facts


def _make_contents(path: Path, log: OpenLog) -> Contents:
    episodes = [_describe_episode(recording) for recording in log.recordings]
    if not episodes:
        return Contents((), log.defects or (Defect(path.name, "", note("ingest.no_episode")),))
    if len(episodes) > 1 or path.is_dir():
        return Contents(tuple(episodes), log.defects)
    return Contents((replace(episodes[0], findings=(*log.defects, *episodes[0].findings)),))


def _describe_episode(recording: Recording) -> EpisodeListed:
    episode = recording.episode
    streams = tuple(_list_stream(stream) for _, stream in sorted(recording.streams.items()))
    return EpisodeListed(
        episode.id, episode.name, episode.format, streams, recording.defects, episode.start_ns, episode.end_ns
    )  # fmt: skip


def _list_stream(stream: Stream) -> StreamListed:
    notes = tuple(write_stream_note(name, text) for name, text in stream.notes.items() if name not in PLAIN_NOTES)
    if not stream.clocks or not len(stream):
        return StreamListed(stream.name, stream.kind, 0, None, None, stream.nominal_hz, "", notes)
    times = stream.times_ns
    return StreamListed(
        stream.name, stream.kind, len(times), int(times.min()), int(times.max()), stream.hz, stream.clock, notes
    )  # fmt: skip
