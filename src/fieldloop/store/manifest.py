"""Folder manifests: the list of a folder's files with their hashes, stored by its own hash."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fieldloop.errors import BadInput, StoreError
from fieldloop.model.episode import Blob

SCHEMA = "folder/1"


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a folder, by its path below it."""

    path: str
    sha256: str
    size: int


def store_folder_files(
    folder: Path, put_file: Callable[[Path], Blob], files: Sequence[Path] | None = None
) -> list[Member]:
    """Store all files of a folder, or the given ones, and list them by path; follows links, omits empty folders."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder.")
    members = []
    for path in _walk_files(folder) if files is None else files:
        blob = put_file(path)
        members.append(Member(path.relative_to(folder).as_posix(), blob.sha256, blob.size))
    return sorted(members, key=lambda member: member.path)


def encode_manifest(members: Sequence[Member]) -> bytes:
    """Encode the list so that equal folders give equal bytes."""
    rows = [{"path": m.path, "sha256": m.sha256, "size": m.size} for m in members]
    return json.dumps({"schema": SCHEMA, "files": rows}, separators=(",", ":")).encode()


def decode_manifest(content: bytes, sha256: str) -> list[Member]:
    """Decode the list; a path outside the folder is refused."""
    try:
        plain = json.loads(content)
        if plain["schema"] != SCHEMA:
            raise StoreError(f"Blob {sha256} is not a folder list of a known version ({plain['schema']!r}).")
        members = [Member(row["path"], row["sha256"], row["size"]) for row in plain["files"]]
    except (ValueError, KeyError, TypeError) as wrong:
        raise StoreError(f"Blob {sha256} is not a folder: {wrong!r}.") from wrong
    for member in members:
        inside = PurePosixPath(member.path)
        if inside.is_absolute() or ".." in inside.parts:
            raise StoreError(f"Folder {sha256} names {member.path!r}, which is outside it.")
    return members


def _walk_files(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder, followlinks=True):
        folders.sort()
        for name in sorted(names):
            path = Path(where, name)
            if not path.is_file():
                raise BadInput(f"{path} is not a regular file, so the folder cannot be stored completely.")
            yield path
