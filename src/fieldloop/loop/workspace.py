"""A folder with settings, protocols, operations, an embedded store: what every use case works on."""

import dataclasses
import json
import re
import secrets
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from fieldloop.errors import Refused, UnknownName, WorkspaceError
from fieldloop.loop.protocols_in_force import ProtocolsInForce, read_text
from fieldloop.model.event import Event
from fieldloop.model.identity import Clock, Ids
from fieldloop.model.person import LOCAL_ADMIN, Actor
from fieldloop.protocol import CollectionProtocol, Operations, default_protocol, parse_operations
from fieldloop.store import Expected, Shelf, Store, open_shelf, open_store

T = TypeVar("T")
Track = Callable[[Iterable[Any], str, int | None], Iterator[Any]]
"""Shows progress while something is iterated over; doors bring their own."""

SETTINGS_FILE = "fieldloop.toml"
INSIDE = ".fieldloop"
TASK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
KNOWN_SETTINGS = {"name", "task", "store", "shelf"}


def track_silently(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:  # noqa: ARG001 - a Track
    """Iterate without showing anything."""
    yield from items


@dataclass(frozen=True)
class Workspace:
    """An open workspace: its store and shelf, the numbers in force, and who is asking."""

    root: Path
    settings: Mapping[str, str]
    store: Store
    shelf: Shelf
    actor: Actor = LOCAL_ADMIN
    clock: Clock = time.time_ns
    random_bits: Callable[[int], int] = secrets.randbits
    track: Track = track_silently

    @property
    def name(self) -> str:
        """What people call this workspace."""
        return self.settings["name"]

    @property
    def task(self) -> str:
        """The task episodes are of unless they say otherwise."""
        return self.settings["task"]

    @property
    def ids(self) -> Ids:
        """The source of fresh ids."""
        return Ids(self.clock, self.random_bits)

    @property
    def cache(self) -> Path:
        """A folder for what can be made again."""
        folder = self.root / INSIDE / "cache"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @cached_property
    def operations(self) -> Operations:
        """How to run: the workspace's operations over the shipped ones."""
        path = self.root / "operations.toml"
        return parse_operations(read_text(path) if path.exists() else "", path.name)

    @cached_property
    def protocols(self) -> ProtocolsInForce:
        """How to collect, by task."""
        return ProtocolsInForce(self.root / "protocols", self.store)

    def protocol(self, task: str = "") -> CollectionProtocol:
        """Return the protocol in force for a task, the shipped one where the workspace has none of its own."""
        return self.protocols.get(task or self.task, default_protocol())

    def newest(self, noun: type[T]) -> T | None:
        """Return the last noun of a kind, read once until something happens: a large catalogue takes a second."""
        last, held = self.store.last(), self._newest.get(noun)
        if held is None or held[0] != last:
            held = self._newest[noun] = (last, next(iter(self.store.find(noun, newest=True, limit=1)), None))
        return held[1]

    @cached_property
    def _newest(self) -> dict[type, tuple[int, Any]]:
        return {}

    def write(self, *events: Event, caused_by: int | None = None, expect: Expected | None = None) -> int:
        """Write down what happened, all or nothing, in this actor's name; `expect` as in `Store.append`."""
        return self.store.append(events, actor=self.actor.id, at_ns=self.clock(), caused_by=caused_by, expect=expect)

    def acting_as(self, actor: Actor, track: Track | None = None) -> "Workspace":
        """Return the same workspace in somebody else's hands."""
        return dataclasses.replace(self, actor=actor, track=track or self.track)

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()


def create_workspace(root: Path, *, name: str = "", task: str = "pick") -> None:
    """Lay the files of a new workspace out; refuses a folder that is one already."""
    if (root / SETTINGS_FILE).exists():
        raise WorkspaceError(f"{root} is a workspace already. Use it with --workspace, or choose another folder.")
    if root.exists() and not root.is_dir():
        raise WorkspaceError(f"{root} is a file. Choose a folder that does not exist yet, or an empty one.")
    if not TASK_NAME.fullmatch(task):
        raise WorkspaceError(f"{task!r} is no name for a task: letters, digits, - and _ make one, such as pick.")
    (root / "protocols").mkdir(parents=True, exist_ok=True)
    _write_new(root / "operations.toml", OPERATIONS_TEXT)
    _write_new(root / "protocols" / f"{task}.toml", PROTOCOL_TEXT.format(task=task))
    # the settings come last: a folder with them is a whole workspace
    _write_new(root / SETTINGS_FILE, SETTINGS_TEXT.format(name=json.dumps(name or root.resolve().name), task=task))


def open_workspace(root: Path, **given: Any) -> Workspace:
    """Open a workspace; `given` replaces parts of it (clock, actor, store …), as tests and doors do."""
    settings = _settings(root)
    inside = root / INSIDE
    inside.mkdir(parents=True, exist_ok=True)
    if "store" not in given:
        path = root / "operations.toml"
        section = parse_operations(read_text(path) if path.exists() else "", path.name)["store"]
        given["store"] = open_store(settings.get("store") or f"sqlite:///{inside.resolve() / 'ledger.db'}", section)
    if "shelf" not in given:
        given["shelf"] = open_shelf(settings.get("shelf") or str(inside.resolve() / "shelf"))
    return Workspace(root=root, settings=settings, **given)


def require_role(workspace: Workspace, *roles: str) -> None:
    """Refuse somebody whose role does not allow this."""
    if workspace.actor.role not in roles:
        raise Refused(f"{workspace.actor.id} is {workspace.actor.role}; this needs {' or '.join(sorted(roles))}.")


def _settings(root: Path) -> dict[str, str]:
    path = root / SETTINGS_FILE
    if not path.is_file():
        raise WorkspaceError(f"{root} is no workspace: it has no {SETTINGS_FILE}. Make one with: fieldloop init {root}")
    try:
        raw = tomllib.loads(read_text(path)).get("workspace", {})
    except tomllib.TOMLDecodeError as wrong:
        raise WorkspaceError(f"{path} is not valid TOML: {wrong}.") from wrong
    for key in raw:
        if key not in KNOWN_SETTINGS:
            raise WorkspaceError(f"{path}: {UnknownName('setting', key, KNOWN_SETTINGS)}")
    return {"name": root.resolve().name, "task": "pick"} | {key: str(value) for key, value in raw.items()}


def _write_new(path: Path, text: str) -> None:
    if not path.exists():
        path.write_text(text, encoding="utf-8")


SETTINGS_TEXT = """# A fieldloop workspace. The store and the shelf are embedded unless a URL is given here.
[workspace]
name  = {name}
task  = "{task}"
# store = "postgresql://user@host/database"
# shelf = "s3://bucket/prefix"
"""

OPERATIONS_TEXT = """# How this workspace runs. Only what differs from the shipped defaults stands here.
# All defaults: fieldloop protocol operations
#
# [monitor.max_drop]
# value  = 0.03
# why    = "Contract with the customer."
# source = { kind = "assumed", ref = "service agreement" }
"""

PROTOCOL_TEXT = """# How {task} is collected here. Only what differs from the shipped defaults stands here.
# All defaults: fieldloop protocol
[protocol]
name    = "{task}"
version = 1
"""
