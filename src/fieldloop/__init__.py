"""fieldloop: from robot log to the next collection plan, as one loop.

    import fieldloop as fl

    fl.check("recordings/")               # is it fit to learn from?
    with fl.open("my-workspace") as ws:   # every command is a method
        ws.plan(budget=60)

Names are imported when they are first used. Their types are in `__init__.pyi`. See docs/python.md.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

NAMES = (
    "FieldloopError",
    "OpenWorkspace",
    "check",
    "convert",
    "diagnose",
    "hand_eye",
    "init",
    "intrinsics",
    "lint",
    "mapping",
    "open",
    "open_dataset",
    "plan",
    "protocol",
    "read",
    "register_trainer",
    "simulate",
    "simulate_case",
    "text",
    "velocity",
)
"""What `import fieldloop as fl` offers."""
ROOMS = frozenset({"check", "diagnose", "plan", "protocol", "simulate"})
"""Names that are also packages of ours. Importing such a package binds it here, so the package itself is callable.

Simpler forms fail. A function under the name of the package breaks `import fieldloop.check as c` and
`fieldloop.check.registry`: both look the name up here. A function bound once is replaced as soon as any module imports
the package. A `__call__` in each room would make a room import a door. So the class of these modules is changed at the
one moment that covers every import: when the import system binds them.
"""

__all__ = [*NAMES, "__version__"]  # noqa: PLE0604 - the names are strings


class _CallableRoom(ModuleType):
    # A package that can be called: `fl.check(path)` runs the command, `fieldloop.check` stays the package.

    def __call__(self, *given: Any, **named: Any) -> Any:
        return _function(self)(*given, **named)

    @property
    def __signature__(self) -> Any:
        return _function(self).__signature__

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """The help of the command."""
        return str(_function(self).__doc__)


class _Package(ModuleType):
    """The class of this package: makes rooms callable at the moment the import system binds them here."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ROOMS and isinstance(value, ModuleType):
            value.__class__ = _CallableRoom
        super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return import_module(f"fieldloop.{name}")
    if name not in NAMES:
        raise AttributeError(f"module 'fieldloop' has no attribute {name!r}")
    found = getattr(import_module("fieldloop.python_api"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


def _function(room: ModuleType) -> Any:
    return getattr(import_module("fieldloop.python_api"), room.__name__.rpartition(".")[2])


sys.modules[__name__].__class__ = _Package
