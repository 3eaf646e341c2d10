"""Ingest logs: store the raw files, measure and judge each episode."""

import shlex
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fieldloop.errors import BadInput, StoreBusy, StoreError, StoreFull, UnreadableLog, WorkspaceError
from fieldloop.ingest import LogMapping
from fieldloop.ingest.readers import load_readers
from fieldloop.ingest.search import find_logs
from fieldloop.loop.data.dry_run import Contents, list_contents
from fieldloop.loop.data.mapping import find_mapping_in_force, shelve_mapping
from fieldloop.loop.data.measurements import collect_measuring_rules, judge_episodes, store_results
from fieldloop.loop.data.statements import describe_conflicts, read_statements, refuse_contradiction
from fieldloop.loop.data.streams import cache_stream_list
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.work.measure_part import EpisodeResult, Part, PartResult, Rules, measure_part
from fieldloop.loop.work.run_on import run_each
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.episode import Blob, Episode, Log, Stated
from fieldloop.model.event import LogIngested
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import Note
from fieldloop.model.stated import Amendments
from fieldloop.say import findings as say_findings
from fieldloop.say import write_sentence
from fieldloop.say.defects import write_defect_line
from fieldloop.store import Expected

MEGABYTE = 1e6
MOST_REASONS = 20
"""Facts that a log's result carries; the episodes' reports have all of them."""
Signature = tuple[int, int]
"""Size and modification time, which change when a log is written."""


@dataclass(frozen=True, slots=True)
class LogShown:
    """An ingested log, in a line."""

    name: str
    format: str
    episodes: int
    megabytes: float
    sha256: str
    mapping: str
    findings: int
    first_finding: str
    defects: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenIn:
    """The result for one log; `message` states the first of its reasons."""

    name: str
    format: str
    sha256: str
    episodes: tuple[str, ...]
    status: Status
    already_here: bool = False
    message: str = ""
    reasons: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Ingested:
    """The result for each log; an unreadable log is listed and not stored."""

    logs: tuple[TakenIn, ...]

    @property
    def exit_ok(self) -> bool:
        """Did every log pass?"""
        return all(log.status is Status.PASSED for log in self.logs)


def ingest_logs(
    workspace: Workspace | None,
    paths: tuple[Path, ...],
    *,
    dry_run: bool = False,
    mapping: Path | None = None,
    set_: tuple[str, ...] = (),
    overrule: bool = False,
    track: Track = track_silently,
) -> Ingested | Contents:
    """Ingest logs: store the raw files, measure and judge each episode. Safe to repeat.

    Facts that you state with --set are recorded as stated by you. A log that states something else is refused, unless
    --overrule is given; then what the log states stays on record beside your fact.

    Arguments:
        paths: log files, dataset folders, or folders of logs
        dry_run: only list what the logs contain; this stores nothing and needs no workspace
        mapping: the mapping file that translates your names, units and frames (default: mapping.toml of the workspace)
        set_: facts of every episode that the logs do not state, such as site=hall-2 operator=anna task=pick
        overrule: use the facts of --set even where a log states another value
    """
    if not paths:
        raise BadInput("Name at least one log or folder.")
    conventions = find_mapping_in_force(workspace, mapping)
    if dry_run:
        return list_contents(paths, conventions, track)
    if workspace is None:
        raise WorkspaceError(
            "No workspace here. Create one with `fieldloop init`, or list the contents with --dry-run."
        )
    return ingest_paths(workspace, paths, conventions, read_statements(workspace, set_), overrule=overrule)


def ingest_paths(
    workspace: Workspace,
    paths: Sequence[Path],
    mapping: LogMapping | None = None,
    stated: tuple[Stated, ...] = (),
    *,
    overrule: bool = False,
) -> Ingested:
    """Ingest logs under a mapping, with facts that the user states."""
    require_protocol_in_force(workspace)  # report an invalid protocol before anything is read
    taken: list[TakenIn] = []
    logs = [log for path in paths for log in _find_candidates(path, taken)]
    waiting: deque[Fresh] = deque()
    # bytes first: an event may only name what is already on the shelf; a known log is not measured again
    fresh = _shelve_new_logs(workspace, logs, taken, waiting, mapping, Amendments(stated=stated) if stated else None)
    rules = collect_measuring_rules(workspace).keep_annotations_of(())  # a new log has no annotations
    measure = partial(_measure_unless_refused, rules=rules, overrule=overrule)
    results = workspace.track(run_each(measure, fresh), "ingesting logs", len(logs))
    new = [_record_log(workspace, waiting.popleft(), result, rules, overrule=overrule) for result in results]
    return Ingested((*taken, *new))


@dataclass(frozen=True, slots=True)
class Fresh:
    """A log that is stored and not measured yet."""

    part: Part
    name: str
    files: tuple[Path, ...]
    signature: Signature
    blob: Blob


def list_episodes(
    workspace: Workspace, *, status: Status | None = None, site: str = "", limit: int = 100
) -> tuple[Episode, ...]:
    """List episodes, newest first.

    Arguments:
        status: only episodes with this last status
        site: only the orders of this site
        limit: list at most this many rows
    """
    where: dict[str, Any] = {"status": status} if status else {}
    if site:
        where["site"] = site
    return tuple(workspace.store.find(Episode, where, newest=True, limit=limit))


def list_ingested_logs(workspace: Workspace, *, limit: int = 100) -> tuple[LogShown, ...]:
    """List the ingested logs, newest first, each with its defects.

    Arguments:
        limit: list at most this many rows
    """
    return tuple(_summarise_log(log) for log in workspace.store.find(Log, newest=True, limit=limit))


def _summarise_log(log: Log) -> LogShown:
    first = next(map(write_defect_line, log.defects), "")
    return LogShown(
        log.name, log.format, len(log.episodes), log.blob.size / MEGABYTE, log.blob.sha256, log.mapping,
        len(log.defects), first, tuple(defect.message for defect in log.defects[:MOST_REASONS]),
    )  # fmt: skip


class Candidate(NamedTuple):
    """A path to ingest, the name of its log, and the reader that recognises it ('' where none does)."""

    path: Path
    name: str
    reader: str = ""


def _find_candidates(path: Path, refused: list[TakenIn]) -> Iterator[Candidate]:
    """Yield each log below a path with the name it is known by; a file that looks like one but is not is refused."""
    logs, defects = find_logs(path, load_readers()[0]) if path.exists() else ((), ())
    refused += [
        TakenIn(d.subject, "", "", (), Status.ERRORED, message=write_sentence(d.message), reasons=(d.message,))
        for d in defects
        if logs
    ]
    if not logs:
        yield Candidate(path, path.name)
    for log in logs:
        name = log.path.name if log.path == path else log.path.relative_to(path).as_posix()
        yield Candidate(log.path, name, log.reader.name)


def _shelve_new_logs(
    workspace: Workspace,
    logs: Iterable[Candidate],
    taken: list[TakenIn],
    waiting: deque[Fresh],
    mapping: LogMapping | None,
    amendments: Amendments | None,
) -> Iterator[Part]:
    """Put each log on the shelf and yield those to be measured; refused and known ones go to `taken`."""
    for path, name, reader in logs:
        part = Part(path, mapping, reader=reader, amendments=amendments)
        try:
            files = part.open().files
            before = compute_files_signature(files)
            blob = _store_log_files(workspace, path, files)
        except (StoreFull, StoreBusy):
            raise  # the next log would fare no better
        except (UnreadableLog, StoreError, OSError) as broken:
            taken.append(TakenIn(name, "", "", (), Status.ERRORED, message=str(broken)))
            continue
        if known := workspace.store.find(Log, {"blob": blob.sha256}):
            taken.append(_make_known_log_result(workspace, name, known[0], mapping, stated=amendments is not None))
            continue
        waiting.append(Fresh(part, name, files, before, blob))
        yield part


def _store_log_files(workspace: Workspace, path: Path, files: tuple[Path, ...]) -> Blob:
    """Keep all that belongs to a log: a database's journal beside it, too."""
    if path.is_dir():
        return workspace.shelf.put_folder(path)
    return workspace.shelf.put_file(path) if files == (path,) else workspace.shelf.put_folder(path.parent, files)


def _make_known_log_result(
    workspace: Workspace, name: str, log: Log, mapping: LogMapping | None, *, stated: bool = False
) -> TakenIn:
    other = log.mapping != (mapping.fingerprint if mapping else "")
    again = f"fieldloop ingest again {shlex.quote(log.name)}"
    message = f"Already ingested under another mapping, which stays in use for it. To read it anew: {again}"
    message = message if other else f"Already ingested. To state facts about it: {again} --set …" if stated else ""
    status = decide_log_status(workspace, log.episodes)
    return TakenIn(name, log.format, log.blob.sha256, log.episodes, status, already_here=True, message=message)


def compute_files_signature(files: Sequence[Path]) -> Signature:
    """Bytes of all files together, and when the last of them changed."""
    stats = [file.stat() for file in files]
    return sum(s.st_size for s in stats), max((s.st_mtime_ns for s in stats), default=0)


def _record_log(
    workspace: Workspace, what: Fresh, result: PartResult, rules: Rules, *, overrule: bool = False
) -> TakenIn:
    if refused := explain_refused_statements(what.part, result, overrule=overrule):
        return TakenIn(what.name, result.format, "", (), Status.ERRORED, message=f"{refused} Nothing was stored.")
    if compute_files_signature(what.files) != what.signature:
        message = "It changed while it was read. Nothing was stored; ingest it again once it is complete."
        return TakenIn(what.name, result.format, "", (), Status.ERRORED, message=message)
    blob, mapping = what.blob, what.part.mapping
    known = {e.id: e for e in workspace.store.find(Episode, {"id": [one.episode.id for one in result.episodes]})}
    # an episode that came in another log before keeps its facts, measurements and verdict
    episodes = tuple(known.get(one.episode.id, one.episode) for one in result.episodes)
    conventions = shelve_mapping(workspace, mapping)
    log = Log(blob, what.name, result.format, tuple(e.id for e in episodes), result.defects, conventions)
    fresh = [one for one in result.episodes if one.episode.id not in known]
    judgements = judge_episodes(
        workspace, ((measured_episode.episode, measured_episode.measured) for measured_episode in fresh)
    )
    try:
        unseen = Expected(Log, 0, {"blob": blob.sha256})
        measured = store_results(workspace, fresh, rules)
        workspace.write(LogIngested(log, episodes), *measured, *judgements, expect=unseen)
    except StoreBusy:
        if not workspace.store.count(Log, {"blob": blob.sha256}):
            raise
        return _make_known_log_result(workspace, what.name, log, mapping)  # another process was faster
    for measured_episode in result.episodes:
        cache_stream_list(workspace, measured_episode.episode.id, measured_episode.streams)
    against = [f for event in judgements for f in event.report.findings if f.counts]
    findings = [*map(write_defect_line, log.defects), *map(say_findings.write_finding, against)]
    reasons = (*(defect.message for defect in log.defects), *(f.fact for f in against))[:MOST_REASONS]
    status, first = decide_log_status(workspace, log.episodes), findings[0] if findings else ""
    return TakenIn(what.name, log.format, blob.sha256, log.episodes, status, message=first, reasons=reasons)


def _measure_unless_refused(part: Part, *, rules: Rules, overrule: bool) -> PartResult:
    """Measure a log; if a user's facts are refused for its first episode, return that episode without measuring.

    Measuring costs far more than reading one episode. Facts that only later episodes contradict are refused afterwards.
    """
    if part.amendments is not None and part.amendments.stated:
        opened = part.open()
        first = tuple(EpisodeResult(part.amend_recording(one).episode, (), Imprint()) for one in opened.read_part(0, 1))
        unmeasured = PartResult(opened.format, first, ())
        if explain_refused_statements(part, unmeasured, overrule=overrule):
            return unmeasured
    return measure_part(part, rules)


def explain_refused_statements(part: Part, result: PartResult, *, overrule: bool) -> str:
    """Return why the facts that a user stated are refused; '' where they are accepted.

    They are refused where they contradict each other, or where the log states other values and `overrule` is false.
    """
    if part.amendments is None or not part.amendments.stated:
        return ""
    episodes = [one.episode for one in result.episodes]
    try:
        for episode in episodes:
            refuse_contradiction(episode)
    except BadInput as wrong:
        return str(wrong)
    differing = describe_conflicts(episodes, [one.name for one in part.amendments.stated])
    if not differing or overrule:
        return ""
    return f"Your facts differ from the log: {differing}. Leave them out, or let yours count with --overrule."


def find_last_report(workspace: Workspace, episode: str) -> list[EpisodeReport]:
    """Return the last judgement of an episode, if there is one."""
    return workspace.store.find(EpisodeReport, {"episode": episode}, newest=True, limit=1)


def decide_log_status(workspace: Workspace, episodes: Sequence[str]) -> Status:
    """Return the worst of the last verdicts; CANNOT_TELL for a log without episodes."""
    statuses = {report.status for report in workspace.store.views.get_last_reports(episodes).values()}
    return next((s for s in Status if s in statuses), Status.CANNOT_TELL)
