"""House conventions: propose a mapping for logs, and find the one that holds."""

from itertools import chain
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.ingest import LogMapping, open_log, parse_mapping, propose
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Log

FILE = "mapping.toml"


def mapping(paths: tuple[Path, ...], *, out: Path | None = None) -> str:
    """Propose a mapping file for logs: what their topics are called here, their units and frames, each with a reason.

    Arguments:
        paths: log files, dataset folders, or folders of logs
        out: write the proposal to this file, such as mapping.toml in the workspace; it must not be there yet
    """
    if not paths:
        raise BadInput("Name at least one log or folder.")
    recordings = chain.from_iterable(open_log(path).recordings for path in paths)
    text = propose(recordings, ", ".join(path.name for path in paths))
    if out is not None:
        if out.exists():
            raise BadInput(f"{out} is there already. Somebody may have edited it: give another name.")
        out.write_text(text, encoding="utf-8")
        return f"Written to {out}. Read it and edit it; it holds once it is mapping.toml of a workspace, or named."
    return text


def mapping_in_force(workspace: Workspace | None, file: Path | None) -> LogMapping | None:
    """Return the mapping of a file, else the workspace's own mapping.toml, else none."""
    if file is None and workspace is not None and (workspace.root / FILE).is_file():
        file = workspace.root / FILE
    if file is None:
        return None
    try:
        return parse_mapping(file.read_text(encoding="utf-8"), file.name)
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadInput(f"{file} cannot be read as a mapping: {wrong}.") from wrong


def mapping_of(workspace: Workspace, log: Log) -> LogMapping | None:
    """Return the mapping under which a log was taken in; it holds for that log for ever."""
    if not log.mapping:
        return None
    return parse_mapping(workspace.shelf.read(log.mapping).decode(), f"mapping {log.mapping[:12]}")


def shelve_mapping(workspace: Workspace, mapping: LogMapping | None) -> str:
    """Put a mapping's text on the shelf, so that the log can always be read as it was taken in."""
    return workspace.shelf.put_bytes(mapping.text.encode()).sha256 if mapping else ""
