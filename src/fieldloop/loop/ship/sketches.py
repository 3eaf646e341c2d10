"""Sketches of the values of a release's episodes: made once an episode, kept in the cache, opened logs are few."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.loop.data.as_frozen import find_logs_as_frozen
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.identity import compute_content_id
from fieldloop.model.release import Release
from fieldloop.release.felt import FeatureSketch, sketch_recording
from fieldloop.store.arrays import pack_arrays, unpack_arrays

PARTS = ("count", "mean", "squares", "grid")
NAMES = "names"


def sketch_release(
    workspace: Workspace, release: Release, episodes: Sequence[Episode], *, kept_only: bool = False
) -> dict[str, dict[str, FeatureSketch]]:
    """Sketch every episode of a release as it is read, with its fixes; those in the cache open no log.

    With `kept_only` no log is opened, and episodes that are not in the cache are left out.
    """
    files = dict(_name_files(workspace, release, episodes))
    known = {e.id: found for e in episodes if (found := _read_sketches(files[e.id])) is not None}
    missing = [] if kept_only else [episode for episode in episodes if episode.id not in known]
    for recording in Reopened(workspace, missing, f"values of {release.name}", release) if missing else ():
        made = sketch_recording(recording)
        known[recording.episode.id] = made
        _keep(files[recording.episode.id], _pack_sketches(made))
    return known


def _name_files(workspace: Workspace, release: Release, episodes: Sequence[Episode]) -> Iterator[tuple[str, Path]]:
    """Name the file of each episode by all that changes what is read: the log's mapping and the release's fixes."""
    logs = workspace.store.get_logs([episode.id for episode in episodes])
    distinct = {log.blob.sha256: log for log in logs.values()}
    frozen = {log.blob.sha256: log for log in find_logs_as_frozen(workspace, list(distinct.values()), release)}
    fixes: dict[str, list[object]] = {}
    for episode_id, fix in release.fixes:
        fixes.setdefault(episode_id, []).append(to_plain(fix))
    for episode in episodes:
        log = frozen[logs[episode.id].blob.sha256]
        key = json.dumps([episode.id, log.mapping, fixes.get(episode.id, [])], sort_keys=True)
        yield episode.id, workspace.cache / "sketches" / f"{compute_content_id([key.encode()])[:32]}.npz"


def _keep(file: Path, content: bytes) -> None:
    """Write a file of the cache whole or not at all; another process may write the same meanwhile."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(file)


def _pack_sketches(sketches: Mapping[str, FeatureSketch]) -> bytes:
    names = json.dumps([[feature, list(sketch.columns)] for feature, sketch in sketches.items()]).encode()
    arrays = {f"{k}/{part}": getattr(sketch, part) for k, sketch in enumerate(sketches.values()) for part in PARTS}
    return pack_arrays({**arrays, NAMES: np.frombuffer(names, np.uint8)})


def _read_sketches(file: Path) -> dict[str, FeatureSketch] | None:
    """Return kept sketches, None where there are none that can be read."""
    try:
        arrays = unpack_arrays(file.read_bytes())
        listed = json.loads(arrays[NAMES].tobytes())
        return {
            feature: FeatureSketch(tuple(columns), *(arrays[f"{k}/{part}"] for part in PARTS))
            for k, (feature, columns) in enumerate(listed)
        }
    except (OSError, BadInput, ValueError, KeyError):
        return None
