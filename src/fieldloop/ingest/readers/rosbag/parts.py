"""The files of a rosbag2 recording: recognised by content, decompressed where needed, read as one."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.messages.arrived import Arrived, Described
from fieldloop.ingest.readers.mcap.records import MAGIC as MCAP_MAGIC
from fieldloop.ingest.readers.rosbag.mcap_part import McapPart
from fieldloop.ingest.readers.rosbag.sqlite_part import MAGIC as SQLITE_MAGIC
from fieldloop.ingest.readers.rosbag.sqlite_part import SqlitePart
from fieldloop.ingest.readers.rosbag.unpacked import ZSTD_MAGIC, unpack_file, unpack_message
from fieldloop.model.note import note


class Part(Protocol):
    """One file of a recording."""

    path: Path
    complain: Complaints
    distribution: str

    @property
    def facts(self) -> Mapping[str, str]:
        """What the file says about its episode, once it was read."""

    def iterate_messages(self) -> Iterator[tuple[Described, Arrived]]:
        """Yield what can be read, in batches."""

    def fetch(self, places: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield messages again by their places."""

    def read_ros_distribution(self) -> str:
        """Return the release of ROS that wrote the file, where it says so."""

    def find_first_stamp_ns(self) -> int | None:
        """Return the earliest timestamp where it is known without reading."""


def open_part(path: Path, complain: Complaints) -> Part | None:
    """Open a file by what it begins with; None where it is neither SQLite nor MCAP."""
    with path.open("rb") as file:
        head = file.read(len(SQLITE_MAGIC))
    scratch = None
    if head.startswith(ZSTD_MAGIC):
        scratch, wrong = unpack_file(path)
        if wrong:
            complain("", note("ingest.compressed_file_damaged", reason=wrong))
        with scratch.path.open("rb") as file:
            head = file.read(len(SQLITE_MAGIC))
    if head.startswith(SQLITE_MAGIC):
        return SqlitePart(path, complain, scratch)
    if head.startswith(MCAP_MAGIC):
        return McapPart(path, complain, scratch)
    size = path.stat().st_size
    complain(0, note("ingest.not_sqlite_or_mcap", bytes=size, head=head[:8].hex(" ")))
    return None


class Parts:
    """Several files as one log. A place is the number of the file, then the place in it."""

    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as the files, which are opened again there."""
        return _reopen_parts, (tuple(part.path for part in self._parts),)

    def iterate_messages(self) -> Iterator[tuple[Part, Described, Arrived]]:
        """Yield the messages of each file after the other."""
        for number, part in enumerate(self._parts):
            for described, arrived in part.iterate_messages():
                first = np.full((len(arrived.log_ns), 1), number, np.int64)
                kept = arrived._replace(places=np.hstack([first, arrived.places]))
                packed = len(kept.log_ns) and _is_packed(kept.payloads[0])
                yield part, described, self._unpack_payloads(part, described, kept) if packed else kept

    def fetch(self, places: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield messages again, from whichever file they are in."""
        for number, run in groupby(places.tolist(), key=lambda place: place[0]):
            inside = np.asarray([place[1:] for place in run], np.int64)
            for payload in self._parts[number].fetch(inside):
                yield _unpack_or_empty(payload) if _is_packed(payload) else payload

    def _unpack_payloads(self, part: Part, described: Described, arrived: Arrived) -> Arrived:
        kept, payloads = [], []
        for index, payload in enumerate(arrived.payloads):
            try:
                payloads.append(unpack_message(payload))
                kept.append(index)
            except ValueError as wrong:
                part.complain(described.topic, note("ingest.message_not_unpacked", reason=str(wrong)))
        publish = None if arrived.publish_ns is None else arrived.publish_ns[kept]
        return Arrived(arrived.log_ns[kept], publish, payloads, arrived.places[kept])


def _reopen_parts(paths: tuple[Path, ...]) -> Parts:
    return Parts([part for path in paths if (part := open_part(path, Complaints(path.name)))])


def _is_packed(payload: bytes | memoryview) -> bool:
    """Is a message compressed? One that is not begins with a zero byte in ROS 2, whatever metadata.yaml says."""
    return payload[: len(ZSTD_MAGIC)] == ZSTD_MAGIC


def _unpack_or_empty(payload: bytes) -> bytes:
    try:
        return unpack_message(payload)
    except ValueError:
        return b""
