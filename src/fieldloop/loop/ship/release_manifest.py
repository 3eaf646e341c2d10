"""The list of an export's files with their hashes, and what the files cannot hold: split, weights, labels, lineage."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.model.annotation import Annotation
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.release import Release
from fieldloop.store.shelf import hash_file

SCHEMA = "release-files/1"
NAME = "fieldloop-release.json"
INSIDE = {"lerobot": f"meta/{NAME}", "rlds": NAME}
"""Formats that are a folder of their own, and where the list is in it; for others it lies beside the file."""
BESIDE = ".release.json"


def find_manifest_path(target: Path, to: str = "") -> Path:
    """Return where the list of an export's files is, or will be."""
    if to:
        return target / INSIDE[to] if to in INSIDE else target.with_name(target.name + BESIDE)
    places = (*(target / place for place in INSIDE.values()), target.with_name(target.name + BESIDE))
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise BadInput(f"{target} has no list of its files ({NAME}), so it cannot be verified. Export it again.")
    return found


def write_manifest(
    target: Path, to: str, release: Release, episodes: Sequence[Episode], labels: Sequence[Annotation]
) -> str:
    """Write the list; return its own hash."""
    manifest = find_manifest_path(target, to)
    weights, sides = release.get_weights(episodes), set(release.validation)
    spans: dict[str, list[Any]] = {}
    for label in labels:
        spans.setdefault(label.episode, []).append(to_plain(label))
    stated = {
        "schema": SCHEMA,
        "release": {"id": release.id, "name": release.name, "protocol": release.protocol, "taxonomy": release.taxonomy,
                    "annotations_sha256": release.annotations_sha256, "override": release.override},
        "format": to,
        "files": [{"path": name, "size": path.stat().st_size, "sha256": hash_file(path)}
                  for name, path in list_files(target, manifest).items()],
        "episodes": [
            {"id": e.id, "name": e.name, "split": "validation" if e.id in sides else "train", "weight": weights[e.id],
             "labels": spans.get(e.id, [])}
            for e in episodes
        ],
    }  # fmt: skip
    write_atomically(manifest, json.dumps(stated, ensure_ascii=False, indent=1), "list of files")
    return hash_file(manifest)


def read_manifest(target: Path) -> Mapping[str, Any]:
    """Read the list of an export's files."""
    path = find_manifest_path(target)
    try:
        stated: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if stated["schema"] == SCHEMA:
            return stated
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise BadInput(f"{path} is not a list of files that `fieldloop release export` wrote.")


def list_files(target: Path, manifest: Path) -> dict[str, Path]:
    """Return the files of an export by their path within it, without the list itself."""
    return dict(_list_files(target, manifest))


def _list_files(target: Path, manifest: Path) -> Iterator[tuple[str, Path]]:
    if target.is_file():
        yield target.name, target
        return
    for path in sorted(target.rglob("*")):
        if path.is_file() and path != manifest:
            yield path.relative_to(target).as_posix(), path
