"""Lint protocol files before data is collected by them."""

import time
from dataclasses import dataclass
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.loop.annotate.taxonomy.in_force import list_phase_labels
from fieldloop.loop.protocol.versions import read_locked_text, read_protocol_file
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import ProtocolLocked
from fieldloop.model.note import note
from fieldloop.protocol import Remark, Severity, parse_protocol
from fieldloop.protocol import lint_protocol as look_over
from fieldloop.text_files import read_text

LOCKED = "P002"


@dataclass(frozen=True, slots=True)
class Linted:
    """The remarks on one file, worst first."""

    file: str
    remarks: tuple[Remark, ...]

    @property
    def errors(self) -> tuple[Remark, ...]:
        """The remarks that block locking."""
        return tuple(remark for remark in self.remarks if remark.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True)
class LintReport:
    """The remarks on each file."""

    files: tuple[Linted, ...]

    @property
    def exit_ok(self) -> bool:
        """Whether all of them may be locked."""
        return not any(file.errors for file in self.files)


def lint_protocol_files(workspace: Workspace | None, files: tuple[Path, ...] = ()) -> LintReport:
    """Check protocol files for contradictions, omissions and wrong units; an error fails.

    Arguments:
        files: protocol files (TOML; default: all protocols of the workspace)
    """
    own_files = sorted((workspace.root / "protocols").glob("*.toml")) if workspace else []
    linted = []
    for path in files or own_files:
        if workspace and path.resolve() in {one.resolve() for one in own_files}:
            linted.append(_lint_own_file(workspace, path))
        else:
            linted.append(_lint_text(workspace, read_text(path), str(path)))
    return LintReport(tuple(linted or [_lint_text(workspace, "", "the shipped protocol")]))


def lint_task(workspace: Workspace, task: str = "") -> Linted:
    """Lint the protocol of a task."""
    task = task or workspace.task
    return _lint_text(workspace, read_protocol_file(workspace, task), f"protocols/{task}.toml", task)


def _lint_own_file(workspace: Workspace, path: Path) -> Linted:
    """Lint one of the workspace's own files; the result does not depend on the path given."""
    text = read_text(path)
    return _add_lock_remark(workspace, _lint_text(workspace, text, f"protocols/{path.name}", path.stem), text)


def _add_lock_remark(workspace: Workspace, linted: Linted, text: str) -> Linted:
    """Add that a locked version was changed; workspaces refuse to work with such a file."""
    try:
        rules = parse_protocol(text, linted.file)
    except BadInput:
        return linted  # the remarks already report it
    where = {"name": rules.name, "version": rules.version}
    for lock in workspace.store.find(ProtocolLocked, where):
        if lock.fingerprint != rules.fingerprint:
            same = lock.content is not None and read_locked_text(workspace, f"{rules.name}@{rules.version}") == text
            cause = (note("protocol.p002_defaults"),) if same else ()
            message = note("protocol.p002", *cause, version=rules.version, fingerprint=lock.fingerprint)
            command = f"fieldloop protocol diff {rules.name}@{rules.version} {Path(linted.file).stem}"
            advice = note("protocol.p002_advice", next=rules.version + 1, command=command)
            changed = Remark(LOCKED, Severity.ERROR, "protocol", message, advice)
            return Linted(linted.file, (changed, *linted.remarks))
    return linted


def _lint_text(workspace: Workspace | None, text: str, where: str, task: str = "") -> Linted:
    labels = {label.name: label.definition for label in list_phase_labels(workspace, task)}
    # without a file of its own a task is collected by the shipped protocol, which has another name
    task = task if text else ""
    numbers = workspace.operations["lint"] if workspace else None
    now = workspace.clock() if workspace else time.time_ns()
    return Linted(where, look_over(text, where, phases=labels, task_name=task, numbers=numbers, at_ns=now))
