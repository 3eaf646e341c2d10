"""A shelf in a local folder: blobs are fsynced, then renamed to their final name, then returned."""

import contextlib
import errno
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from fieldloop.errors import StoreError, StoreFull
from fieldloop.store.shelf import (
    FILES,
    FOLDERS,
    HashedShelf,
    StoredBlob,
    hash_file,
    make_missing_blob_error,
    verify_hash,
)

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
PIECE = 1 << 20


class FolderShelf(HashedShelf):
    """A shelf with `blobs/ab/abcd…`, `folders/ab/abcd…` (manifests), and `tmp/` for incomplete writes."""

    def __init__(self, root: Path) -> None:
        """Use a folder, created on the first write."""
        self.root = root
        self._verified: dict[str, tuple[int, int, int]] = {}

    def _store_bytes(self, area: str, sha256: str, content: bytes) -> None:
        self._write_atomically(area, sha256, len(content), lambda stream: _write_verified(stream, [content], sha256))

    def _store_file(self, area: str, sha256: str, path: Path, size: int) -> None:
        def copy_into(stream: BinaryIO) -> None:
            with path.open("rb") as source:
                _write_verified(stream, iter(lambda: source.read(PIECE), b""), sha256)

        self._write_atomically(area, sha256, size, copy_into)

    def _write_atomically(self, area: str, sha256: str, size: int, write_content: Callable[[BinaryIO], None]) -> None:
        """Atomic write: temporary file, fsync, rename. A kill at any point leaves at worst a file under tmp/."""
        target = self._make_path(area, sha256)
        with self._translate_os_errors(), self._lock(fcntl.LOCK_SH):
            if _get_file_size(target) == size:
                os.utime(target)  # renew its age, so that no sweep removes it before the caller's event references it
                return
        with self._translate_os_errors():
            temporary = self._make_temporary_file()
            try:
                with temporary.open("wb") as stream:
                    write_content(stream)
                    stream.flush()
                    os.fsync(stream.fileno())
                temporary.chmod(0o444)  # read-only, to prevent accidental changes
                with self._lock(fcntl.LOCK_SH):
                    _make_folder_durably(target.parent)
                    temporary.replace(target)
                    _fsync_folder(target.parent)
            finally:
                temporary.unlink(missing_ok=True)

    def _find_blob(self, sha256: str) -> tuple[str, int] | None:
        for area in (FILES, FOLDERS):
            size = _get_file_size(self._make_path(area, sha256))
            if size is not None:
                return area, size
        return None

    def _open(self, area: str, sha256: str) -> Any:
        return self._make_path(area, sha256).open("rb")

    def _get_local_file(self, sha256: str, cache_dir: Path) -> Path:  # noqa: ARG002 - nothing needs a copy here
        path = self._make_path(FILES, sha256)
        try:
            now = path.stat()
        except FileNotFoundError:
            raise make_missing_blob_error(sha256) from None
        seen = (now.st_ino, now.st_size, now.st_mtime_ns)
        if self._verified.get(sha256) != seen:
            verify_hash(hash_file(path), sha256)
            self._verified[sha256] = seen
        return path

    def _list_blobs(self) -> Iterator[StoredBlob]:
        now_s = time.time()
        for area in (FILES, FOLDERS):
            for path in sorted((self.root / area).glob("??/*")):
                with contextlib.suppress(FileNotFoundError):
                    status = path.stat()
                    yield StoredBlob(area, path.name, status.st_size, now_s - status.st_mtime)

    def _remove_blob(self, blob: StoredBlob, min_age_s: float) -> bool:
        path = self._make_path(blob.area, blob.sha256)
        with self._lock(fcntl.LOCK_EX), contextlib.suppress(FileNotFoundError):
            # checked again under the lock: another writer may have stored the same bytes meanwhile
            if time.time() - path.stat().st_mtime >= min_age_s:
                path.unlink()
                return True
        return False

    def _remove_temporaries(self, min_age_s: float) -> int:
        removed = 0
        for path in (self.root / "tmp").glob("*"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime >= min_age_s:
                    path.unlink()
                    removed += 1
        return removed

    def _make_path(self, area: str, sha256: str) -> Path:
        return self.root / area / sha256[:2] / sha256

    def _make_temporary_file(self) -> Path:
        (self.root / "tmp").mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.root / "tmp")
        os.close(handle)
        return Path(name)

    @contextlib.contextmanager
    def _lock(self, kind: int) -> Iterator[None]:
        """Shared by writers, exclusive for a sweep; the operating system releases it when a process dies."""
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / ".lock").open("ab") as handle:
            fcntl.flock(handle, kind)
            yield

    @contextlib.contextmanager
    def _translate_os_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as wrong:
            if wrong.errno in NO_SPACE:
                raise StoreFull(f"{self.root}: no space left; nothing was stored. Free space and try again.") from wrong
            raise StoreError(f"{self.root}: {wrong}.") from wrong


def _write_verified(stream: BinaryIO, pieces: Any, sha256: str) -> None:
    digest = hashlib.sha256()
    for piece in pieces:
        stream.write(piece)
        digest.update(piece)
    if digest.hexdigest() != sha256:
        raise StoreError("The file changed while it was read. Wait until it is complete and try again.")


def _get_file_size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return None


def _make_folder_durably(folder: Path) -> None:
    """Create a folder durably: its name survives a power loss."""
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        _make_folder_durably(folder.parent)
    folder.mkdir(exist_ok=True)
    _fsync_folder(folder.parent)


def _fsync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
