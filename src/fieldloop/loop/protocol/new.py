"""Write a new protocol file to start from."""

import re
from dataclasses import dataclass

from fieldloop.errors import BadInput, WorkspaceError
from fieldloop.loop.protocol.by_task import PROTOCOL_TEXT
from fieldloop.loop.protocol.named import read_example_protocol
from fieldloop.loop.workspace import TASK_NAME, Workspace
from fieldloop.text_files import read_text

STARTER = "starter"
NAME = re.compile(r"^name(\s*)=.*$", re.MULTILINE)
VERSION = re.compile(r"^version(\s*)=.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ProtocolStarted:
    """Where the new file is, and what to do next."""

    file: str
    like: str
    next: str


def write_new_protocol(workspace: Workspace, name: str, *, like: str = STARTER) -> ProtocolStarted:
    """Write a protocol file with comments into the workspace, as a start.

    An edited file is never overwritten; the empty one of a new workspace is.

    Arguments:
        name: the task, such as pick; the file becomes protocols/NAME.toml
        like: starter, or the closest example: warehouse-picking, delicate-insertion
    """
    if not TASK_NAME.fullmatch(name):
        raise BadInput(f"{name!r} is not a valid task name. Use letters, digits, - and _, such as pick.")
    path = workspace.root / "protocols" / f"{name}.toml"
    if path.exists() and read_text(path, WorkspaceError) != PROTOCOL_TEXT.format(task=name):
        raise BadInput(f"protocols/{name}.toml already exists and may have been edited. Give another name.")
    text = NAME.sub(rf'name\1= "{name}"', read_example_protocol(like), count=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(VERSION.sub(r"version\1= 1", text, count=1), encoding="utf-8")
    return ProtocolStarted(f"protocols/{name}.toml", like, f"Edit it, then: fieldloop protocol lint {path}")
