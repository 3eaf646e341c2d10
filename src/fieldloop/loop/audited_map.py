"""Is the map in force still what its files say? What was edited since counts only once it is audited."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fieldloop.audit import parse
from fieldloop.errors import BadInput
from fieldloop.loop.whole_file import read_whole
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Audit, Deployment, Sku
from fieldloop.protocol import Section

FILES = ("deployment.toml", "skus.csv")
"""The map and the catalogue of a workspace, where the audit does not name others."""


def files_of(workspace: Workspace, *files: Path) -> tuple[tuple[str, str], ...]:
    """Name files as an audit keeps them, by the way from the workspace where they lie in it, each with its digest."""
    root, told = workspace.root.resolve(), [file.resolve() for file in files]
    names = (str(file.relative_to(root) if file.is_relative_to(root) else file) for file in told)
    return tuple((name, _digest(file)) for name, file in zip(names, told, strict=True))


def map_changed(workspace: Workspace) -> tuple[str, ...]:
    """Say which file of the map in force was edited since it was audited, and what to run; nothing where none was.

    Files are compared by what they say, so that a comment is no change; where they are gone there is nothing to say.
    """
    held: Deployment | None = workspace.newest(Deployment)
    audit: Audit | None = workspace.newest(Audit)
    if held is None or audit is None:
        return ()
    names, settings = tuple(name for name, _ in audit.files) or FILES, workspace.operations["audit"]
    files = [workspace.root / name for name in names]
    if not all(file.is_file() for file in files):
        return ()
    if audit.files == files_of(workspace, *files) and audit.operations == settings.fingerprint:
        return ()
    given = "" if names == FILES else f" {names[0]} --skus {names[1]}"
    run = f"Run: fieldloop audit{given}{' --measured' if held.measured else ''}"
    try:
        edited = _edited(held, files, settings)
    except BadInput as wrong:
        return (f"The map was edited after its audit and cannot be read now: {wrong} The audited one is in force.",)
    if not edited:
        return ()
    return (f"{' and '.join(edited)} changed after the audit, and the map as audited is still in force. {run}",)


def _edited(held: Deployment, files: Sequence[Path], settings: Section) -> list[str]:
    """Name the files that say something else than the map in force."""
    chart, catalogue = files
    now = parse(read_whole(chart), read_whole(catalogue), settings, map_file=chart.name, skus_file=catalogue.name)
    as_mapped = replace(held, measured=(), measured_weight=now.measured_weight)
    edited = [chart.name] if replace(now, skus=()) != replace(as_mapped, skus=()) else []
    if _untiered(now) != _untiered(held):
        edited.append(catalogue.name)
    elif now.skus != held.skus:
        edited.append("operations.toml (the cut of tiers)")
    return edited


def _untiered(deployment: Deployment) -> tuple[Sku, ...]:
    return tuple(replace(sku, tier="") for sku in deployment.skus)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
