"""The contract of every shelf, for authors of one: `check_shelf(open_new, folder)` runs each law on an empty shelf."""

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput, StoreError
from fieldloop.model.episode import Blob
from fieldloop.store import Shelf
from fieldloop.store.parquet import read_table, store_table
from fieldloop.testing.refusal import assert_refused

Law = Callable[[Shelf, Path], None]


def check_shelf(open_new: Callable[[], Shelf], folder: Path) -> None:
    """Test a kind of shelf against every law; each law gets a new shelf and folder."""
    for law in SHELF_LAWS:
        law_folder = folder / law.__name__
        law_folder.mkdir()
        law(open_new(), law_folder)


def bytes_are_named_by_their_hash(shelf: Shelf, folder: Path) -> None:
    """What goes in comes out, from memory or from a file, once or twice, also when it is empty."""
    for content in (b"", b"lift", bytes(range(256)) * 5000):
        path = folder / "file"
        path.write_bytes(content)
        blob = shelf.put_bytes(content)
        assert blob == shelf.put_file(path) == Blob(hashlib.sha256(content).hexdigest(), len(content))
        assert shelf.has(blob.sha256)
        assert shelf.read(blob.sha256) == content
        assert shelf.fetch_local_copy(blob, folder / "cache").read_bytes() == content
        with shelf.open(blob.sha256) as stream:
            assert stream.read(2) == content[:2]
            stream.seek(0)
            assert stream.read() == content


def missing_blobs_are_named(shelf: Shelf, folder: Path) -> None:
    """Unknown hashes and paths get a message that names them."""
    absent = "0" * 64
    assert not shelf.has(absent)
    for serve in (shelf.read, shelf.open, lambda sha256: shelf.fetch_local_copy(Blob(sha256, 1), folder)):
        assert_refused(StoreError, absent, functools.partial(serve, absent))
    for put, path in ((shelf.put_file, folder / "none"), (shelf.put_file, folder), (shelf.put_folder, folder / "none")):
        assert_refused(BadInput, str(path), functools.partial(put, path))


def a_folder_is_kept_as_a_list_of_files(shelf: Shelf, folder: Path) -> None:
    """It comes back with every file in place; equal folders are one blob; a changed file makes another."""
    files = {"a.txt": b"one", "deep/er/b.bin": b"two", "deep/c": b""}
    _write_files(folder / "in", files)
    blob = shelf.put_folder(folder / "in")
    assert (blob.is_folder, blob.size) == (True, 6)
    assert blob == shelf.put_folder(folder / "in")
    out = shelf.fetch_local_copy(blob, folder / "cache")
    assert {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()} == files
    assert shelf.fetch_local_copy(blob, folder / "cache") == out
    (folder / "in" / "a.txt").write_bytes(b"uno")
    assert shelf.put_folder(folder / "in").sha256 != blob.sha256


def a_sweep_removes_only_orphans(shelf: Shelf, folder: Path) -> None:
    """Kept blobs and members of kept folders stay; new blobs stay in any case."""
    _write_files(folder / "in", {"x": b"member"})
    kept, orphan, tree = shelf.put_bytes(b"kept"), shelf.put_bytes(b"orphan"), shelf.put_folder(folder / "in")
    keep = {kept.sha256, tree.sha256}
    assert shelf.sweep(keep, min_age_s=3600).blobs == ()
    swept = shelf.sweep(keep, min_age_s=-60)  # also what a clock that runs ahead calls the future
    assert (swept.blobs, swept.size) == ((orphan.sha256,), orphan.size)
    assert not shelf.has(orphan.sha256)
    assert shelf.read(kept.sha256) == b"kept"
    assert (shelf.fetch_local_copy(tree, folder / "cache") / "x").read_bytes() == b"member"
    assert len(shelf.sweep(set(), min_age_s=-60).blobs) == 3  # noqa: PLR2004 - the kept one, the folder and its member


def rows_are_read_back_unchanged(shelf: Shelf, folder: Path) -> None:  # noqa: ARG001 - every law takes a folder
    """Text, numbers, truth values and what is missing survive, also without any row."""
    columns: dict[str, list[Any]] = {
        "name": ["a", "é", None],
        "value": [0.5, None, -1e300],
        "n": [1, 2, 2**62],
        "ok": [True, None, False],
    }
    blob, rows = store_table(shelf, columns)
    assert rows == 3  # noqa: PLR2004 - as above
    assert read_table(shelf, blob.sha256) == columns
    assert read_table(shelf, blob.sha256, ["n"]) == {"n": columns["n"]}
    empty, none = store_table(shelf, {"name": []})
    assert (none, read_table(shelf, empty.sha256)) == (0, {"name": []})


SHELF_LAWS: tuple[Law, ...] = (
    bytes_are_named_by_their_hash,
    missing_blobs_are_named,
    a_folder_is_kept_as_a_list_of_files,
    a_sweep_removes_only_orphans,
    rows_are_read_back_unchanged,
)


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
