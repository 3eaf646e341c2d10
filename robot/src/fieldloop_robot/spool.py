"""A durable queue of robot events until delivery: survives power loss and network failure.

One file of lines, `length crc {json}`: each is synced to disk before `append` returns, each can be read alone.
Delivery is at least once: entries stay pending until acknowledged; ids never repeat, so a receiver can drop duplicates.
"""

import fcntl
import json
import os
import threading
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fieldloop_robot import RobotError

HEADER = "spool/1"
PREFIX = 18
"""Eight hexadecimal digits of length, a space, eight of CRC-32, a space."""


class SpoolError(RobotError):
    """The spool cannot keep what it was given; nothing kept before is lost."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One record with its place in the order of appending and an id that no other spool ever uses."""

    seq: int
    id: str
    record: Mapping[str, Any]


class Spool:
    """An append-only file of records in a folder of its own, open in one process at a time."""

    def __init__(self, folder: str | Path, max_bytes: int = 64 << 20) -> None:
        """Open or create; `notices` reports a torn tail. Beyond `max_bytes` delivered records are dropped."""
        self._folder, self._max_bytes = Path(folder), max_bytes
        self._folder.mkdir(parents=True, exist_ok=True)
        self._path, self._mark = self._folder / "spool.log", self._folder / "acknowledged"
        self._lock, self._guard = _lock_folder(self._folder), threading.Lock()
        self.notices: tuple[str, ...] = ()
        self._pending: deque[tuple[int, int]] = deque()  # (seq, offset)
        if not self._path.exists():
            self._start_file(os.urandom(8).hex(), first=1)
        self._file = self._path.open("r+b", buffering=0)
        try:
            self._name, self._next, self._end = self._recover_state()
        except SpoolError:
            self.close()
            raise

    def append(self, record: Mapping[str, Any]) -> str:
        """Keep a record for good and return its id; on a full disk nothing is half-written."""
        return self.append_all([record])[0]

    def append_all(self, records: Iterable[Mapping[str, Any]]) -> list[str]:
        """Keep records with one sync for all of them; an error keeps none."""
        with self._guard:
            seqs, lines = [], []
            for seq, record in enumerate(records, self._next):
                seqs.append(seq)
                lines.append(_encode_line({"seq": seq, "record": dict(record)}))
            self._write(b"".join(lines))
            offset = self._end
            for seq, line in zip(seqs, lines, strict=True):
                self._pending.append((seq, offset))
                offset += len(line)
            self._end, self._next = offset, self._next + len(seqs)
            return [self._make_entry_id(seq) for seq in seqs]

    def list_pending(self, limit: int | None = None) -> tuple[Entry, ...]:
        """Return unacknowledged entries, oldest first."""
        with self._guard:
            wanted = list(self._pending)[:limit]
            return tuple(Entry(seq, self._make_entry_id(seq), self._read(offset)["record"]) for seq, offset in wanted)

    def acknowledge(self, up_to: int) -> None:
        """Mark everything up to this sequence number as delivered."""
        with self._guard:
            last = self._next - 1
            if up_to > last:
                raise SpoolError(f"Entry {up_to} was never appended; the last is {last}.")
            if self._pending and up_to >= self._pending[0][0]:
                _replace_file(self._mark, str(up_to).encode())
                while self._pending and self._pending[0][0] <= up_to:
                    self._pending.popleft()
            if not self._pending and self._end > self._max_bytes:
                self._start_empty_file()

    def close(self) -> None:
        """Release the folder."""
        self._file.close()
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make_entry_id(self, seq: int) -> str:
        return f"{self._name}-{seq}"

    def _read(self, offset: int) -> dict[str, Any]:
        self._file.seek(offset)
        length = int(self._file.read(PREFIX)[:8], 16)
        return dict(json.loads(self._file.read(length)))

    def _write(self, data: bytes) -> None:
        try:
            self._file.seek(self._end)
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as wrong:
            self._file.truncate(self._end)
            raise SpoolError(
                f"{self._path} cannot grow by {len(data)} bytes: {wrong.strerror}. Free some space."
            ) from wrong

    def _recover_state(self) -> tuple[str, int, int]:
        data = self._path.read_bytes()
        lines = list(_decode_lines(data))
        whole = [(offset, content) for offset, content in lines if content]
        if not whole or whole[0][1].get("schema") != HEADER:
            raise SpoolError(f"{self._path} does not begin as a spool does. Move it away; a new one will be made.")
        header, end = whole[0][1], len(data)
        if lines[-1][1] is None and not data.endswith(b"\n"):
            end = lines[-1][0]
            self._set_aside_torn_data(data[end:], end)
        for offset, content in lines:
            if content is None and offset < end:
                self.notices += (f"{self._path}: the line at byte {offset} is damaged and left out.",)
        seen = [(int(content["seq"]), offset) for offset, content in whole[1:]]
        done = self._read_acknowledged()
        self._pending.extend((seq, offset) for seq, offset in seen if seq > done)
        return str(header["spool"]), max([int(header["first"]) - 1, done, *(seq for seq, _ in seen)]) + 1, end

    def _set_aside_torn_data(self, torn: bytes, end: int) -> None:
        aside = self._path.with_name(f"torn-{end}")
        _replace_file(aside, torn)
        self._file.truncate(end)
        os.fsync(self._file.fileno())
        self.notices += (
            f"{self._path}: the last {len(torn)} bytes were cut off in writing; set aside in {aside.name}.",
        )

    def _read_acknowledged(self) -> int:
        try:
            return int(self._mark.read_text())
        except FileNotFoundError:
            return 0
        except ValueError:
            self.notices += (f"{self._mark} is damaged; everything is delivered again.",)
            return 0

    def _start_empty_file(self) -> None:
        self._file.close()
        self._start_file(self._name, first=self._next)
        self._file = self._path.open("r+b", buffering=0)
        self._end = self._path.stat().st_size

    def _start_file(self, name: str, first: int) -> None:
        _replace_file(self._path, _encode_line({"schema": HEADER, "spool": name, "first": first}))


def _encode_line(content: Mapping[str, Any]) -> bytes:
    try:
        body = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as wrong:
        raise SpoolError(f"A record must be plain JSON with finite numbers: {wrong}.") from wrong
    return b"%08x %08x %s\n" % (len(body), zlib.crc32(body), body)


def _decode_lines(data: bytes) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield each line's offset and content; None where length or checksum do not hold."""
    offset = 0
    while offset < len(data):
        end = data.find(b"\n", offset) + 1 or len(data)
        yield offset, _decode_line(data[offset:end])
        offset = end


def _decode_line(line: bytes) -> dict[str, Any] | None:
    try:
        length, crc, body = int(line[:8], 16), int(line[9:17], 16), line[PREFIX:-1]
    except ValueError:
        return None
    if not line.endswith(b"\n") or len(body) != length or zlib.crc32(body) != crc:
        return None
    return dict(json.loads(body))


def _replace_file(path: Path, data: bytes) -> None:
    """Write a whole file so that a power cut leaves either the old one or the new one."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the new name must be on disk too
        finally:
            os.close(folder)
    except OSError as wrong:
        raise SpoolError(f"{path} cannot be written: {wrong.strerror}. Free some space.") from wrong


def _lock_folder(folder: Path) -> int:
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as wrong:
        os.close(lock)
        raise SpoolError(f"{folder} is open in another process; a spool has one writer.") from wrong
    return lock
