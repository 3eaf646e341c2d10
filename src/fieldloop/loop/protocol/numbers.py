"""Show the numbers in force, with unit, reason and source."""

from dataclasses import dataclass

from fieldloop.loop.protocol.in_force import is_locked, require_known_task, require_protocol_in_force
from fieldloop.loop.workspace import Workspace
from fieldloop.protocol import Operations, default_operations
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


def show_protocol_numbers(workspace: Workspace | None, *, task: str = "") -> Numbers:
    """Show the protocol in force: every limit, parameter and setting with unit, reason and source.

    Arguments:
        task: the task (default: the workspace's task)
    """
    require_known_task(workspace, task)
    rules = require_protocol_in_force(workspace, task)
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
    parameters = (
        Number(f"check.{name}.parameters.{key}", p.value, None, None, p.unit, p.why, p.source.kind, p.source.ref)
        for name, limit in rules.limits.items()
        for key, p in limit.parameters.items()
    )
    settings = (
        Number(name, s.value, None, None, s.unit, s.why, s.source.kind, s.source.ref, s.pending)
        for name, s in rules.settings.items()
    )
    numbers = (*bounded, *parameters, *settings)
    return Numbers(rules.name, rules.version, rules.fingerprint, is_locked(workspace, rules), numbers)


def show_operations_numbers(workspace: Workspace | None) -> Numbers:
    """Show the operations settings of this workspace: gate, guard, alarms, rollout, plan weights."""
    running: Operations = workspace.operations if workspace else default_operations()
    numbers = (
        Number(f"{section.name}.{name}", s.value, None, None, s.unit, s.why, s.source.kind, s.source.ref, s.pending)
        for section in running.sections.values()
        for name, s in section.settings.items()
    )
    return Numbers("operations", 1, running.fingerprint, False, tuple(numbers))
