"""The outbox: the one folder of a workspace into which a request over HTTP may write files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.loop.catalogue import UseCase
from fieldloop.loop.work.atomic_files import make_folder

OUTBOX = "outbox"


def move_into_outbox(root: Path, use_case: UseCase, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with every path that the use case writes to placed in the workspace's outbox.

    All roles share the outbox, so that a file in it is never replaced.
    """
    placed = {
        name: _place_in_outbox(root / OUTBOX, name, values[name])
        for name in use_case.writes
        if values.get(name) is not None
    }
    for name, path in placed.items():
        if name not in use_case.folders and path.exists():
            raise BadInput(f"{name}: {values[name]} already exists in the folder {OUTBOX}. Choose another name.")
    return {**values, **placed}


def _place_in_outbox(outbox: Path, name: str, requested_path: Path) -> Path:
    if (
        requested_path.is_absolute()
        or ".." in requested_path.parts
        or any(part.startswith(".") for part in requested_path.parts)
    ):
        raise BadInput(
            f"{name} must be a plain file name such as report.html, not {requested_path}. "
            f"Over HTTP, files are written only to the folder {OUTBOX} of the workspace."
        )
    if not requested_path.parts:
        raise BadInput(f"{name} is empty. Give a file name such as report.html.")
    make_folder(outbox)
    placed = outbox / requested_path
    if not placed.resolve().is_relative_to(outbox.resolve()):
        raise BadInput(f"{name}: {requested_path} is a link that leads out of the folder {OUTBOX}.")
    make_folder(placed.parent)
    return placed
