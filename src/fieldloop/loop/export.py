"""A frozen release as files that a trainer reads."""

from collections.abc import Iterator
from pathlib import Path

from fieldloop.loop.convert import Codec, Converted, Format, Options, converted, said_of, write
from fieldloop.loop.release import named
from fieldloop.loop.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Defect, Episode, Recording
from fieldloop.model.event import ReleaseExported


def export(
    workspace: Workspace,
    release: str,
    target: Path,
    *,
    to: Format = "lerobot",
    clock: str = "",
    hz: float | None = None,
    codec: Codec = "h264",
    actions_from: str = "",
) -> Converted:
    """Write a release's episodes in a training format; how they were resampled is written into the ledger.

    Arguments:
        release: id, beginning of it, or name
        target: a name that is not taken yet; it appears whole or not at all
        to: the format to write; mcap keeps every rate and clock, the others have one row a frame
        clock: the stream whose stamps are the frames (default: the first camera, else the action)
        hz: frames at this even rate instead
        codec: how LeRobot's videos are compressed
        actions_from: the stream that HDF5 takes for the actions where no stream is one
    """
    frozen = named(workspace, release)
    episodes = {e.id: e for e in workspace.store.find(Episode, {"id": list(frozen.episodes)})}
    told = _Told(Reopened(workspace, [episodes[id_] for id_ in frozen.episodes], frozen.name, frozen))
    options = Options(clock, hz, codec, actions_from)
    done = converted(to, write(to, told, target, options), options, told.told)
    workspace.write(
        ReleaseExported(
            frozen.id, target.name, done.format, done.episodes, done.frames, done.clock, done.rules, done.left_out
        )
    )
    return done


class _Told:
    """Recordings, and what was wrong with them."""

    def __init__(self, recordings: Reopened) -> None:
        self._recordings = recordings
        self.told: list[Defect] = []

    def __iter__(self) -> Iterator[Recording]:
        self.told = []
        for recording in self._recordings:
            self.told += said_of(recording)
            yield recording
