"""Propose a mapping for logs, and find the mapping in force."""

from itertools import chain
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.ingest import LogMapping, open_log, parse_mapping, propose_mapping
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Log
from fieldloop.text_files import read_text

FILE = "mapping.toml"


def propose_mapping_file(paths: tuple[Path, ...], *, out: Path | None = None) -> str:
    """Propose a mapping file for logs: names, units and frames of their streams, each with a reason.

    Arguments:
        paths: log files, dataset folders, or folders of logs
        out: write the proposal to this new file, such as mapping.toml in the workspace
    """
    if not paths:
        raise BadInput("Name at least one log or folder.")
    recordings = chain.from_iterable(open_log(path).recordings for path in paths)
    text = propose_mapping(recordings, ", ".join(path.name for path in paths))
    if out is not None:
        if out.exists():
            raise BadInput(f"{out} already exists and may have been edited. Choose another name.")
        out.write_text(text, encoding="utf-8")
        return f"Written to {out}. Read it and edit it; it holds once it is mapping.toml of a workspace, or named."
    return text


def find_mapping_in_force(workspace: Workspace | None, file: Path | None) -> LogMapping | None:
    """Return the mapping of a file, else the workspace's own mapping.toml, else none."""
    if file is None and workspace is not None and (workspace.root / FILE).is_file():
        file = workspace.root / FILE
    if file is None:
        return None
    return parse_mapping(read_text(file), file.name)


def find_mapping_of_log(workspace: Workspace, log: Log) -> LogMapping | None:
    """Return the mapping under which a log was ingested; it stays in force for that log."""
    if not log.mapping:
        return None
    return parse_mapping(workspace.shelf.read(log.mapping).decode(), f"mapping {log.mapping[:12]}")


def shelve_mapping(workspace: Workspace, mapping: LogMapping | None) -> str:
    """Store a mapping's text, so that the log can always be read as it was ingested."""
    return workspace.shelf.put_bytes(mapping.text.encode()).sha256 if mapping else ""
