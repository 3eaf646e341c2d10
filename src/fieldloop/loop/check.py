"""Is it fit to learn from? On any log or dataset folder, with or without a workspace."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldloop import check as checks
from fieldloop.errors import BadInput, Refused
from fieldloop.ingest import open_log
from fieldloop.loop.ingest import case_of, judge
from fieldloop.loop.numbers import in_force
from fieldloop.loop.workspace import Workspace, track_silently
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodesMeasured
from fieldloop.model.finding import EpisodeReport, Finding, Measured, Status, worst
from fieldloop.protocol import CollectionProtocol, agree, parse_protocol
from fieldloop.report import check as pages
from fieldloop.store.parquet import read_rows


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All answers about each episode and about the dataset as a whole, under one protocol."""

    protocol: CollectionProtocol
    episodes: tuple[EpisodeReport, ...]
    dataset: tuple[Finding, ...]
    html: str | None = None

    @property
    def status(self) -> Status:
        """The worst answer; nothing looked at is no pass."""
        statuses = {report.status for report in self.episodes}
        if any(finding.counts for finding in self.dataset):
            statuses.add(worst(self.dataset))
        return next((s for s in Status if s in statuses), Status.CANNOT_TELL)

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema check/1."""
        return pages.json_object(self.protocol, self.episodes, self.dataset)


def check(
    workspace: Workspace | None, paths: tuple[Path, ...] = (), *, html: Path | None = None, protocol: Path | None = None
) -> CheckReport:
    """Tell whether logs or datasets are fit to learn from; without a path, judge the workspace's episodes anew.

    Arguments:
        paths: log files, dataset folders, or folders of logs; nothing is stored
        html: write the report with plots to this file too
        protocol: judge by this protocol file instead of the one in force
    """
    if paths:
        return _check_paths(workspace, paths, html, _rules(workspace, protocol))
    if workspace is None:
        raise BadInput("Name a log or a dataset folder: fieldloop check PATH")
    if protocol or html:
        raise BadInput("--protocol and --html go with a path: fieldloop check PATH --html report.html")
    return _check_workspace(workspace)
