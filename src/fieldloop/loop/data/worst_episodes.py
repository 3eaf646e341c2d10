"""What is drawn of the worst episodes: their logs are opened once more, the others stay shut."""

from collections.abc import Mapping

from fieldloop.errors import StoreError, UnreadableLog
from fieldloop.loop.work.measure_part import Part
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.report import check as pages

DRAWN = 8


def sketch_worst_episodes(report: pages.CheckReport, parts: Mapping[str, Part]) -> dict[str, pages.EpisodeSketch]:
    """Sketch the episodes that the report asks to look at first, by episode id."""
    worst = {one.episode: one for one in pages.sort_episodes_by_cost(report)[:DRAWN] if one.episode in parts}
    made: dict[str, pages.EpisodeSketch] = {}
    for part in dict.fromkeys(parts[episode] for episode in worst):
        for recording in part.open().read_part(part.start, part.stop):
            if found := worst.get(recording.episode.id):
                made[found.episode] = pages.sketch_episode(recording, found)
    return made


def sketch_worst_stored_episodes(workspace: Workspace, report: pages.CheckReport) -> dict[str, pages.EpisodeSketch]:
    """Draw the worst episodes of a workspace's report from its stored logs; episodes without a log are left out."""
    worst = {one.episode: one for one in pages.sort_episodes_by_cost(report)[:DRAWN]}
    made: dict[str, pages.EpisodeSketch] = {}
    for episode in workspace.store.find(Episode, {"id": list(worst)}):
        try:
            for recording in Reopened(workspace, [episode]):
                made[episode.id] = pages.sketch_episode(recording, worst[episode.id])
        except (UnreadableLog, StoreError):
            continue
    return made
