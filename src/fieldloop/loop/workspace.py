"""The workspace: a folder with settings, protocols, operations and an embedded store, used by every use case."""

import dataclasses
import json
import re
import secrets
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from fieldloop.errors import UnknownName, WorkspaceError
from fieldloop.loop.protocol.by_task import PROTOCOL_TEXT, ProtocolsInForce
from fieldloop.model.event import Event
from fieldloop.model.identity import Clock, Ids
from fieldloop.model.person import LOCAL_ADMIN, Actor
from fieldloop.protocol import CollectionProtocol, Operations, default_protocol, parse_operations
from fieldloop.store import Lock, Shelf, Store, open_shelf, open_store
from fieldloop.text_files import read_text

T = TypeVar("T")
Track = Callable[[Iterable[Any], str, int | None], Iterator[Any]]
"""Shows progress during an iteration; each door supplies its own."""

SETTINGS_FILE = "fieldloop.toml"
INSIDE = ".fieldloop"
TASK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
KNOWN_SETTINGS = {"name", "task", "store", "shelf"}


def track_silently(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:  # noqa: ARG001 - a Track
    """Iterate without showing anything."""
    yield from items


@dataclass(frozen=True)
class Workspace:
    """An open workspace: its store and shelf, the numbers in force, and the actor."""

    root: Path
    settings: Mapping[str, str]
    store: Store
    shelf: Shelf
    actor: Actor = LOCAL_ADMIN
    clock: Clock = time.time_ns
    random_bits: Callable[[int], int] = secrets.randbits
    track: Track = track_silently
    seen: dict[tuple[str, type], Any] | None = None
    """Cache of reads for one page or command; None: every read queries the store."""

    @property
    def name(self) -> str:
        """The display name of this workspace."""
        return self.settings["name"]

    @property
    def task(self) -> str:
        """The task of episodes that do not state one."""
        return self.settings["task"]

    @property
    def ids(self) -> Ids:
        """The generator of new ids."""
        return Ids(self.clock, self.random_bits)

    @property
    def cache(self) -> Path:
        """The folder of cached files."""
        folder = self.root / INSIDE / "cache"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @cached_property
    def operations(self) -> Operations:
        """How to run: the workspace's operations over the shipped ones."""
        path = self.root / "operations.toml"
        return _parse_operations_once(read_text(path, WorkspaceError) if path.exists() else "", path.name)

    @cached_property
    def protocols(self) -> ProtocolsInForce:
        """How to collect, by task."""
        return ProtocolsInForce(self.root / "protocols", self.store)

    def protocol(self, task: str = "") -> CollectionProtocol:
        """Return the protocol in force for a task, the shipped one where the workspace has none of its own."""
        return self.protocols.get(task or self.task, default_protocol())

    def find_newest(self, noun: type[T]) -> T | None:
        """Return the most recently stated noun of a kind, None without any."""
        found: T | None = self.find_newest_of_several(noun)[noun]
        return found

    def find_newest_of_several(self, *nouns: type) -> dict[type, Any]:
        """Return the last noun of several kinds in one read, None for kinds without any."""
        return self._read(
            "newest", nouns, lambda missing: dict.fromkeys(missing) | self.store.views.find_newest(*missing)
        )

    def find_all(self, noun: type[T]) -> tuple[T, ...]:
        """Return all nouns of a kind, newest first; meant for kinds with few nouns."""
        found: tuple[T, ...] = self.find_all_of_several(noun)[noun]
        return found

    def find_all_of_several(self, *nouns: type) -> dict[type, tuple[Any, ...]]:
        """Return every noun of several kinds in one read, newest first."""
        found = self._read("all", nouns, lambda missing: self.store.views.find_all(*missing))
        return {noun: tuple(every) for noun, every in found.items()}

    def _read(
        self, what: str, nouns: Sequence[type], read: Callable[[Sequence[type]], dict[type, Any]]
    ) -> dict[type, Any]:
        seen = {} if self.seen is None else self.seen
        missing = [noun for noun in nouns if (what, noun) not in seen]
        if missing:
            seen.update({(what, noun): found for noun, found in read(missing).items()})
        return {noun: seen[what, noun] for noun in nouns}

    def with_read_cache(self) -> "Workspace":
        """Return the same workspace with a cache of reads, for one page or command."""
        return dataclasses.replace(self, seen={})

    def last_seq(self) -> int:
        """Return the sequence number of the newest event, 0 where there is none."""
        return self.store.get_last_seq()

    def write(self, *events: Event, caused_by: int | None = None, expect: Lock | Sequence[Lock] | None = None) -> int:
        """Append events atomically under this actor; `expect` as in `Store.append`."""
        return self.store.append(events, actor=self.actor.id, at_ns=self.clock(), caused_by=caused_by, expected=expect)

    def acting_as(self, actor: Actor, track: Track | None = None) -> "Workspace":
        """Return the same workspace for another actor."""
        return dataclasses.replace(self, actor=actor, track=track or self.track)

    def close(self) -> None:
        """Close the database."""
        self.store.close()


def create_workspace(root: Path, *, name: str = "", task: str = "pick") -> None:
    """Create the files of a new workspace; refuse an existing one."""
    if (root / SETTINGS_FILE).exists():
        raise WorkspaceError(f"{root} is already a workspace. Use it with --workspace, or choose another folder.")
    if root.exists() and not root.is_dir():
        raise WorkspaceError(f"{root} is a file. Choose a folder that does not exist yet, or an empty one.")
    if not TASK_NAME.fullmatch(task):
        raise WorkspaceError(f"{task!r} is not a valid task name. Use letters, digits, - and _, such as pick.")
    (root / "protocols").mkdir(parents=True, exist_ok=True)
    _write_new_file(root / "operations.toml", OPERATIONS_TEXT)
    _write_new_file(root / "protocols" / f"{task}.toml", PROTOCOL_TEXT.format(task=task))
    # the settings are written last: a folder that has them is complete
    _write_new_file(root / SETTINGS_FILE, SETTINGS_TEXT.format(name=json.dumps(name or root.resolve().name), task=task))


def open_workspace(root: Path, **given: Any) -> Workspace:
    """Open a workspace; `given` replaces parts of it (clock, actor, store …), as tests and doors do."""
    settings = _read_settings(root)
    inside = root / INSIDE
    inside.mkdir(parents=True, exist_ok=True)
    if "store" not in given:
        path = root / "operations.toml"
        section = _parse_operations_once(read_text(path, WorkspaceError) if path.exists() else "", path.name)["store"]
        given["store"] = open_store(settings.get("store") or f"sqlite:///{inside.resolve() / 'ledger.db'}", section)
    if "shelf" not in given:
        given["shelf"] = open_shelf(settings.get("shelf") or str(inside.resolve() / "shelf"))
    return Workspace(root=root, settings=settings, **given)


@lru_cache(maxsize=8)
def _parse_operations_once(text: str, name: str) -> Operations:
    """Parse operations once per content of the file."""
    return parse_operations(text, name)


def _read_settings(root: Path) -> dict[str, str]:
    path = root / SETTINGS_FILE
    if not path.is_file():
        raise WorkspaceError(f"{root} is not a workspace: it has no {SETTINGS_FILE}. Create one: fieldloop init {root}")
    try:
        raw = tomllib.loads(read_text(path, WorkspaceError)).get("workspace", {})
    except tomllib.TOMLDecodeError as wrong:
        raise WorkspaceError(f"{path} is not valid TOML: {wrong}.") from wrong
    for key in raw:
        if key not in KNOWN_SETTINGS:
            raise WorkspaceError(f"{path}: {UnknownName('setting', key, KNOWN_SETTINGS)}")
    return {"name": root.resolve().name, "task": "pick"} | {key: str(value) for key, value in raw.items()}


def _write_new_file(path: Path, text: str) -> None:
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
