"""One camera of a dataset being written: its frames into video, every pixel into statistics."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import StreamKind
from fieldloop.release.writers.features import Feature
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.lerobot.depth import LARGEST, DepthScale
from fieldloop.release.writers.lerobot.files import Limits, Places
from fieldloop.release.writers.lerobot.info import Origin, describe_camera
from fieldloop.release.writers.lerobot.stats import PictureStats, Stats
from fieldloop.release.writers.lerobot.video import Codec, VideoWriter, encoding

QUALITY = {"h264": 20, "av1": 30}
"""Where the two look alike; smaller is better and larger."""


class Camera:
    """Frames in, videos out. Two cameras may be fed from two threads."""

    def __init__(
        self, folder: Path, feature: Feature, key: str, fps: int, codec: Codec, crf: int | None, limits: Limits
    ) -> None:
        self.feature, self.key, self._fps = feature, key, fps
        self._scale = DepthScale() if feature.kind is StreamKind.DEPTH else None
        self._how = encoding(
            codec, feature.size, crf=QUALITY[codec] if crf is None else crf, depth=self._scale is not None
        )
        self._video = VideoWriter(folder, key, fps, self._how, Places(limits.video_mb, limits.files_a_chunk))
        self.seen = self._new_stats()

    def add(self, framed: Framed) -> tuple[dict[str, Any], dict[str, Stats]]:
        """Encode one episode; return its columns of the table of episodes, and its statistics."""
        seen = self._new_stats()
        span = self._video.add(self._counted_pictures(framed, seen))
        self.seen.merge(seen)
        prefix = f"videos/{self.key}/"
        columns = {
            f"{prefix}chunk_index": span.place.chunk, f"{prefix}file_index": span.place.file,
            f"{prefix}from_timestamp": span.from_s, f"{prefix}to_timestamp": span.to_s,
        }  # fmt: skip
        return columns, {self.key: seen.stats()}

    def close(self) -> None:
        """Finish the last file."""
        self._video.close()

    def describe(self, origin: Origin) -> dict[str, Any]:
        """Return the camera's part of meta/info.json."""
        return describe_camera(self.feature, origin, self._fps, self._how)

    def losses(self) -> list[Note]:
        """Return what video does not hold."""
        if self._scale:
            return self._scale.losses(self.feature.name)
        how = f"{self._how.codec}, crf {self._how.options['crf']}"
        return [note("release.pixels_recompressed", about=Subject(self.feature.name), how=how)]

    def _new_stats(self) -> PictureStats:
        if self._scale is None:
            return PictureStats()
        return PictureStats(self._scale.metres(np.arange(LARGEST + 1)), channels=1)

    def _counted_pictures(self, framed: Framed, seen: PictureStats) -> Iterator[NDArray[Any]]:
        for picture in framed.pictures(self.feature.name):
            stored = picture if self._scale is None else self._scale.steps(picture)
            seen.add(stored)
            yield stored
