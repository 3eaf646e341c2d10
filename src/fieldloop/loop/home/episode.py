"""One episode with its last report, phases, releases and streams."""

from dataclasses import dataclass, replace

from fieldloop.errors import FieldloopError
from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.data.moment import Glimpse, show_moment
from fieldloop.loop.data.streams import StreamShown, list_streams
from fieldloop.loop.ship.release import list_releases
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport


@dataclass(frozen=True, slots=True)
class EpisodeShown:
    """One episode: its last report, its phases, the releases that hold it, and its streams or why they are missing.

    `moment` is the requested moment, or `moment_error` states why it cannot be shown.
    """

    episode: Episode
    report: EpisodeReport | None
    phases: tuple[Annotation, ...]
    releases: tuple[str, ...]
    streams: tuple[StreamShown, ...] = ()
    streams_error: str = ""
    moment: Glimpse | None = None
    moment_error: str = ""


def show_episode(workspace: Workspace, episode: str, *, at_s: float | None = None) -> EpisodeShown:
    """Show one episode: its last report, phases, releases and streams.

    Arguments:
        episode: the episode's name or id
        at_s: also show frames and signals around this moment, in seconds from the episode's start
    """
    store = workspace.store
    known = find_episode(workspace, episode)
    episode = known.id
    reports = store.find(EpisodeReport, {"episode": episode}, newest=True, limit=1)
    phases, _ = select_visible_labels(workspace, store.find(Annotation, {"kind": "phase", "episode": episode}))
    used = tuple(release.name for release in list_releases(workspace) if episode in release.episodes)
    shown = EpisodeShown(known, next(iter(reports), None), phases, used)
    try:
        shown = replace(shown, streams=tuple(list_streams(workspace, episode)))
    except FieldloopError as gone:
        shown = replace(shown, streams_error=str(gone))
    if at_s is None:
        return shown
    try:
        return replace(shown, moment=show_moment(workspace, known, at_s))
    except FieldloopError as gone:
        return replace(shown, moment_error=str(gone))
