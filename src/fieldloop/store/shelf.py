"""The part common to all shelves: hashing, folders, verified reads and sweeps; subclasses store the bytes."""

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
from fieldloop.store.manifest import Member, decode_manifest, encode_manifest, store_folder_files

__all__ = [
    "FILES",
    "FOLDERS",
    "HashedShelf",
    "Shelf",
    "StoredBlob",
    "VerifyingStream",
    "hash_file",
    "link_or_copy",
    "make_missing_blob_error",
    "verify_hash",
]

FILES, FOLDERS = "blobs", "folders"
"""Two areas: blobs and folder manifests. Manifests are separate, so that a sweep knows which objects to parse."""


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """A blob in an area of the shelf: its hash, size and age."""

    area: str
    sha256: str
    size: int
    age_s: float


class HashedShelf:
    """Base class of shelves; subclasses store, open, list and remove bytes."""

    def put_bytes(self, content: bytes) -> Blob:
        """Store bytes; idempotent."""
        sha256 = hashlib.sha256(content).hexdigest()
        self._store_bytes(FILES, sha256, content)
        return Blob(sha256, len(content))

    def put_file(self, path: Path) -> Blob:
        """Store a copy of a file."""
        if not path.is_file():
            raise BadInput(
                f"{path} is {'a folder' if path.is_dir() else 'not a file'}, so it cannot be stored as a file."
            )
        before = path.stat()
        sha256 = hash_file(path)
        self._store_file(FILES, sha256, path, before.st_size)
        after = path.stat()
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise StoreError(f"{path} changed while it was read. Wait until it is complete and try again.")
        return Blob(sha256, before.st_size)

    def put_folder(self, path: Path, files: Sequence[Path] | None = None) -> Blob:
        """Store all files of a folder, or the given ones, and a manifest of them; its hash identifies the folder."""
        members = store_folder_files(path, self.put_file, files)
        content = encode_manifest(members)
        sha256 = hashlib.sha256(content).hexdigest()
        self._store_bytes(FOLDERS, sha256, content)
        return Blob(sha256, sum(member.size for member in members), is_folder=True)

    def has(self, sha256: str) -> bool:
        """Is this blob stored?"""
        return self._find_blob(sha256) is not None

    def read(self, sha256: str) -> bytes:
        """Return the bytes, verified against their hash."""
        with self.open(sha256) as stream:
            return stream.read()

    def open(self, sha256: str) -> BinaryIO:
        """Open the bytes for reading; reading them to the end verifies them."""
        stored = self._find_blob(sha256)
        if stored is None:
            raise make_missing_blob_error(sha256)
        area, size = stored
        return cast("BinaryIO", io.BufferedReader(VerifyingStream(self._open(area, sha256), sha256, size), 1 << 20))

    def fetch_local_copy(self, blob: Blob, cache_dir: Path) -> Path:
        """Return a local path to a verified copy of a blob, file or folder."""
        return (
            self._get_local_folder(blob.sha256, cache_dir)
            if blob.is_folder
            else self._get_local_file(blob.sha256, cache_dir)
        )

    def sweep(self, keep: AbstractSet[str], min_age_s: float) -> Swept:
        """Remove blobs that are older than this and not in `keep`; files of kept folders are kept."""
        stored = list(self._list_blobs())
        kept = set(keep)
        for blob in stored:
            if blob.area == FOLDERS and (blob.sha256 in keep or blob.age_s < min_age_s):
                kept.update(member.sha256 for member in self.list_members(blob.sha256))
        removed = [blob for blob in stored if blob.sha256 not in kept and blob.age_s >= min_age_s]
        gone = [blob for blob in removed if self._remove_blob(blob, min_age_s)]
        return Swept(
            tuple(blob.sha256 for blob in gone), self._remove_temporaries(min_age_s), sum(blob.size for blob in gone)
        )

    def list_members(self, sha256: str) -> list[Member]:
        """Return the files of a folder."""
        return decode_manifest(self.read(sha256), sha256)

    def _get_local_folder(self, sha256: str, cache_dir: Path) -> Path:
        """Write the files of a folder to disk; the folder appears atomically."""
        target = cache_dir / f"folder-{sha256}"
        if target.is_dir():
            return target
        cache_dir.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=cache_dir))
        try:
            for member in self.list_members(sha256):
                place = building / member.path
                place.parent.mkdir(parents=True, exist_ok=True)
                link_or_copy(self._get_local_file(member.sha256, cache_dir), place)
            building.chmod(0o755)
            try:
                building.rename(target)
            except OSError:
                if not target.is_dir():  # otherwise another process wrote the same folder first
                    raise
        finally:
            shutil.rmtree(building, ignore_errors=True)
        return target

    # ── implemented by each storage ──

    def _store_bytes(self, area: str, sha256: str, content: bytes) -> None:
        raise NotImplementedError

    def _store_file(self, area: str, sha256: str, path: Path, size: int) -> None:
        raise NotImplementedError

    def _find_blob(self, sha256: str) -> tuple[str, int] | None:
        """Return the area and size of a blob, None if it is not stored."""
        raise NotImplementedError

    def _open(self, area: str, sha256: str) -> Any:
        raise NotImplementedError

    def _get_local_file(self, sha256: str, cache_dir: Path) -> Path:
        raise NotImplementedError

    def _list_blobs(self) -> Iterator[StoredBlob]:
        raise NotImplementedError

    def _remove_blob(self, blob: StoredBlob, min_age_s: float) -> bool:
        raise NotImplementedError

    def _remove_temporaries(self, min_age_s: float) -> int:
        raise NotImplementedError


class VerifyingStream(io.RawIOBase):
    """A stream that hashes what is read, and raises at the end if the hash is wrong."""

    def __init__(self, stream: Any, sha256: str, size: int) -> None:
        """Take a binary stream at its beginning."""
        self._stream, self._sha256, self._size = stream, sha256, size
        self._digest, self._hashed, self._at = hashlib.sha256(), 0, 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Move the position; a stream that was not read in order is not verified."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Jump."""
        self._at = self._stream.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read and hash the next bytes."""
        content = self._stream.read(len(buffer))
        buffer[: len(content)] = content
        if self._at <= self._hashed < self._at + len(content):
            self._digest.update(memoryview(content)[self._hashed - self._at :])
            self._hashed = self._at + len(content)
        self._at += len(content)
        if self._hashed == self._at and (not content or self._hashed >= self._size):
            verify_hash(self._digest.hexdigest(), self._sha256)
        return len(content)

    def close(self) -> None:
        """Close the underlying stream."""
        self._stream.close()
        super().close()


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def verify_hash(computed_sha256: str, sha256: str) -> None:
    """Refuse bytes whose hash differs from their name."""
    if computed_sha256 != sha256:
        raise StoreError(
            f"Blob {sha256} is damaged: its content hashes to {computed_sha256}. Store the original again."
        )


def make_missing_blob_error(sha256: str) -> StoreError:
    """Return the error for a missing blob."""
    return StoreError(f"Blob {sha256} is not on the shelf.")


def link_or_copy(source: Path, target: Path) -> None:
    """Link a file where the file system allows it, else copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
