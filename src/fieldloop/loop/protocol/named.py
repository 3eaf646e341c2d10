"""Find a protocol by file, example, task of the workspace, or locked version."""

from importlib.resources import files
from pathlib import Path

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.protocol.versions import AT, locked_version
from fieldloop.loop.workspace import Workspace
from fieldloop.protocol import CollectionProtocol, default_protocol, parse_protocol
from fieldloop.text_files import read_text

SHIPPED = "shipped"
EXAMPLES = "examples"


def protocol_named(workspace: Workspace | None, asked: str, *, as_written: bool = False) -> CollectionProtocol:
    """Return a protocol by a task's name, `name@version`, an example's name or `shipped`; '' is the workspace's.

    `as_written` returns a task's file even where it changes a locked version, for viewing only.
    """
    if asked == SHIPPED or (not asked and workspace is None):
        return default_protocol()
    if workspace is not None and AT in asked:
        return locked_version(workspace, asked)
    if workspace is not None and (not asked or asked in workspace.protocols):
        task = asked or workspace.task
        return (
            workspace.protocols.as_written(task)
            if as_written and task in workspace.protocols
            else workspace.protocol(task)
        )
    if asked in example_names():
        return parse_protocol(example_text(asked), f"the example {asked}")
    known = [SHIPPED, *example_names(), *(workspace.protocols if workspace else ())]
    raise BadInput(f"{UnknownName('protocol', asked, known)} Known: {', '.join(known)}; a locked one is name@version.")


def protocol_at(workspace: Workspace | None, asked: Path | None, *, as_written: bool = False) -> CollectionProtocol:
    """Return a protocol by its file, or by a name as `protocol_named` knows it; None is the workspace's own."""
    if asked is None:
        return protocol_named(workspace, "", as_written=as_written)
    if asked.is_file() or asked.suffix == ".toml" or len(asked.parts) > 1:
        return parse_protocol(read_text(asked), str(asked))
    return protocol_named(workspace, str(asked), as_written=as_written)


def example_names() -> list[str]:
    """List the example protocols that come with fieldloop."""
    folder = files("fieldloop.protocol").joinpath(EXAMPLES)
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def example_text(name: str) -> str:
    """Return the text of an example."""
    if name not in example_names():
        raise UnknownName("example", name, example_names())
    return files("fieldloop.protocol").joinpath(EXAMPLES, f"{name}.toml").read_text(encoding="utf-8")
