"""Any robot log in: its untouched bytes on the shelf, its episodes known, measured once and judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldloop import check as checks
from fieldloop.errors import BadInput, UnreadableLog
from fieldloop.ingest import find_logs, open_log
from fieldloop.loop.numbers import in_force
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Blob, Defect, Episode, Log, Recording
from fieldloop.model.event import EpisodeJudged, EpisodesMeasured, Event, LogIngested
from fieldloop.model.finding import EpisodeReport, Measured, Status
from fieldloop.store.parquet import put_rows


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
        """Could every log be read?"""
        return all(log.status is not Status.ERRORED for log in self.logs)


def ingest(workspace: Workspace, paths: tuple[Path, ...], *, name: str = "") -> Ingested:
    """Take robot logs in: shelve their bytes, measure every episode once, judge it. Twice changes nothing.

    Arguments:
        paths: log files, dataset folders, or folders of logs
        name: what to call a single log; its file name unless given
    """
    if not paths:
        raise BadInput("Name at least one log or folder.")
    logs = [log for path in paths for log in find_logs(path)]
    taken = [_take_in(workspace, log, name or log.name) for log in workspace.track(logs, "taking logs in", len(logs))]
    return Ingested(tuple(taken))


def episodes(workspace: Workspace, *, status: Status | None = None, site: str = "", limit: int = 100) -> tuple[Episode, ...]:
    """List episodes, newest first.

    Arguments:
        status: only those last judged so
        site: only those of one site
        limit: at most so many
    """
    where = {"status": status} if status else {}
    if site:
        where |= {"site": site}
    return tuple(workspace.store.find(Episode, where, newest=True, limit=limit))


def reopen(workspace: Workspace, episode: Episode) -> Recording:
    """Open an episode's streams again from the untouched log on the shelf."""
    log = workspace.store.find(Log, {"episode": episode.id}, newest=True, limit=1)[0]
    path = workspace.shelf.local(log.blob, workspace.cache)
    for recording in open_log(path, name=log.name).recordings:
        if recording.episode.id == episode.id:
            return recording
    raise UnreadableLog(f"Log {log.name} ({log.blob.sha256[:12]}) no longer yields episode {episode.id[:12]}.")


def _take_in(workspace: Workspace, path: Path, name: str) -> TakenIn:
    try:
        opened = open_log(path, name=name)
    except UnreadableLog as broken:
        return TakenIn(name, "", "", (), Status.ERRORED, message=str(broken))
    # bytes first: an event may only name what is already on the shelf
    blob = workspace.shelf.put_folder(path) if path.is_dir() else workspace.shelf.put_file(path)
    known = workspace.store.find(Log, {"sha256": blob.sha256})
    if known:
        return TakenIn(name, known[0].format, blob.sha256, known[0].episodes, _status(workspace, known[0].episodes), True)
    seen: list[Episode] = []
    measured: list[tuple[Episode, tuple[Measured, ...]]] = []
    defects: list[Defect] = []
    for recording in opened.recordings:
        seen.append(recording.episode)
        defects.extend(recording.defects)
        measured.append((recording.episode, checks.measure(case_of(workspace, recording))))
    log = Log(blob, name, opened.format, tuple(e.id for e in seen), (*opened.defects, *defects))
    fresh = [pair for pair in measured if not workspace.store.count(Episode, {"id": pair[0].id})]
    workspace.write(LogIngested(log, tuple(seen)), *_measured(workspace, fresh), *judge(workspace, fresh))
    return TakenIn(name, log.format, blob.sha256, log.episodes, _status(workspace, log.episodes))


def case_of(workspace: Workspace | None, recording: Recording) -> checks.Case:
    """Assemble what the checks may look at."""
    rules = in_force(workspace, recording.episode.task)
    robot = recording.episode.robot
    calibrations = workspace.store.find(Calibration, {"robot": robot}) if workspace and robot else []
    return checks.Case(recording=recording, protocol=rules, calibrations=tuple(calibrations))


def judge(workspace: Workspace, measured: Sequence[tuple[Episode, tuple[Measured, ...]]]) -> list[EpisodeJudged]:
    """Set measurements against the protocol in force for each episode."""
    judged = []
    for episode, numbers in measured:
        rules = in_force(workspace, episode.task)
        report = checks.report(episode, checks.judge(numbers, rules))
        judged.append(EpisodeJudged(rules.fingerprint, report))
    return judged


def _measured(workspace: Workspace, measured: Sequence[tuple[Episode, tuple[Measured, ...]]]) -> list[Event]:
    if not measured:
        return []
    blob, rows = put_rows(workspace.shelf, checks.to_rows(measured))
    return [EpisodesMeasured(tuple(episode.id for episode, _ in measured), blob, rows)]


def _status(workspace: Workspace, episodes: Sequence[str]) -> Status:
    reports = [r for e in episodes for r in workspace.store.find(EpisodeReport, {"episode": e}, newest=True, limit=1)]
    statuses = {report.status for report in reports}
    return next((s for s in Status if s in statuses), Status.CANNOT_TELL)


__all__ = ["Blob", "Ingested", "TakenIn", "case_of", "episodes", "ingest", "judge", "reopen"]
