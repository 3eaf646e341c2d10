"""The protocol in force, and whether its version is locked."""

from fieldloop.check import UNITS
from fieldloop.errors import UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import ProtocolLocked
from fieldloop.protocol import CollectionProtocol, default_protocol, require_agreement


def require_known_task(workspace: Workspace | None, task: str) -> None:
    """Refuse a task that a person names and that has no protocol here; '' is the workspace's task."""
    if workspace and task not in ("", workspace.task) and task not in workspace.protocols:
        known = sorted({workspace.task, *workspace.protocols})
        raise UnknownName("task", task, known, ", ".join(known))


def require_protocol_in_force(workspace: Workspace | None, task: str = "") -> CollectionProtocol:
    """Return the protocol that judges, after checking that code and protocol have the same checks."""
    rules = workspace.protocol(task) if workspace else default_protocol()
    require_agreement(UNITS, rules)
    return rules


def is_locked(workspace: Workspace | None, rules: CollectionProtocol) -> bool:
    """Return whether this version is locked with this content."""
    where = {"name": rules.name, "version": rules.version, "fingerprint": rules.fingerprint}
    return workspace is not None and bool(workspace.store.count(ProtocolLocked, where))
