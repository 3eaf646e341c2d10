"""One release with its datasheet."""

from dataclasses import dataclass

from fieldloop.loop.ship.release import find_release, write_release_datasheet
from fieldloop.loop.workspace import Workspace
from fieldloop.model.release import Release


@dataclass(frozen=True, slots=True)
class ReleaseShown:
    """One release and its datasheet in Markdown."""

    release: Release
    datasheet: str


def show_release(workspace: Workspace, release: str) -> ReleaseShown:
    """Show one release: its episodes, shares, excluded episodes and datasheet.

    Arguments:
        release: the release's id, a unique beginning of it, or its name
    """
    known = find_release(workspace, release)
    return ReleaseShown(known, write_release_datasheet(workspace, known.id))
