"""Protocols as text: the whole protocol, and the operator's sheet."""

from dataclasses import dataclass
from pathlib import Path

from fieldloop.loop.annotate.taxonomy.in_force import list_phase_labels
from fieldloop.loop.protocol.in_force import is_locked
from fieldloop.loop.protocol.named import find_protocol_by_file_or_name, find_protocol_by_name
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.protocol import CollectionProtocol
from fieldloop.report import protocol as sheets


@dataclass(frozen=True, slots=True)
class SheetWritten:
    """Where a sheet was written, and its protocol."""

    html: str
    protocol: str
    interface: str


def show_protocol_text(workspace: Workspace | None, version: str = "") -> str:
    """Show a whole protocol as text: task, phases, instructions, edge cases, cameras, sensors.

    Arguments:
        version: a task's name, name@version of a locked protocol, `shipped`, or an example's name (default: the
            workspace's protocol)
    """
    return sheets.render_markdown(_make_sheet(workspace, find_protocol_by_name(workspace, version)))


def write_operator_sheet(
    workspace: Workspace | None, file: Path | None = None, *, interface: str = "", html: Path | None = None
) -> str | SheetWritten:
    """Write the operator's sheet: steps, limits, prohibitions, edge cases, cameras.

    Arguments:
        file: a protocol file, or a name as in `protocol show` (default: the workspace's protocol)
        interface: only the instructions of this control interface, such as vr
        html: write a printable page to this file
    """
    made = _make_sheet(workspace, find_protocol_by_file_or_name(workspace, file), interface)
    if html is None:
        return sheets.render_markdown(made)
    write_atomically(html, sheets.render_html(made), "sheet")
    return SheetWritten(str(html), made.protocol, interface)


def make_sheet_in_force(workspace: Workspace, task: str = "", interface: str = "") -> sheets.Sheet:
    """Return the sheet of a task's protocol, for a page to draw."""
    return _make_sheet(workspace, workspace.protocol(task), interface)


def _make_sheet(workspace: Workspace | None, rules: CollectionProtocol, interface: str = "") -> sheets.Sheet:
    return sheets.make_operator_sheet(
        rules, interface, list_phase_labels(workspace, rules.name), locked=is_locked(workspace, rules)
    )
