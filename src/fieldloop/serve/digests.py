"""The files of a bundle are those that its card names: present, inside its folder, and with the same bytes."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from fieldloop.errors import BadInput, Refused

PICKLED = (".pkl", ".pickle", ".pth", ".ckpt", ".bin", ".joblib")
"""Endings of files that are opened by running code from inside them."""

PICKLE_HEADS = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_digests(folder: Path, files: Mapping[str, str]) -> None:
    """Refuse a file that is missing, that lies outside the folder, or whose bytes are others ('' is not compared)."""
    for name, stated in files.items():
        path = require_inside(folder, name)
        if not path.is_file():
            raise BadInput(f"{folder} is not a policy bundle: {name} is missing.")
        if stated and (measured := hash_file(path)) != stated:
            raise Refused(
                f"{path} has the SHA-256 {measured}, its card states {stated}. The file is damaged or was exchanged. "
                "Copy the bundle again, or add it as a policy of its own."
            )


def require_inside(folder: Path, name: str) -> Path:
    """Return the path of a file that a folder names; refuse one outside the folder, by its name or through a link.

    Files that the cache of the Hugging Face Hub links from its snapshot stay readable.

    >>> require_inside(Path("act"), "statistics/state.safetensors").as_posix()
    'act/statistics/state.safetensors'
    """
    parts = re.split(r"[\\/]", name)
    if not name or "\0" in name or ".." in parts or not parts[0] or ":" in parts[0]:
        raise BadInput(
            f"{folder} names the file {name!r}, which is outside the folder. Give each file a relative name."
        )
    path, whole = folder / name, folder.resolve()
    try:
        real = path.resolve()
    except (OSError, RuntimeError) as wrong:
        raise BadInput(f"{folder} names the file {name!r}, which cannot be read: {wrong}.") from wrong
    blobs = whole.parent.parent / "blobs" if whole.parent.name == "snapshots" else whole
    if not real.is_relative_to(whole) and not real.is_relative_to(blobs):
        raise BadInput(f"{folder}: {name!r} is a link to a file outside the folder. Put the file itself in its place.")
    return path


def find_pickles(folder: Path) -> tuple[str, ...]:
    """Return the files in a folder that are pickles by their name or their first bytes."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return tuple(path.relative_to(folder).as_posix() for path in found if is_pickle(path))


def is_pickle(path: Path) -> bool:
    """Does a file hold a pickle? By its ending, or by the bytes with which a pickle of protocol 2 to 5 begins."""
    if path.suffix.lower() in PICKLED:
        return True
    with path.open("rb") as stream:
        return stream.read(2) in PICKLE_HEADS
