"""Records in TFRecord files one after another, none much larger than asked for."""

import struct
from pathlib import Path
from typing import BinaryIO

from fieldloop.errors import BadInput
from fieldloop.release.writers.rlds.example import Pieces

MASK_DELTA = 0xA282EAD8  # of TFRecord's masked checksum
LARGEST_RECORD = (1 << 31) - 1  # a protobuf message is shorter than 2 GiB


class ShardWriter:
    """One split's files. How many there will be is part of each name, so names are given at the end."""

    def __init__(self, folder: Path, dataset: str, split: str, shard_bytes: int) -> None:
        self._folder, self._stem, self._most = folder, f"{dataset}-{split}.tfrecord", shard_bytes
        self._file: BinaryIO | None = None
        self._size = 0
        self.lengths: list[int] = []
        self.payload_bytes = 0

    def append_record(self, payload: Pieces, name: str) -> None:
        """Append one record; an episode is never split over two files."""
        if payload.size > LARGEST_RECORD:
            raise BadInput(
                f"{name} has {payload.size / 2**30:.1f} GiB, and a record holds at most 2 GiB. "
                "Write pictures as JPEG, or cut the episode."
            )
        if self._file is None or self._size + payload.size > self._most:
            self._open_next_part()
        assert self._file is not None
        head = struct.pack("<Q", payload.size)
        self._file.write(head + struct.pack("<I", _mask_crc(_compute_crc((head,)))))
        self._file.writelines(payload.parts)
        self._file.write(struct.pack("<I", _mask_crc(_compute_crc(payload.parts))))
        self._size += payload.size + 16
        self.payload_bytes += payload.size
        self.lengths[-1] += 1

    def close(self) -> None:
        """Finish the last file, and name all of them."""
        if self._file is not None:
            self._file.close()
            self._file = None
        for index in range(len(self.lengths)):
            self._make_part_path(index).rename(self._folder / f"{self._stem}-{index:05d}-of-{len(self.lengths):05d}")

    def abandon(self) -> None:
        """Let go of the file; what was written is not kept."""
        if self._file is not None:
            self._file.close()

    def _open_next_part(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file, self._size = self._make_part_path(len(self.lengths)).open("wb"), 0
        self.lengths.append(0)

    def _make_part_path(self, index: int) -> Path:
        return self._folder / f"{self._stem}-{index:05d}.part"


def _compute_crc(parts: tuple[bytes, ...]) -> int:
    import google_crc32c

    crc = 0
    for part in parts:
        crc = int(google_crc32c.extend(crc, part))
    return crc


def _mask_crc(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + MASK_DELTA) & 0xFFFFFFFF
