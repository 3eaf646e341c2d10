"""What every shelf does alike: hashes, folders, verified reading, sweeping; but not where bytes lie."""

import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from fieldloop.errors import BadInput, StoreError
from fieldloop.model.episode import Blob
from fieldloop.store.contract import Shelf, Swept
from fieldloop.store.manifest import Member, list_folder, read_manifest, write_manifest

__all__ = [
    "FILES",
    "FOLDERS",
    "HashedShelf",
    "Lying",
    "Shelf",
    "Verified",
    "hash_file",
    "link_or_copy",
    "missing",
    "verify",
]

FILES, FOLDERS = "blobs", "folders"
"""Two areas: bytes, and lists of files. Lists lie apart, so that a sweep knows what to open."""


@dataclass(frozen=True, slots=True)
class Lying:
    """Bytes found in an area of the shelf."""

    area: str
    sha256: str
    size: int
    age_s: float


class HashedShelf:
    """A shelf but for the place: children keep, open, list and remove bytes."""

    def put_bytes(self, content: bytes) -> Blob:
        """Keep bytes; keeping the same again changes nothing."""
        sha256 = hashlib.sha256(content).hexdigest()
        self._keep_bytes(FILES, sha256, content)
        return Blob(sha256, len(content))

    def put_file(self, path: Path) -> Blob:
        """Keep a copy of a file."""
        if not path.is_file():
            raise BadInput(f"{path} is {'a folder' if path.is_dir() else 'no file'}, so it cannot be kept as one.")
        before = path.stat()
        sha256 = hash_file(path)
        self._keep_file(FILES, sha256, path, before.st_size)
        after = path.stat()
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise StoreError(f"{path} changed while it was read. Wait until it is complete and try again.")
        return Blob(sha256, before.st_size)

    def put_folder(self, path: Path, files: Sequence[Path] | None = None) -> Blob:
        """Keep every file below a folder, or these, and a manifest that lists them; its hash is the folder's."""
        members = list_folder(path, self.put_file, files)
        content = write_manifest(members)
        sha256 = hashlib.sha256(content).hexdigest()
        self._keep_bytes(FOLDERS, sha256, content)
        return Blob(sha256, sum(member.size for member in members), is_folder=True)

    def has(self, sha256: str) -> bool:
        """Are these bytes here?"""
        return self._find(sha256) is not None

    def read(self, sha256: str) -> bytes:
        """Return the bytes, verified against their hash."""
        with self.open(sha256) as stream:
            return stream.read()

    def open(self, sha256: str) -> BinaryIO:
        """Open the bytes for reading; whoever reads them through to the end has them verified."""
        found = self._find(sha256)
        if found is None:
            raise missing(sha256)
        area, size = found
        return cast("BinaryIO", io.BufferedReader(Verified(self._open(area, sha256), sha256, size), 1 << 20))

    def local(self, blob: Blob, cache_dir: Path) -> Path:
        """Return a path on this machine to read a blob from, file or folder, verified."""
        return (
            self._local_folder(blob.sha256, cache_dir) if blob.is_folder else self._local_file(blob.sha256, cache_dir)
        )

    def sweep(self, keep: AbstractSet[str], min_age_s: float) -> Swept:
        """Remove what is older than this and not kept; members of kept folders are kept with them."""
        lying = list(self._list())
        kept = set(keep)
        for found in lying:
            if found.area == FOLDERS and (found.sha256 in keep or found.age_s < min_age_s):
                kept.update(member.sha256 for member in self.members(found.sha256))
        removed = [found for found in lying if found.sha256 not in kept and found.age_s >= min_age_s]
        gone = [found for found in removed if self._remove(found, min_age_s)]
        return Swept(
            tuple(found.sha256 for found in gone), self._remove_temporaries(min_age_s), sum(f.size for f in gone)
        )

    def members(self, sha256: str) -> list[Member]:
        """Return the files of a folder."""
        return read_manifest(self.read(sha256), sha256)

    def _local_folder(self, sha256: str, cache_dir: Path) -> Path:
        """Lay the files of a folder out; the folder appears whole or not at all."""
        target = cache_dir / f"folder-{sha256}"
        if target.is_dir():
            return target
        cache_dir.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=cache_dir))
        try:
            for member in self.members(sha256):
                place = building / member.path
                place.parent.mkdir(parents=True, exist_ok=True)
                link_or_copy(self._local_file(member.sha256, cache_dir), place)
            building.chmod(0o755)
            try:
                building.rename(target)
            except OSError:
                if not target.is_dir():  # otherwise another process laid out the same folder first
                    raise
        finally:
            shutil.rmtree(building, ignore_errors=True)
        return target

    # ── where bytes lie ──

    def _keep_bytes(self, area: str, sha256: str, content: bytes) -> None:
        raise NotImplementedError

    def _keep_file(self, area: str, sha256: str, path: Path, size: int) -> None:
        raise NotImplementedError

    def _find(self, sha256: str) -> tuple[str, int] | None:
        """Return the area and size of bytes, None where they are not here."""
        raise NotImplementedError

    def _open(self, area: str, sha256: str) -> Any:
        raise NotImplementedError

    def _local_file(self, sha256: str, cache_dir: Path) -> Path:
        raise NotImplementedError

    def _list(self) -> Iterator[Lying]:
        raise NotImplementedError

    def _remove(self, found: Lying, min_age_s: float) -> bool:
        raise NotImplementedError

    def _remove_temporaries(self, min_age_s: float) -> int:
        raise NotImplementedError


class Verified(io.RawIOBase):
    """Hashes what is read from the beginning on, and complains at the end if it is not what it should be."""

    def __init__(self, stream: Any, sha256: str, size: int) -> None:
        """Take a binary stream at its beginning."""
        self._stream, self._sha256, self._size = stream, sha256, size
        self._digest, self._hashed, self._at = hashlib.sha256(), 0, 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Whoever jumps about gets the bytes, and no verification."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Jump."""
        self._at = self._stream.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        """Say where the next byte comes from."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read, hashing what comes next in order."""
        content = self._stream.read(len(buffer))
        buffer[: len(content)] = content
        if self._at <= self._hashed < self._at + len(content):
            self._digest.update(memoryview(content)[self._hashed - self._at :])
            self._hashed = self._at + len(content)
        self._at += len(content)
        if self._hashed == self._at and (not content or self._hashed >= self._size):
            verify(self._digest.hexdigest(), self._sha256)
        return len(content)

    def close(self) -> None:
        """Close the stream behind it."""
        self._stream.close()
        super().close()


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def verify(found: str, sha256: str) -> None:
    """Refuse bytes that are not what their name says."""
    if found != sha256:
        raise StoreError(
            f"Blob {sha256} is damaged: its content hashes to {found}. Put the original on the shelf again."
        )


def missing(sha256: str) -> StoreError:
    """Say that bytes are not here."""
    return StoreError(f"Blob {sha256} is not on the shelf.")


def link_or_copy(source: Path, target: Path) -> None:
    """Link a file where the file system allows it, else copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
