"""The numbers in force, with their reasons; and locking them."""

from dataclasses import dataclass

from fieldloop.check import UNITS
from fieldloop.errors import Refused
from fieldloop.loop.audit import require_complete_audit
from fieldloop.loop.protocol_lint import linted_task
from fieldloop.loop.protocol_versions import own_text, shelve_version
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import ProtocolLocked
from fieldloop.protocol import CollectionProtocol, Operations, agree, default_operations, default_protocol
from fieldloop.protocol.number import Value


@dataclass(frozen=True, slots=True)
class Number:
    """One number in force: where it stands, its unit, why, and where it comes from."""

    name: str
    value: Value | None
    minimum: float | None
    maximum: float | None
    unit: str
    why: str
    source_kind: str
    source: str
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Numbers:
    """A file of numbers in force, by name and fingerprint."""

    name: str
    version: int
    fingerprint: str
    locked: bool
    numbers: tuple[Number, ...]


def protocol(workspace: Workspace | None, *, task: str = "") -> Numbers:
    """Show the protocol in force: every limit and setting with unit, reason and source.

    Arguments:
        task: the workspace's task unless given
    """
    rules = in_force(workspace, task)
    limits = [(f"check.{name}", limit) for name, limit in rules.limits.items()]
    limits += [
        (f"interface.{interface.name}.limits.{name}", limit)
        for interface in rules.interfaces.values()
        for name, limit in interface.limits.items()
    ]
    bounded = (
        Number(name, None, x.minimum, x.maximum, x.unit, x.why, x.source.kind, x.source.ref, x.pending)
        for name, x in limits
    )
    settings = (
        Number(name, s.value, None, None, s.unit, s.why, s.source.kind, s.source.ref, s.pending)
        for name, s in rules.settings.items()
    )
    return Numbers(rules.name, rules.version, rules.fingerprint, is_locked(workspace, rules), (*bounded, *settings))


def operations(workspace: Workspace | None) -> Numbers:
    """Show how this workspace runs: gate, guard, alarms, rollout, plan weights."""
    running: Operations = workspace.operations if workspace else default_operations()
    numbers = (
        Number(f"{section.name}.{name}", s.value, None, None, s.unit, s.why, s.source.kind, s.source.ref, s.pending)
        for section in running.sections.values()
        for name, s in section.settings.items()
    )
    return Numbers("operations", 1, running.fingerprint, False, tuple(numbers))


def lock(workspace: Workspace, *, task: str = "") -> Numbers:
    """Lock the protocol's version: from now on a change needs a new one.

    Its text and every number in force are kept, so that the version can be read and compared ever after.

    Arguments:
        task: the workspace's task unless given
    """
    require_complete_audit(workspace)
    rules = in_force(workspace, task)
    if errors := linted_task(workspace, task).errors:
        told = " ".join(f"[{e.code}] {e.place}: {e.message}" for e in errors)
        raise Refused(f"{rules.version_name} cannot be locked: {told} See: fieldloop protocol lint")
    if not is_locked(workspace, rules):
        content = shelve_version(workspace, own_text(workspace, task))
        workspace.write(ProtocolLocked(rules.name, rules.version, rules.fingerprint, content))
    return protocol(workspace, task=task)


def in_force(workspace: Workspace | None, task: str = "") -> CollectionProtocol:
    """Return the protocol that judges, after making sure that code and protocol speak of the same checks."""
    rules = workspace.protocol(task) if workspace else default_protocol()
    agree(UNITS, rules)
    return rules


def is_locked(workspace: Workspace | None, rules: CollectionProtocol) -> bool:
    """Was this version of the protocol locked, with this content?"""
    where = {"name": rules.name, "version": rules.version, "fingerprint": rules.fingerprint}
    return workspace is not None and bool(workspace.store.count(ProtocolLocked, where))
