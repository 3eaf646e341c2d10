"""A protocol to start from."""

import re
from dataclasses import dataclass

from fieldloop.errors import BadInput
from fieldloop.loop.protocol_named import example_text
from fieldloop.loop.workspace import PROTOCOL_TEXT, TASK_NAME, Workspace

STARTER = "starter"
NAME = re.compile(r"^name(\s*)=.*$", re.MULTILINE)
VERSION = re.compile(r"^version(\s*)=.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ProtocolStarted:
    """Where the new file is, and what to do next."""

    file: str
    like: str
    next: str


def new(workspace: Workspace, name: str, *, like: str = STARTER) -> ProtocolStarted:
    """Write a commented protocol file to start from into the workspace.

    A file that somebody edited is never written over; the empty one of a new workspace is.

    Arguments:
        name: the task, such as pick; the file becomes protocols/NAME.toml
        like: starter, or the example that comes nearest: warehouse-picking, delicate-insertion
    """
    if not TASK_NAME.fullmatch(name):
        raise BadInput(f"{name!r} is no name for a task: letters, digits, - and _ make one, such as pick.")
    path = workspace.root / "protocols" / f"{name}.toml"
    if path.exists() and path.read_text(encoding="utf-8") != PROTOCOL_TEXT.format(task=name):
        raise BadInput(f"protocols/{name}.toml is there already. Somebody may have edited it: give another name.")
    text = NAME.sub(rf'name\1= "{name}"', example_text(like), count=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(VERSION.sub(r"version\1= 1", text, count=1), encoding="utf-8")
    return ProtocolStarted(f"protocols/{name}.toml", like, f"Edit it, then: fieldloop protocol lint {path}")
