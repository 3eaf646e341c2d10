"""Open episodes again from the raw logs on the shelf, under the names they were ingested with."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.loop.data.as_frozen import find_logs_as_frozen
from fieldloop.loop.data.mapping import find_mapping_of_log
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.release import Release
from fieldloop.release import apply_fixes


class Reopened:
    """Recordings of some episodes; each iteration reads a log with several of them once.

    With a release, logs are read as they were when it was frozen, and its fixes are applied.
    """

    def __init__(
        self, workspace: Workspace, episodes: Sequence[Episode], what: str = "", release: Release | None = None
    ) -> None:
        self._workspace, self._episodes, self._what, self._release = workspace, tuple(episodes), what, release

    def __iter__(self) -> Iterator[Recording]:
        if not self._what:
            return self._iterate_recordings()
        return self._workspace.track(self._iterate_recordings(), f"reading {self._what}", len(self._episodes))

    def _iterate_recordings(self) -> Iterator[Recording]:
        wanted = {episode.id: episode for episode in self._episodes}
        logs = {log.blob.sha256: log for log in self._workspace.store.get_logs(list(wanted)).values()}
        for log in find_logs_as_frozen(self._workspace, list(logs.values()), self._release):
            here = self._workspace.shelf.fetch_local_copy(log.blob, self._workspace.cache)
            held = wanted.keys() & set(log.episodes)
            for recording in open_log(here, find_mapping_of_log(self._workspace, log)).recordings if held else ():
                if known := wanted.pop(recording.episode.id, None):
                    held.discard(known.id)
                    yield self._apply_fixes(
                        replace(recording, episode=known)
                    )  # on the shelf a log is named by its hash
                if not held:
                    break
        if wanted:
            names = ", ".join(f"{e.name} ({e.id[:12]})" for e in list(wanted.values())[:3])
            raise UnreadableLog(
                f"{len(wanted)} of {len(self._episodes)} episodes are no longer in the logs they came with: {names}."
            )

    def _apply_fixes(self, recording: Recording) -> Recording:
        return apply_fixes(recording, self._release.get_fixes(recording.episode.id)) if self._release else recording


def reopen_episode(workspace: Workspace, episode: Episode) -> Recording:
    """Open one episode's streams again."""
    return next(iter(Reopened(workspace, (episode,))))
