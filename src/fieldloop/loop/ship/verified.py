"""The last answer of verifying a release, kept in the cache: showing it hashes nothing."""

import json
from pathlib import Path

from fieldloop.loop.ship.release import find_release
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.integrity import Integrity
from fieldloop.model.release import Release


def show_last_verification(workspace: Workspace, release: str) -> Integrity:
    """Show what verifying a release found the last time, without hashing anything.

    Arguments:
        release: the release's id, a unique beginning of it, or its name
    """
    known = find_release(workspace, release)
    file = _get_cache_file(workspace, known)
    try:
        return from_plain(Integrity, json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):  # never verified here, or a file of the cache that was cut short
        return Integrity(known.name, known.id, False, 0, 0.0, ())


def keep_verification(workspace: Workspace, release: Release, found: Integrity) -> None:
    """Keep an answer until the next one; it can always be found again."""
    file = _get_cache_file(workspace, release)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps(to_plain(found)), "answer")


def _get_cache_file(workspace: Workspace, release: Release) -> Path:
    return workspace.cache / "verified" / f"{release.id}.json"
