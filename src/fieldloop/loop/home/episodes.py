"""The list of episodes under filters: the newest that match, counts by status, and the logs they came from."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from fieldloop.errors import BadInput
from fieldloop.loop.data.ingest import LogShown, list_ingested_logs
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Log
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.store import EpisodeFilter

MOST_REPORTS, MOST_LOGS = 50, 50
"""Reports are long: only those of the newest episodes that did not pass are read."""
SET_ASIDE = "set_aside"
HELD = [status for status in Status if status is not Status.PASSED]


@dataclass(frozen=True, slots=True)
class ListedEpisode:
    """One episode of the list, its status, and the first finding that counts."""

    episode: Episode
    status: Status | None
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class FoundEpisodes:
    """Episodes that match, newest first, with counts of all episodes; logs are listed where nothing is filtered."""

    episodes: tuple[ListedEpisode, ...]
    matching: int
    total: int
    by_status: Mapping[str, int]
    held_back: int
    commonest_check: str = ""
    commonest_count: int = 0
    logs: tuple[LogShown, ...] = ()
    log_count: int = 0
    set_aside: int = 0


def find_episodes(
    workspace: Workspace, *, status: str = "", text: str = "", where: tuple[str, ...] = (), limit: int = 300
) -> FoundEpisodes:
    """Find episodes by status, text and labels, newest first, with counts by status.

    Arguments:
        status: only episodes with this last status; set_aside lists episodes that are not used
        text: only episodes with this text in their id, name, site, robot, operator, conditions or facts
        where: only episodes with this condition, field or fact, such as sku=A7
        limit: list at most this many rows
    """
    labels = dict(parse_label(one) for one in where)
    views = workspace.store.views
    aside = status == SET_ASIDE
    wanted = EpisodeFilter("" if aside else status, text, labels, set_aside=True if aside else None)
    matches = views.find_episodes(wanted, limit)
    listed = [episode.id for episode, verdict in matches.episodes if verdict in HELD][:MOST_REPORTS]
    held = [e.id for e in workspace.store.find(Episode, {"status": HELD}, newest=True, limit=MOST_REPORTS)]
    reports = views.get_last_reports([*dict.fromkeys((*listed, *held))])
    commonest = Counter(f.check for one in held if one in reports for f in reports[one].findings).most_common(1)
    is_filtered = bool(status or text or any(labels.values()))
    total = sum(matches.by_status.values())
    return FoundEpisodes(
        tuple(
            ListedEpisode(episode, verdict, _find_first_finding(reports.get(episode.id)))
            for episode, verdict in matches.episodes
        ),
        matches.matching,
        total,
        {one.value: matches.by_status[one] for one in Status if matches.by_status.get(one)},
        total - matches.by_status.get(Status.PASSED, 0),
        *(commonest[0] if commonest else ("", 0)),
        logs=() if is_filtered else list_ingested_logs(workspace, limit=MOST_LOGS),
        log_count=0 if is_filtered else workspace.store.count(Log),
        set_aside=matches.set_aside,
    )


def parse_label(text: str) -> tuple[str, str]:
    """Read a label as users write it: name=value."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise BadInput(f"{text!r} is not a label. Write name=value, such as sku=A7.")
    return name, value


def _find_first_finding(report: EpisodeReport | None) -> Finding | None:
    return next(iter(report.findings), None) if report else None
