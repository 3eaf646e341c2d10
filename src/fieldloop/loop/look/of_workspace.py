"""Open an episode of a workspace to look at it: its log on the shelf, labels, calibrations and last report."""

from dataclasses import replace

from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.data.measurements import read_imprints
from fieldloop.loop.data.moment import open_recording
from fieldloop.loop.look.checked import estimate_camera_lags
from fieldloop.loop.look.open_set import OpenSet
from fieldloop.loop.look.opened import OpenedEpisode
from fieldloop.loop.look.view import EpisodeView
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.explored import Beside
from fieldloop.model.finding import EpisodeReport

BYTES_PER_GB = 1e9


def look_at_episode(workspace: Workspace, episode: str) -> EpisodeView:
    """Show one episode's cameras, signals, segments, findings and calibrations on one timeline.

    Arguments:
        episode: the episode's name or id
    """
    view = _open_episode(workspace, find_episode(workspace, episode)).make_view()
    return replace(view, segments=select_visible_labels(workspace, view.segments)[0])


class WorkspaceEpisodes:
    """The episodes of a workspace; the last few stay open for as long as the server runs."""

    def __init__(self) -> None:
        self._kept = OpenSet()

    def get_episode(self, workspace: Workspace, key: str) -> OpenedEpisode:
        """Return an opened episode by name or id; one whose log was read again is opened again."""
        episode = find_episode(workspace, key)
        _, hidden = select_visible_labels(workspace, workspace.store.find(Annotation, {"episode": episode.id}))
        whose = workspace.actor.id if hidden else ""  # who labels independently must not see what others opened
        reading = f"{episode.id} {workspace.store.get_log(episode.id).mapping} {whose}"
        return self._kept.get_episode(reading, lambda: _open_episode(workspace, episode))


def _open_episode(workspace: Workspace, episode: Episode) -> OpenedEpisode:
    largest_gb = workspace.operations["look"].number("max_log_gb")
    recording = open_recording(
        workspace, episode, largest=largest_gb * BYTES_PER_GB, to_see="the player (operations: look.max_log_gb)"
    )
    source = workspace.store.get_log(episode.id).name
    return OpenedEpisode(
        episode.id,
        source,
        recording,
        lambda _: _measure_lags(workspace, episode),
        lambda: _read_beside(workspace, episode),
    )


def _measure_lags(workspace: Workspace, episode: Episode) -> Beside:
    """Estimate lags from what was measured when the episode was ingested: no picture is decoded."""
    imprint = read_imprints(workspace, [episode]).get(episode.id)
    protocol = workspace.protocol(episode.task)
    return Beside() if imprint is None else Beside(lags=estimate_camera_lags(imprint, protocol))


def _read_beside(workspace: Workspace, episode: Episode) -> Beside:
    store = workspace.store
    spans, _ = select_visible_labels(workspace, store.find(Annotation, {"episode": episode.id}))
    known = store.find(Calibration, {"robot": episode.robot}) if episode.robot else []
    during = [c for c in known if c.valid_from_ns < episode.end_ns and not _has_ended_before(c, episode.start_ns)]
    reports = store.find(EpisodeReport, {"episode": episode.id}, newest=True, limit=1)
    return Beside(spans, tuple(during), next(iter(reports), None))


def _has_ended_before(calibration: Calibration, at_ns: int) -> bool:
    return calibration.valid_to_ns is not None and calibration.valid_to_ns <= at_ns
