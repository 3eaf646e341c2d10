"""Any robot log in: its untouched bytes on the shelf, its episodes known, measured once and judged."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput, StoreBusy, StoreError, StoreFull, UnreadableLog, WorkspaceError
from fieldloop.ingest import LogMapping, open_log
from fieldloop.ingest.readers import all_readers
from fieldloop.ingest.search import find_logs
from fieldloop.loop.contents import Contents, contents_of
from fieldloop.loop.looking import Part, Seen, look
from fieldloop.loop.mapping import mapping_in_force, shelve_mapping
from fieldloop.loop.measurements import judged, keep_looked, rules_of
from fieldloop.loop.numbers import in_force
from fieldloop.loop.run_on import each
from fieldloop.loop.streams import remember_streams
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.event import LogIngested
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.store import Expected

MEGABYTE = 1e6
Signature = tuple[int, int]
"""Bytes and time of change: whoever writes to a log changes one of them."""


@dataclass(frozen=True, slots=True)
class LogShown:
    """A log that was taken in, in a line."""

    name: str
    format: str
    episodes: int
    megabytes: float
    sha256: str
    mapping: str
    findings: int
    first_finding: str


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What became of one log."""

    name: str
    format: str
    sha256: str
    episodes: tuple[str, ...]
    status: Status
    already_here: bool = False
    message: str = ""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of each log; a log that cannot be read is named and left where it is."""

    logs: tuple[TakenIn, ...]

    @property
    def exit_ok(self) -> bool:
        """Is every log fit to learn from?"""
        return all(log.status is Status.PASSED for log in self.logs)


def ingest(
    workspace: Workspace | None,
    paths: tuple[Path, ...],
    *,
    dry_run: bool = False,
    mapping: Path | None = None,
    track: Track = track_silently,
) -> Ingested | Contents:
    """Take robot logs in: shelve their bytes, measure every episode once, judge it. Twice changes nothing.

    Arguments:
        paths: log files, dataset folders, or folders of logs
        dry_run: read everything and say what is there; stores nothing and needs no workspace
        mapping: the house's names, units and frames (default: mapping.toml of the workspace, if it has one)
    """
    if not paths:
        raise BadInput("Name at least one log or folder.")
    conventions = mapping_in_force(workspace, mapping)
    if dry_run:
        return contents_of(paths, conventions, track)
    if workspace is None:
        raise WorkspaceError(
            "Here is no workspace to take logs into. Make one with `fieldloop init`, or look first: --dry-run"
        )
    return take_in(workspace, paths, conventions)


def take_in(workspace: Workspace, paths: Sequence[Path], mapping: LogMapping | None = None) -> Ingested:
    """Take logs in under the conventions of the house."""
    in_force(workspace)  # a protocol that is wrong is named before anything is read
    taken: list[TakenIn] = []
    logs = [log for path in paths for log in _logs(path, taken)]
    waiting: deque[Fresh] = deque()
    # bytes first: an event may only name what is already on the shelf; what is known needs no second look
    fresh = _shelved(workspace, logs, taken, waiting, mapping)
    looked = workspace.track(each(look, fresh), "taking logs in", len(logs))
    new = [_take_in(workspace, waiting.popleft(), seen) for seen in looked]
    return Ingested((*taken, *new))


@dataclass(frozen=True, slots=True)
class Fresh:
    """A log that is on the shelf and not looked at yet."""

    part: Part
    name: str
    files: tuple[Path, ...]
    signature: Signature
    blob: Blob


def episodes(
    workspace: Workspace, *, status: Status | None = None, site: str = "", limit: int = 100
) -> tuple[Episode, ...]:
    """List episodes, newest first.

    Arguments:
        status: only those last judged so
        site: only those of one site
        limit: at most so many
    """
    where: dict[str, Any] = {"status": status} if status else {}
    if site:
        where["site"] = site
    return tuple(workspace.store.find(Episode, where, newest=True, limit=limit))


def history(workspace: Workspace, *, limit: int = 100) -> tuple[LogShown, ...]:
    """List the logs that were taken in, newest first, each with what was wrong with it.

    Arguments:
        limit: at most so many
    """
    return tuple(_shown(log) for log in workspace.store.find(Log, newest=True, limit=limit))


def _shown(log: Log) -> LogShown:
    first = next((f"{d.subject} {d.place}: {d.message}" for d in log.defects), "")
    return LogShown(
        log.name, log.format, len(log.episodes), log.blob.size / MEGABYTE, log.blob.sha256, log.mapping,
        len(log.defects), first,
    )  # fmt: skip


def _logs(path: Path, refused: list[TakenIn]) -> Iterator[tuple[Path, str]]:
    """Yield each log below a path with the name it is known by; a file that should be one and is not is refused."""
    found, defects = find_logs(path, all_readers()[0]) if path.exists() else ((), ())
    refused += [TakenIn(d.subject, "", "", (), Status.ERRORED, message=d.message) for d in defects if found]
    if not found:
        yield path, path.name
    for log in found:
        yield log.path, log.path.name if log.path == path else log.path.relative_to(path).as_posix()


def _shelved(
    workspace: Workspace,
    logs: Iterable[tuple[Path, str]],
    taken: list[TakenIn],
    waiting: deque[Fresh],
    mapping: LogMapping | None,
) -> Iterator[Part]:
    """Put each log on the shelf and yield those to be looked at; refused and known ones are taken as they are."""
    rules = rules_of(workspace)
    for path, name in logs:
        try:
            files = open_log(path).files
            before = signature_of(files)
            blob = _put(workspace, path, files)
        except (StoreFull, StoreBusy):
            raise  # the next log would fare no better
        except (UnreadableLog, StoreError, OSError) as broken:
            taken.append(TakenIn(name, "", "", (), Status.ERRORED, message=str(broken)))
            continue
        if known := workspace.store.find(Log, {"blob": blob.sha256}):
            taken.append(_here_already(workspace, name, known[0], mapping))
            continue
        part = Part(path, rules, mapping)
        waiting.append(Fresh(part, name, files, before, blob))
        yield part


def _put(workspace: Workspace, path: Path, files: tuple[Path, ...]) -> Blob:
    """Keep all that belongs to a log: a database's journal beside it, too."""
    if path.is_dir():
        return workspace.shelf.put_folder(path)
    return workspace.shelf.put_file(path) if files == (path,) else workspace.shelf.put_folder(path.parent, files)


def _here_already(workspace: Workspace, name: str, log: Log, mapping: LogMapping | None) -> TakenIn:
    other = log.mapping != (mapping.fingerprint if mapping else "")
    message = "Here already, taken in under another mapping; it goes on being read by that one." if other else ""
    status = _status(workspace, log.episodes)
    return TakenIn(name, log.format, log.blob.sha256, log.episodes, status, already_here=True, message=message)


def signature_of(files: Sequence[Path]) -> Signature:
    """Bytes of all files together, and when the last of them changed."""
    stats = [file.stat() for file in files]
    return sum(s.st_size for s in stats), max((s.st_mtime_ns for s in stats), default=0)


def _take_in(workspace: Workspace, what: Fresh, seen: Seen) -> TakenIn:
    if signature_of(what.files) != what.signature:
        message = "It changed while it was read. Nothing of it was kept; ingest it again once it is written."
        return TakenIn(what.name, seen.format, "", (), Status.ERRORED, message=message)
    blob, mapping = what.blob, what.part.mapping
    episodes = tuple(looked.episode for looked in seen.episodes)
    conventions = shelve_mapping(workspace, mapping)
    log = Log(blob, what.name, seen.format, tuple(e.id for e in episodes), seen.defects, conventions)
    # an episode that came in another log before keeps its measurements and its judgement
    fresh = [one for one in seen.episodes if not workspace.store.count(Episode, {"id": one.episode.id})]
    judgements = judged(workspace, ((one.episode, one.measured) for one in fresh))
    try:
        unseen = Expected(Log, 0, {"blob": blob.sha256})
        measured = keep_looked(workspace, fresh, what.part.rules)
        workspace.write(LogIngested(log, episodes), *measured, *judgements, expect=unseen)
    except StoreBusy:
        if not workspace.store.count(Log, {"blob": blob.sha256}):
            raise
        return _here_already(workspace, what.name, log, mapping)  # another process was faster
    for looked in seen.episodes:
        remember_streams(workspace, looked.episode.id, looked.streams)
    against = [f.message for event in judgements for f in event.report.findings if f.counts]
    told = [*(f"{d.subject} {d.place}: {d.message}" for d in log.defects), *against]
    status = _status(workspace, log.episodes)
    return TakenIn(what.name, log.format, blob.sha256, log.episodes, status, message=told[0] if told else "")


def reports_of(workspace: Workspace, episode: str) -> list[EpisodeReport]:
    """Return the last judgement of an episode, if there is one."""
    return workspace.store.find(EpisodeReport, {"episode": episode}, newest=True, limit=1)


def _status(workspace: Workspace, episodes: Sequence[str]) -> Status:
    """Return the worst of the last judgements; a log without an episode cannot be told anything of."""
    reports = [r for e in episodes for r in reports_of(workspace, e)]
    statuses = {report.status for report in reports}
    return next((s for s in Status if s in statuses), Status.CANNOT_TELL)
