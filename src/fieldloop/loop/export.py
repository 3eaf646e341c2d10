"""A frozen release as files that a trainer reads."""

from collections.abc import Iterator
from pathlib import Path

from fieldloop.ingest import open_log
from fieldloop.loop.convert import Converted, Format, converted, write
from fieldloop.loop.mapping import mapping_of
from fieldloop.loop.release import named
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Log, Recording
from fieldloop.model.event import ReleaseExported
from fieldloop.model.release import Release


def export(
    workspace: Workspace,
    release: str,
    target: Path,
    *,
    to: Format = "lerobot",
    clock: str = "",
    hz: float | None = None,
) -> Converted:
    """Write a release's episodes in a training format; how they were resampled is written into the ledger.

    Arguments:
        release: id, beginning of it, or name
        target: a name that is not taken yet; it appears whole or not at all
        to: the format to write; mcap keeps every rate and clock, the others have one row a frame
        clock: the stream whose stamps are the frames (default: the first camera, else the action)
        hz: frames at this even rate instead
    """
    frozen = named(workspace, release)
    made = write(to, _Episodes(workspace, frozen), target, clock=clock, hz=hz)
    done = converted(to, made, made.left_out)
    workspace.write(
        ReleaseExported(
            frozen.id, target.name, done.format, done.episodes, done.frames, done.clock, done.rules, done.left_out
        )
    )
    return done


class _Episodes:
    """The recordings of a release, log by log; each log is opened once a walk."""

    def __init__(self, workspace: Workspace, release: Release) -> None:
        self._workspace, self._release = workspace, release

    def __iter__(self) -> Iterator[Recording]:
        wanted = set(self._release.episodes)
        logs: dict[str, Log] = {}
        for episode in self._release.episodes:
            log = self._workspace.store.log_of(episode)
            logs[log.blob.sha256] = log
        return self._workspace.track(self._walk(logs, wanted), f"reading {self._release.name}", len(wanted))

    def _walk(self, logs: dict[str, Log], wanted: set[str]) -> Iterator[Recording]:
        for log in logs.values():
            here = self._workspace.shelf.local(log.blob, self._workspace.cache)
            for recording in open_log(here, mapping_of(self._workspace, log)).recordings:
                if recording.episode.id in wanted:
                    wanted.discard(recording.episode.id)  # the same episode may lie in two logs
                    yield recording
