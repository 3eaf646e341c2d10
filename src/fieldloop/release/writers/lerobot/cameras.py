"""One camera of a dataset being written: its frames into video, every pixel into statistics."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import StreamKind, VideoSource
from fieldloop.release.writers.features import Feature
from fieldloop.release.writers.framed import Framed
from fieldloop.release.writers.lerobot.copied_video import CopiedVideo
from fieldloop.release.writers.lerobot.depth import LARGEST, DepthScale
from fieldloop.release.writers.lerobot.files import Limits, Places
from fieldloop.release.writers.lerobot.info import Origin, describe_camera
from fieldloop.release.writers.lerobot.stats import PictureStats, Stats
from fieldloop.release.writers.lerobot.video import Codec, Span, VideoWriter, choose_encoding

QUALITY = {"h264": 20, "av1": 30}
"""Where the two look alike; smaller is better and larger."""


class Camera:
    """Frames in, videos out. Two cameras may be fed from two threads."""

    def __init__(
        self, folder: Path, feature: Feature, key: str, fps: int, codec: Codec, crf: int | None, limits: Limits
    ) -> None:
        self.feature, self.key, self._fps = feature, key, fps
        self._scale = DepthScale() if feature.kind is StreamKind.DEPTH else None
        self._copied: CopiedVideo | None = None
        self._encoded = 0
        self._codecs = () if self._scale or crf is not None else (*QUALITY,) if codec == "keep" else (codec,)
        made = "h264" if codec == "keep" else codec
        self._how = choose_encoding(
            made, feature.size, crf=QUALITY[made] if crf is None else crf, depth=self._scale is not None
        )
        self._video = VideoWriter(folder, key, fps, self._how, Places(limits.video_mb, limits.files_a_chunk))
        self.seen = self._make_stats()

    def encode_episode(self, framed: Framed) -> tuple[dict[str, Any], dict[str, Stats]]:
        """Encode one episode; return its columns of the table of episodes, and its statistics."""
        seen = self._make_stats()
        span = self._copy_packets(framed, seen)
        if span is None:
            self._encoded += 1
            seen = self._make_stats()
            span = self._video.encode_episode(self._yield_counted_pictures(framed, seen))
        self.seen.merge(seen)
        prefix = f"videos/{self.key}/"
        columns = {
            f"{prefix}chunk_index": span.place.chunk, f"{prefix}file_index": span.place.file,
            f"{prefix}from_timestamp": span.from_s, f"{prefix}to_timestamp": span.to_s,
        }  # fmt: skip
        return columns, {self.key: seen.compute_stats()}

    def _copy_packets(self, framed: Framed, stats: PictureStats) -> Span | None:
        """Copy the source's packets where rows are exactly its frames and each can be decoded; None elsewhere."""
        name = self.feature.name
        source = framed.streams[name].pictures
        if not self._codecs or not isinstance(source, VideoSource):
            return None
        if not np.array_equal(framed.picks[name], np.arange(len(source))):
            return None
        copied = self._video.copy_episode(source.part, self._codecs)
        if copied is None:
            return None
        count = sum(1 for _ in self._yield_counted_pictures(framed, stats))
        if any(one.code == "release.frames_repeated" and one.subject.stream == name for one in framed.notes):
            return None  # a frame that cannot be decoded is replaced, which needs a new video
        self._copied, self._codecs = copied, (copied.codec,)  # one codec for all episodes
        return self._video.append_episode(count)

    def close(self) -> None:
        """Finish the last file."""
        self._video.close()

    def describe(self, origin: Origin) -> dict[str, Any]:
        """Return the camera's part of meta/info.json."""
        how = self._how
        if self._copied and not self._encoded:
            how = replace(how, codec=self._copied.codec, pix_fmt=self._copied.pix_fmt, options={})
        return describe_camera(self.feature, origin, self._fps, how)

    def report_losses(self) -> list[Note]:
        """Return what video does not hold."""
        if self._scale:
            return self._scale.report_losses(self.feature.name)
        if not self._encoded:
            return []
        how = f"{self._how.codec}, crf {self._how.options['crf']}"
        return [note("release.pixels_recompressed", about=Subject(self.feature.name), how=how)]

    def _make_stats(self) -> PictureStats:
        if self._scale is None:
            return PictureStats()
        return PictureStats(self._scale.convert_to_metres(np.arange(LARGEST + 1)), channels=1)

    def _yield_counted_pictures(self, framed: Framed, stats: PictureStats) -> Iterator[NDArray[Any]]:
        for picture in framed.iterate_pictures(self.feature.name):
            stored = picture if self._scale is None else self._scale.quantise(picture)
            stats.add_picture(stored)
            yield stored
