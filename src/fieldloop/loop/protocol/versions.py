"""Locked versions of protocols, stored independently of their files."""

import json
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import BadInput, UnknownName, WorkspaceError
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Blob
from fieldloop.model.event import ProtocolLocked
from fieldloop.protocol import CollectionProtocol, default_protocol
from fieldloop.protocol.collection import merge_tables_in_force, read_protocol_tables
from fieldloop.text_files import read_text

SCHEMA = "locked-protocol/1"
AT = "@"


@dataclass(frozen=True, slots=True)
class LockedVersion:
    """A version that was locked, and whether it is the one in force."""

    name: str
    version: int
    fingerprint: str
    in_force: bool
    kept: bool


def list_locked_versions(workspace: Workspace) -> tuple[LockedVersion, ...]:
    """List the locked versions of this workspace's protocols, newest first."""
    now = {(rules.name, rules.version) for rules in _find_protocols_in_force(workspace)}
    return tuple(
        LockedVersion(lock.name, lock.version, lock.fingerprint, (lock.name, lock.version) in now, bool(lock.content))
        for lock in workspace.store.find(ProtocolLocked, newest=True)
    )


def read_protocol_file(workspace: Workspace, task: str = "") -> str:
    """Return the text of a task's protocol file; '' where the workspace has none and the shipped one holds."""
    path = workspace.root / "protocols" / f"{task or workspace.task}.toml"
    return read_text(path, WorkspaceError) if path.is_file() else ""


def shelve_version(workspace: Workspace, text: str) -> Blob:
    """Keep a protocol's text together with every number in force, so it stays readable after defaults change."""
    written = {"schema": SCHEMA, "text": text, "tables": merge_tables_in_force(text)}
    return workspace.shelf.put_bytes(json.dumps(written, default=str, ensure_ascii=False).encode())


def read_locked_version(workspace: Workspace, asked: str) -> CollectionProtocol:
    """Return a locked version by `name@version`, as it was when it was locked."""
    lock = _find_lock(workspace, asked)
    if lock.content is None:
        raise BadInput(f"{asked} was locked before texts were stored; only {lock.fingerprint} is known.")
    return read_protocol_tables(_read_locked_content(workspace, lock.content)["tables"], asked)


def read_locked_text(workspace: Workspace, asked: str) -> str:
    """Return the exact text of a locked version."""
    lock = _find_lock(workspace, asked)
    return str(_read_locked_content(workspace, lock.content)["text"]) if lock.content else ""


def _find_protocols_in_force(workspace: Workspace) -> list[CollectionProtocol]:
    refused, read = workspace.protocols.list_reasons_of_refusal(), workspace.protocols.list_readable()
    own = [rules for task, rules in read.items() if task not in refused]
    return own if workspace.task in workspace.protocols else [*own, default_protocol()]


def _find_lock(workspace: Workspace, asked: str) -> ProtocolLocked:
    name, _, number = asked.rpartition(AT)
    known = [f"{lock.name}{AT}{lock.version}" for lock in workspace.store.find(ProtocolLocked)]
    number = number.removeprefix("v")
    locks = workspace.store.find(ProtocolLocked, {"name": name, "version": int(number)}) if number.isdigit() else []
    if not locks:
        listed = f" Locked: {', '.join(known)}." if known else " None is locked yet: fieldloop protocol lock"
        raise BadInput(f"{UnknownName('locked version', asked, known)}{listed}")
    return locks[-1]


def _read_locked_content(workspace: Workspace, content: Blob) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(workspace.shelf.read(content.sha256))
    return kept
