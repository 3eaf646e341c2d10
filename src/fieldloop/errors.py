"""All exceptions that fieldloop raises on purpose.

    FieldloopError
    ├── BadInput           a file, value or option that cannot be used as given
    │   ├── UnreadableLog  no reader recognises the file as a log, or nothing in it can be read
    │   ├── ProtocolError  a protocol or operations file is wrong, or code and protocol disagree
    │   └── UnknownName    an unknown name, with a suggestion
    │       └── UnknownChoice  a value that an option does not offer
    ├── WorkspaceError     the folder is not a workspace, or cannot become one
    ├── StoreError         the database or the shelf cannot do what was asked
    │   ├── StoreTooNew    written by a newer fieldloop
    │   ├── StoreBusy      another process held the lock for too long
    │   │   └── ChangedMeanwhile  what a writer had read was changed before it wrote
    │   └── StoreFull      no space left; nothing was written
    ├── Refused            a rule forbids it (role, lock, audit, calibration, gate)
    └── MissingExtra       an optional dependency is needed for this

Bad *data* is never an exception: it is a Finding.
"""

import difflib
from collections.abc import Iterable
from typing import Any


class FieldloopError(Exception):
    """Base of all errors raised on purpose; the message states what is wrong, where, and what to do."""


class BadInput(FieldloopError):
    """A file, value or option that cannot be used as given."""


class UnreadableLog(BadInput):
    """No reader recognises the file as a log, or nothing in it can be read."""


class ProtocolError(BadInput):
    """A protocol or operations file is wrong, or code and protocol disagree."""


class UnknownName(BadInput):
    """An unknown name, with a suggestion.

    >>> str(UnknownName("check", "timing.longest_gab", ["timing.longest_gap"]))
    "No check called 'timing.longest_gab'. Did you mean 'timing.longest_gap'?"
    >>> import pickle
    >>> pickle.loads(pickle.dumps(UnknownName("site", "mars", ["home"], "home"))).args
    ("No site called 'mars'. Known: home.",)
    """

    def __init__(self, what: str, name: str, known: Iterable[str], listed: str = "") -> None:
        """Keep the suggestion so that doors can offer it; `listed` is the text that lists the known names."""
        names = tuple(known)
        self._made_of = (what, name, names, listed)
        plain = {known.casefold(): known for known in names}  # FRONT matches front
        close = difflib.get_close_matches(name.casefold(), plain, n=1)
        self.suggestion = plain[close[0]] if close else None
        hint = f" Did you mean {self.suggestion!r}?" if self.suggestion else ""
        super().__init__(f"No {what} called {name!r}.{hint}{f' Known: {listed}.' if listed else ''}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive the way back from a worker process."""
        return type(self), self._made_of


class UnknownChoice(UnknownName):
    """A value that an option does not offer; all that it offers are listed.

    >>> str(UnknownChoice("--to", "mcp", ["lerobot", "mcap"]))
    "'mcp' is not a choice for --to; choose lerobot or mcap. Did you mean 'mcap'?"
    """

    def __init__(self, option: str, value: str, choices: Iterable[str]) -> None:
        """Name the option as the user wrote it."""
        offered = tuple(choices)
        super().__init__(f"choice for {option}", value, offered)
        self._option = option
        listed = " or ".join(part for part in (", ".join(offered[:-1]), *offered[-1:]) if part)
        hint = f" Did you mean {self.suggestion!r}?" if self.suggestion else ""
        self.args = (f"{value!r} is not a choice for {option}; choose {listed}.{hint}",)

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive the way back from a worker process."""
        _, value, offered, _ = self._made_of
        return type(self), (self._option, value, offered)


class WorkspaceError(FieldloopError):
    """The folder is not a workspace, or cannot become one."""


class StoreError(FieldloopError):
    """The database or the shelf cannot do what was asked."""


class StoreTooNew(StoreError):
    """Written by a newer fieldloop."""


class StoreBusy(StoreError):
    """Another process held the lock for too long."""


class ChangedMeanwhile(StoreBusy):
    """What a writer had read was changed before it wrote; nothing was written. Read it again."""


class StoreFull(StoreError):
    """No space left; nothing was written."""


class Refused(FieldloopError):
    """A rule forbids it: role, lock, audit, calibration, gate. `reasons` are the facts behind it, for programs."""

    def __init__(self, message: str = "", reasons: Iterable[Any] = ()) -> None:
        """Keep the message for people and the facts (`model.note.Note`) beside it."""
        super().__init__(message)
        self.reasons = tuple(reasons)


class MissingExtra(FieldloopError):
    """An optional dependency is needed for this."""

    def __init__(self, package: str, extra: str) -> None:
        """Name the pip command that helps."""
        super().__init__(f"{package} is not installed. Install it with: pip install 'fieldloop[{extra}]'")


WHOLE_LOOP = frozenset({"sqlalchemy", "alembic", "fsspec", "sklearn", "onnx", "onnxruntime", "fastapi", "uvicorn"})
"""Modules that the light install leaves out; the extra `all` brings them."""


def find_missing_extra(missing: ModuleNotFoundError) -> MissingExtra | None:
    """Return the error for a module that the extra `all` brings; None where the module is another one.

    >>> str(find_missing_extra(ModuleNotFoundError("", name="sqlalchemy.sql")))
    "sqlalchemy is not installed. Install it with: pip install 'fieldloop[all]'"
    >>> find_missing_extra(ModuleNotFoundError("", name="my_reader"))
    """
    package = (missing.name or "").partition(".")[0]
    return MissingExtra(package, "all") if package in WHOLE_LOOP else None
