"""Is it fit to learn from? On any log or dataset folder, with or without a workspace."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fieldloop import check as checks
from fieldloop.errors import BadInput
from fieldloop.ingest import OpenLog, open_log
from fieldloop.loop.ingest import Rules, judged, measurements_of, numbers_in_force
from fieldloop.loop.mapping import mapping_in_force
from fieldloop.loop.numbers import in_force
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.episode import Defect, Episode, Log
from fieldloop.model.finding import EpisodeReport
from fieldloop.protocol import CollectionProtocol, agree, parse_protocol
from fieldloop.report import check as pages

SHOWN_PATHS = 3


@dataclass(frozen=True, slots=True)
class CheckReport(pages.CheckReport):
    """All answers, and where the page with plots was written."""

    html: str | None = None

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema check/1."""
        return pages.json_object(self)


def check(
    workspace: Workspace | None,
    paths: tuple[Path, ...] = (),
    *,
    html: Path | None = None,
    protocol: Path | None = None,
    mapping: Path | None = None,
    track: Track = track_silently,
) -> CheckReport:
    """Tell whether logs or datasets are fit to learn from; without a path, judge the workspace's episodes anew.

    Arguments:
        paths: log files, dataset folders, or folders of logs; nothing is stored
        html: write the report with plots to this file too
        protocol: judge by this protocol file instead of the one in force
        mapping: the house's names, units and frames (default: mapping.toml of the workspace, if it has one)
    """
    if paths:
        opened = [open_log(path, mapping_in_force(workspace, mapping)) for path in paths]
        return _check_logs(workspace, opened, html, _rules(protocol), track)
    if workspace is None:
        raise BadInput("Name a log or a dataset folder: fieldloop check PATH")
    if protocol or html or mapping:
        raise BadInput("--protocol, --mapping and --html go with a path: fieldloop check PATH --html report.html")
    return _check_workspace(workspace)


def _rules(file: Path | None) -> CollectionProtocol | None:
    if file is None:
        return None
    if not file.is_file():
        raise BadInput(f"{file} is not there.")
    rules = parse_protocol(file.read_text(encoding="utf-8"), str(file))
    agree(checks.UNITS, rules)
    return rules


def _check_logs(
    workspace: Workspace | None,
    logs: Sequence[OpenLog],
    html: Path | None,
    rules: CollectionProtocol | None,
    track: Track,
) -> CheckReport:
    force = rules or in_force(workspace)
    held_against = numbers_in_force(workspace) if workspace else Rules(force)
    if rules:
        held_against = replace(held_against, usual=rules, by_task={})
    reports: list[EpisodeReport] = []
    episodes: list[Episode] = []
    defects: list[Defect] = []
    formats: list[str] = []
    worst = pages.Shortlist()
    for log in logs:
        for recording in track(log.recordings, f"checking {log.path.name}", None):
            case = held_against.case(recording)
            report = checks.report(recording.episode, checks.judge(checks.measure(case), case.protocol))
            reports.append(report)
            episodes.append(recording.episode)
            if html:
                worst.offer(recording, report)
        defects += log.defects
        formats.append(log.format)
    dataset = checks.judge(checks.measure_batch(checks.Batch(tuple(episodes), tuple(defects), force)), force)
    made = CheckReport(
        source=", ".join(log.path.name or str(log.path) for log in logs)
        if len(logs) <= SHOWN_PATHS
        else f"{len(logs)} logs",
        format=" + ".join(sorted(set(formats))),
        protocol=force,
        episodes=tuple(reports),
        dataset=dataset,
        html=str(html) if html else None,
    )
    if html:
        _write(html, pages.html(made, worst.sketches))
    return made


def _write(file: Path, text: str) -> None:
    if file.is_dir():
        raise BadInput(f"{file} is a folder. Name a file for the report, such as {file / 'report.html'}.")
    if not file.parent.is_dir():
        raise BadInput(f"{file.parent} is no folder, so the report cannot be written there.")
    part = file.with_name(f".{file.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)  # a reader sees the old report or the new one, never half of one


def _check_workspace(workspace: Workspace) -> CheckReport:
    episodes = workspace.store.find(Episode)
    if not episodes:
        raise BadInput("The workspace has no episodes yet. Take some in: fieldloop ingest PATH")
    numbers = [(e, measurements_of(workspace, e)) for e in workspace.track(episodes, "judging", len(episodes))]
    events = judged(workspace, numbers)
    workspace.write(*events)
    rules = in_force(workspace)
    defects = tuple(defect for log in workspace.store.find(Log) for defect in log.defects)
    dataset = checks.judge(checks.measure_batch(checks.Batch(tuple(episodes), defects, rules)), rules)
    return CheckReport(workspace.name, "workspace", rules, tuple(event.report for event in events), dataset)
