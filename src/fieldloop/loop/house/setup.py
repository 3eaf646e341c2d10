"""Create a workspace."""

from dataclasses import dataclass
from pathlib import Path

from fieldloop import __version__
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.event import WorkspaceCreated


@dataclass(frozen=True, slots=True)
class Created:
    """Where the new workspace is, and what to do first."""

    folder: str
    name: str
    task: str
    next: str


def init(folder: Path, *, name: str = "", task: str = "pick") -> Created:
    """Create a workspace: settings, a protocol, operations, an embedded store.

    Arguments:
        folder: a new or existing folder; existing files stay unchanged
        name: name of the workspace (default: the folder's name)
        task: the task for which demonstrations are collected here
    """
    create_workspace(folder, name=name, task=task)
    workspace = open_workspace(folder)
    try:
        workspace.write(WorkspaceCreated(workspace.name, __version__))
    finally:
        workspace.close()
    return Created(str(folder), workspace.name, task, f"fieldloop audit --example --workspace {folder}")
