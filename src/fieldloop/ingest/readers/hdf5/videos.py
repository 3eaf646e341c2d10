"""A whole video kept inside an HDF5 file as bytes: its packets without decoding, its pixels on demand."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import UnreadableLog
from fieldloop.ingest.pictures.demux import explain_decoder_error
from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, open_hdf5
from fieldloop.ingest.readers.hdf5.tree import Leaf
from fieldloop.model.stream import NS_PER_S

MATROSKA = b"\x1a\x45\xdf\xa3"
MOST_BYTES = 1 << 30


def holds_video(leaf: Leaf) -> bool:
    """Do the bytes begin as an MP4, Matroska or AVI file does?"""
    if not _is_one_file(leaf):
        return False
    try:
        head = np.asarray(leaf.data[:16]).tobytes() if leaf.shape and leaf.dtype == np.uint8 else leaf.read_row(0)[:16]
    except HDF5_ERRORS:
        return False
    return head[4:8] == b"ftyp" or head.startswith(MATROSKA) or (head[:4] == b"RIFF" and head[8:12] == b"AVI ")


def read_video_bytes(leaf: Leaf) -> bytes:
    """Return the whole video; OSError where it is too large to be held."""
    if leaf.data.size * leaf.dtype.itemsize > MOST_BYTES:
        raise OSError("it is larger than a gigabyte")
    return np.asarray(leaf.data[:]).tobytes() if leaf.shape and leaf.dtype == np.uint8 else leaf.read_row(0)


def _is_one_file(leaf: Leaf) -> bool:
    """Is it one long row of bytes, or one string of them?"""
    return (leaf.dtype == np.uint8 and len(leaf.shape) == 1) or (leaf.is_bytes and leaf.data.size == 1)


@dataclass(frozen=True, slots=True, eq=False)
class VideoInside:
    """A FrameSource over a video that is an array of bytes."""

    path: Path
    dataset: str
    size: tuple[int, int]
    pts: NDArray[np.int64]
    times_ns: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.pts)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        wanted = list(range(len(self))) if indices is None else sorted(indices)
        targets = [int(self.pts[index]) for index in wanted]
        done = 0
        for picture in self._decode(targets):
            done += 1
            yield picture
        yield from (NOTHING for _ in range(len(targets) - done))

    def _decode(self, targets: list[int]) -> Iterator[Picture]:
        import av

        try:
            with open_hdf5(self.path) as file:
                data = read_video_bytes(Leaf.from_dataset(file, self.dataset, file.file[self.dataset]))
            with av.open(io.BytesIO(data)) as container:
                stream = container.streams.video[0]
                at = 0
                if targets:
                    container.seek(targets[0], stream=stream, backward=True)
                for frame in _decode_frames(container, stream):
                    while at < len(targets) and frame.pts > targets[at]:
                        at += 1
                        yield NOTHING
                    while at < len(targets) and frame.pts == targets[at]:
                        at += 1
                        yield frame.to_ndarray(format="rgb24")
                    if at == len(targets):
                        return
        except (av.FFmpegError, UnreadableLog, *HDF5_ERRORS):
            return  # the caller yields what is missing as empty frames


def index_video(path: Path, leaf: Leaf, data: bytes) -> VideoInside:
    """List the video's frames in the order they are shown; ValueError says why that cannot be done."""
    import av

    stamps: list[int] = []
    try:
        with av.open(io.BytesIO(data)) as container:
            if not container.streams.video:
                raise ValueError("it has no video stream")
            stream = container.streams.video[0]
            context, base = stream.codec_context, stream.time_base
            if context is None or base is None:
                raise ValueError("its codec is not known")
            size = (int(context.width), int(context.height))
            stamps += [p.pts for p in container.demux(stream) if p.pts is not None and p.size]
    except (av.FFmpegError, OSError) as wrong:
        if not stamps:
            raise ValueError(explain_decoder_error(wrong)) from wrong
    pts = np.asarray(sorted(stamps), np.int64)
    times = np.asarray([p * base.numerator * NS_PER_S // base.denominator for p in pts.tolist()], np.int64)
    return VideoInside(path, leaf.path, size, pts, times)


def _decode_frames(container: Any, stream: Any) -> Iterator[Any]:
    import av

    for packet in container.demux(stream):
        try:
            yield from (frame for frame in packet.decode() if frame.pts is not None)
        except av.FFmpegError:
            continue  # a broken packet: its frame is missing
