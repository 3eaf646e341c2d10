"""A shelf on fsspec: S3-compatible storage or memory."""

import contextlib
import importlib.util
import itertools
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput, FieldloopError, MissingExtra, StoreError
from fieldloop.store.shelf import (
    FILES,
    FOLDERS,
    HashedShelf,
    StoredBlob,
    hash_file,
    make_missing_blob_error,
    verify_hash,
)

_memories = itertools.count()


def open_remote_shelf(scheme: str, path: str, options: Mapping[str, Any]) -> "RemoteShelf":
    """Open `memory://` (a new one each time, unless named) or `s3://bucket/prefix`."""
    import fsspec

    if scheme == "memory":
        return RemoteShelf(fsspec.filesystem("memory"), path.strip("/") or f"shelf-{next(_memories)}", touch=None)
    if importlib.util.find_spec("s3fs") is None:
        raise MissingExtra("s3fs", "s3")
    bucket, _, _prefix = path.partition("/")
    if not bucket:
        raise BadInput("s3:// needs a bucket, as in s3://bucket/prefix.")
    system = fsspec.filesystem("s3", **{"use_listings_cache": False, **options})
    return RemoteShelf(system, path.strip("/"), touch=_renew_s3_object)


class RemoteShelf(HashedShelf):
    """A shelf of objects named by their hash; objects appear atomically and are never overwritten."""

    def __init__(self, system: Any, root: str, touch: Any) -> None:
        """Use an fsspec file system, a folder in it, and a function that renews an object's age."""
        self._system, self._root, self._touch = system, root, touch
        self._verified: set[Path] = set()

    def _store_bytes(self, area: str, sha256: str, content: bytes) -> None:
        self._upload_once(area, sha256, len(content), lambda path, **how: self._system.pipe_file(path, content, **how))

    def _store_file(self, area: str, sha256: str, path: Path, size: int) -> None:
        self._upload_once(area, sha256, size, lambda target, **how: self._system.put_file(str(path), target, **how))

    def _upload_once(self, area: str, sha256: str, size: int, upload: Any) -> None:
        target = self._make_path(area, sha256)
        with self._translate_errors(sha256):
            if self._find_size(target) == size:
                if self._touch is not None:
                    self._touch(self._system, target)
                return
            try:
                upload(target, mode="create")  # S3: If-None-Match, so that a concurrent writer cannot overwrite
            except FileExistsError:
                pass
            except OSError as wrong:
                if "NotImplemented" not in str(wrong):  # a server without conditional writes
                    raise
                upload(target)
            if self._find_size(target) != size:
                raise StoreError(f"Blob {sha256} was not stored completely. Try again.")

    def _find_blob(self, sha256: str) -> tuple[str, int] | None:
        with self._translate_errors(sha256):
            for area in (FILES, FOLDERS):
                size = self._find_size(self._make_path(area, sha256))
                if size is not None:
                    return area, size
        return None

    def _open(self, area: str, sha256: str) -> Any:
        with self._translate_errors(sha256):
            return self._system.open(self._make_path(area, sha256), "rb")

    def _get_local_file(self, sha256: str, cache_dir: Path) -> Path:
        target = cache_dir / sha256[:2] / sha256
        if target in self._verified and target.exists():
            return target
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            coming = target.with_name(f".{sha256}-{time.monotonic_ns()}")
            try:
                with self._translate_errors(sha256):
                    if self._find_size(self._make_path(FILES, sha256)) is None:
                        raise make_missing_blob_error(sha256)
                    self._system.get_file(self._make_path(FILES, sha256), str(coming))
                verify_hash(hash_file(coming), sha256)
                coming.replace(target)
            finally:
                coming.unlink(missing_ok=True)
        elif hash_file(target) != sha256:  # only a cached copy: download it again
            target.unlink()
            return self._get_local_file(sha256, cache_dir)
        self._verified.add(target)
        return target

    def _list_blobs(self) -> Iterator[StoredBlob]:
        now_s = time.time()
        for area in (FILES, FOLDERS):
            with self._translate_errors(area):
                objects = self._system.find(f"{self._root}/{area}", detail=True)
            for path, info in objects.items():
                changed = info.get("LastModified") or info["created"]
                changed_s = changed if isinstance(changed, float) else changed.timestamp()
                yield StoredBlob(area, path.rpartition("/")[2], info["size"], now_s - changed_s)

    def _remove_blob(self, blob: StoredBlob, min_age_s: float) -> bool:  # noqa: ARG002 - age is known from the listing
        with self._translate_errors(blob.sha256), contextlib.suppress(FileNotFoundError):
            self._system.rm_file(self._make_path(blob.area, blob.sha256))
            return True
        return False

    def _remove_temporaries(self, min_age_s: float) -> int:  # noqa: ARG002 - objects are written atomically
        return 0

    def _make_path(self, area: str, sha256: str) -> str:
        return f"{self._root}/{area}/{sha256[:2]}/{sha256}"

    def _find_size(self, path: str) -> int | None:
        try:
            return int(self._system.info(path)["size"])
        except FileNotFoundError:
            return None

    @contextlib.contextmanager
    def _translate_errors(self, object_name: str) -> Iterator[None]:
        try:
            yield
        except FieldloopError:
            raise
        except FileNotFoundError as wrong:
            raise StoreError(f"{self._root}: {wrong}. Check that the bucket exists.") from wrong
        except Exception as wrong:  # the client passes on transport errors of any class
            raise StoreError(f"{self._root} could not serve {object_name}: {type(wrong).__name__}: {wrong}") from wrong


def _renew_s3_object(system: Any, path: str) -> None:
    """Renew an object's age by copying it onto itself, so that a sweep keeps it."""
    bucket, _, key = path.partition("/")
    source = {"Bucket": bucket, "Key": key}
    with contextlib.suppress(OSError):  # an object too large for a single copy keeps its age
        system.call_s3("copy_object", Bucket=bucket, Key=key, CopySource=source, MetadataDirective="REPLACE")
