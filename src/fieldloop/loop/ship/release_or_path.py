"""A release by id or name, or a path: the release comes first, and only an admin's path is looked for."""

from pathlib import Path

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.ship.release import find_release
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Role
from fieldloop.model.release import Release

SEPARATORS = ("/", "\\")


def find_release_or_path(workspace: Workspace | None, asked: str) -> Release | Path:
    """Return a release by id, beginning of its id, or name; else a path that exists.

    Over the network only an admin may name paths. For anybody else the disk is not asked, so that an answer does not
    tell which files the server has.
    """
    if workspace is None:
        if not Path(asked).exists():
            hint = "Releases are kept in a workspace: name it with --workspace."
            raise BadInput(f"{asked}: no such file or folder. {hint}")
        return Path(asked)
    try:
        return find_release(workspace, asked)
    except UnknownName:
        if workspace.actor.role is Role.ADMIN:
            if Path(asked).exists():
                return Path(asked)
        elif any(mark in asked for mark in SEPARATORS):
            raise Refused(f"{asked} is a path. Over the network only an admin may name files of the server.") from None
        raise
