"""One release with its datasheet."""

from dataclasses import dataclass

from fieldloop.loop.ship.release import datasheet, named
from fieldloop.loop.workspace import Workspace
from fieldloop.model.release import Release


@dataclass(frozen=True, slots=True)
class ReleaseShown:
    """One release and its datasheet in Markdown."""

    release: Release
    datasheet: str


def show_release(workspace: Workspace, release: str) -> ReleaseShown:
    """Show one release: its episodes, shares, exclusions and datasheet.

    Arguments:
        release: id, beginning of it, or name
    """
    known = named(workspace, release)
    return ReleaseShown(known, datasheet(workspace, known.id))
