"""Pictures as they rest in a log: really compressed H.264, or raw."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Codec:
    """How hard a recorder compresses: H.264's constant rate factor, frames between key frames, B-frames."""

    crf: int = 23
    gop: int = 30
    b_frames: int = 0
    preset: str = "veryfast"


@dataclass(frozen=True, slots=True, eq=False)
class RawFrames:
    """A FrameSource over uncompressed pictures (n × H × W × 3)."""

    pictures: NDArray[np.uint8]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.pictures.shape[2], self.pictures.shape[1]

    def __len__(self) -> int:
        return len(self.pictures)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Yield frames in ascending order."""
        for i in range(len(self)) if indices is None else sorted(indices):
            yield self.pictures[i]


@dataclass(frozen=True, slots=True, eq=False)
class Video:
    """A FrameSource over an H.264 file in memory."""

    data: bytes = field(repr=False)
    width: int
    height: int
    count: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.width, self.height

    def __len__(self) -> int:
        return self.count

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Yield frames in ascending order; those between are decoded and passed over."""
        import av

        wanted = set(range(self.count) if indices is None else indices)
        with av.open(io.BytesIO(self.data)) as container:
            stream = container.streams.video[0]
            stream.thread_type = "NONE"
            for i, frame in enumerate(container.decode(stream)):
                if i in wanted:
                    yield frame.to_ndarray(format="rgb24")


def compress(pictures: Iterable[NDArray[np.uint8]], hz: float, codec: Codec) -> Video:
    """Encode pictures on one thread, so that the same pictures give the same bytes."""
    import av

    rest, count, shape = io.BytesIO(), 0, (0, 0)
    with av.open(rest, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(hz).limit_denominator(1000))
        stream.pix_fmt = "yuv420p"
        stream.thread_count = 1
        stream.options = {
            "crf": str(codec.crf),
            "preset": codec.preset,
            "g": str(codec.gop),
            "bf": str(codec.b_frames),
            "threads": "1",
            "x264-params": "mbtree=0",  # with it and B-frames, the same pictures gave differing bytes
        }
        for picture in pictures:
            if not count:
                shape = picture.shape[:2]
                stream.height, stream.width = shape
            count += 1
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return Video(rest.getvalue(), shape[1], shape[0], count)
