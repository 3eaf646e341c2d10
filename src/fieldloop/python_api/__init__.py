"""The Python interface: the same commands as functions and methods, for notebooks and scripts.

`fieldloop/__init__.py` offers these names. Functions need no workspace; `open(folder)` has every command as a method.
"""

from typing import Any

from fieldloop.errors import FieldloopError
from fieldloop.python_api.display import write_result_text as text
from fieldloop.python_api.frames import open_dataset, register_trainer
from fieldloop.python_api.logs import read
from fieldloop.python_api.workspace import OpenWorkspace, init
from fieldloop.python_api.workspace import open_folder as open  # noqa: A004 - `fl.open` reads best

__all__ = [
    "WITHOUT_WORKSPACE",
    "FieldloopError",
    "OpenWorkspace",
    "init",
    "open",
    "open_dataset",
    "read",
    "register_trainer",
    "text",
]

WITHOUT_WORKSPACE = {
    "check": "check",
    "convert": "convert",
    "diagnose": "diagnose folder",
    "hand_eye": "calibrate hand-eye",
    "intrinsics": "calibrate intrinsics",
    "lint": "protocol lint",
    "mapping": "ingest mapping",
    "plan": "plan folder",
    "protocol": "protocol",
    "simulate": "simulate",
    "simulate_case": "simulate case",
    "velocity": "audit velocity",
}
"""Functions of the interface, each with the command that it runs."""


def __getattr__(name: str) -> Any:
    """Make a function from its command when it is first used."""
    if name not in WITHOUT_WORKSPACE:
        raise AttributeError(f"module 'fieldloop.python_api' has no attribute {name!r}")
    from fieldloop.loop.catalogue import find_use_case
    from fieldloop.python_api.commands import make_command_function

    globals()[name] = made = make_command_function(find_use_case(WITHOUT_WORKSPACE[name]), name)
    return made
