"""Videos without a log: each is looked at as an episode of one camera."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.ingest.pictures.video import VideoSpan, read_packets
from fieldloop.model.episode import Defect, Episode, Recording
from fieldloop.model.identity import compute_content_id
from fieldloop.model.stream import ClockKind, Stream, StreamKind

ENDINGS = (".mp4", ".mov", ".mkv", ".avi", ".webm")


class BareVideos:
    """Videos at or directly in a path, with the part of an opened log that the explorer asks for."""

    format = "video"
    defects: tuple[Defect, ...] = ()

    def __init__(self, videos: tuple[Path, ...]) -> None:
        self._videos = videos

    @property
    def listed_recordings(self) -> int:
        """How many videos there are."""
        return len(self._videos)

    @property
    def recordings(self) -> Iterator[Recording]:
        """Iterate over the videos that can be read."""
        for video in self._videos:
            with suppress(ValueError):
                yield read_video(video)

    def read_listed(self, place: int) -> Recording:
        """Read one video; BadInput where it is not one."""
        try:
            return read_video(self._videos[place])
        except ValueError as wrong:
            raise BadInput(f"{self._videos[place].name} cannot be opened: {wrong}.") from wrong


def list_videos(path: Path) -> tuple[Path, ...]:
    """List the videos at or directly in a path, sorted by name."""
    found = [path] if path.is_file() else sorted(path.iterdir()) if path.is_dir() else []
    return tuple(file for file in found if file.suffix.lower() in ENDINGS and file.is_file())


def read_video(path: Path) -> Recording:
    """Read a video as an episode; ValueError where it is not one."""
    packets = read_packets(path)
    span = VideoSpan(path, packets, 0, len(packets.pts))
    times = span.times_ns - span.times_ns[:1]
    camera = Stream(f"camera/{path.stem}", StreamKind.RGB, "8-bit", {ClockKind.CONTAINER: times}, pictures=span)
    episode = Episode(
        compute_content_id(span.fingerprint()), path.stem, f"video {packets.codec}",
        end_ns=int(times[-1]) if len(times) else 0,
    )  # fmt: skip
    return Recording(episode, {camera.name: camera})
