"""Compare the map in force with its files: edits count only after the next audit."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fieldloop.audit import parse_deployment_map
from fieldloop.errors import BadInput
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Audit, Deployment, Sku
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section
from fieldloop.text_files import read_text

FILES = ("deployment.toml", "skus.csv")
"""The map and the catalogue of a workspace, where the audit does not name others."""


def hash_map_files(workspace: Workspace, *files: Path) -> tuple[tuple[str, str], ...]:
    """Return the files of the map as an audit records them: path (relative inside the workspace) and digest."""
    root, resolved = workspace.root.resolve(), [file.resolve() for file in files]
    names = (str(file.relative_to(root) if file.is_relative_to(root) else file) for file in resolved)
    return tuple((name, _hash_file(file)) for name, file in zip(names, resolved, strict=True))


def find_edited_map_files(workspace: Workspace) -> tuple[Note, ...]:
    """Report which files of the map were edited since the audit, and the command to run; empty where none was.

    Files are compared by content, so a new comment is not a change. Missing files are not reported.
    """
    held: Deployment | None = workspace.find_newest(Deployment)
    audit: Audit | None = workspace.find_newest(Audit)
    if held is None or audit is None:
        return ()
    names, settings = tuple(name for name, _ in audit.files) or FILES, workspace.operations["audit"]
    files = [workspace.root / name for name in names]
    if not all(file.is_file() for file in files):
        return ()
    if audit.files == hash_map_files(workspace, *files) and audit.operations == settings.fingerprint:
        return ()
    given = "" if names == FILES else f" {names[0]} --skus {names[1]}"
    command = f"fieldloop audit{given}{' --measured' if held.measured else ''}"
    try:
        edited = _find_edited_files(held, files, settings)
    except BadInput as wrong:
        return (note("audit.map_unreadable", error=str(wrong), command="fieldloop audit"),)
    if not edited:
        return ()
    return (note("audit.map_changed", note("audit.run", command=command), files=tuple(edited), command=command),)


def _find_edited_files(held: Deployment, files: Sequence[Path], settings: Section) -> list[str | Note]:
    """Name the files whose content differs from the map in force."""
    chart, catalogue = files
    now = parse_deployment_map(
        read_text(chart), read_text(catalogue), settings, map_file=chart.name, skus_file=catalogue.name
    )
    as_mapped = replace(held, measured=(), measured_weight=now.measured_weight)
    edited: list[str | Note] = [chart.name] if replace(now, skus=()) != replace(as_mapped, skus=()) else []
    if _remove_tiers(now) != _remove_tiers(held):
        edited.append(catalogue.name)
    elif now.skus != held.skus:
        edited.append(note("audit.cut_of_tiers"))
    return edited


def _remove_tiers(deployment: Deployment) -> tuple[Sku, ...]:
    return tuple(replace(sku, tier="") for sku in deployment.skus)


def _hash_file(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
