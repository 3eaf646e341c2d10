"""Find a protocol by file, example, task of the workspace, or locked version."""

from importlib.resources import files
from pathlib import Path

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.protocol.versions import AT, read_locked_version
from fieldloop.loop.workspace import Workspace
from fieldloop.protocol import CollectionProtocol, default_protocol, parse_protocol
from fieldloop.text_files import read_text

SHIPPED = "shipped"
EXAMPLES = "examples"


def find_protocol_by_name(workspace: Workspace | None, asked: str, *, as_written: bool = False) -> CollectionProtocol:
    """Return a protocol by a task's name, `name@version`, an example's name or `shipped`; '' is the workspace's.

    `read_as_written` returns a task's file even where it changes a locked version, for viewing only.
    """
    if asked == SHIPPED or (not asked and workspace is None):
        return default_protocol()
    if workspace is not None and AT in asked:
        return read_locked_version(workspace, asked)
    if workspace is not None and (not asked or asked in workspace.protocols):
        task = asked or workspace.task
        return (
            workspace.protocols.read_as_written(task)
            if as_written and task in workspace.protocols
            else workspace.protocol(task)
        )
    if asked in list_example_protocols():
        return parse_protocol(read_example_protocol(asked), f"the example {asked}")
    known = [SHIPPED, *list_example_protocols(), *(workspace.protocols if workspace else ())]
    raise BadInput(f"{UnknownName('protocol', asked, known)} Known: {', '.join(known)}; a locked one is name@version.")


def find_protocol_by_file_or_name(
    workspace: Workspace | None, asked: Path | None, *, as_written: bool = False
) -> CollectionProtocol:
    """Return a protocol by its file, or by a name as `protocol_named` knows it; None is the workspace's own."""
    if asked is None:
        return find_protocol_by_name(workspace, "", as_written=as_written)
    if asked.is_file() or asked.suffix == ".toml" or len(asked.parts) > 1:
        return parse_protocol(read_text(asked), str(asked))
    return find_protocol_by_name(workspace, str(asked), as_written=as_written)


def list_example_protocols() -> list[str]:
    """List the example protocols that come with fieldloop."""
    folder = files("fieldloop.protocol").joinpath(EXAMPLES)
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def read_example_protocol(name: str) -> str:
    """Return the text of an example."""
    if name not in list_example_protocols():
        raise UnknownName("example", name, list_example_protocols())
    return files("fieldloop.protocol").joinpath(EXAMPLES, f"{name}.toml").read_text(encoding="utf-8")
