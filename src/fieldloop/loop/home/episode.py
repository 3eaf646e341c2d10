"""One episode with its last report, phases, releases and streams."""

from dataclasses import dataclass

from fieldloop.errors import FieldloopError, UnknownName
from fieldloop.loop.data.streams import StreamShown, streams
from fieldloop.loop.ship.release import releases
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport


@dataclass(frozen=True, slots=True)
class EpisodeShown:
    """One episode: its last report, its phases, the releases that hold it, and its streams or why they are missing."""

    episode: Episode
    report: EpisodeReport | None
    phases: tuple[Annotation, ...]
    releases: tuple[str, ...]
    streams: tuple[StreamShown, ...] = ()
    streams_error: str = ""


def show_episode(workspace: Workspace, episode: str) -> EpisodeShown:
    """Show one episode: its last report, phases, releases and streams.

    Arguments:
        episode: the episode's id
    """
    store = workspace.store
    found = store.find(Episode, {"id": episode})
    if not found:
        raise UnknownName("episode", episode, ())
    reports = store.find(EpisodeReport, {"episode": episode}, newest=True, limit=1)
    phases = store.find(Annotation, {"kind": "phase", "episode": episode})
    used = tuple(release.name for release in releases(workspace) if episode in release.episodes)
    shown = EpisodeShown(found[0], next(iter(reports), None), tuple(phases), used)
    try:
        return EpisodeShown(shown.episode, shown.report, shown.phases, used, tuple(streams(workspace, episode)))
    except FieldloopError as gone:
        return EpisodeShown(shown.episode, shown.report, shown.phases, used, streams_error=str(gone))
