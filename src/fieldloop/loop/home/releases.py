"""One release as pages show it: its contents, checks, exports and policies."""

from dataclasses import dataclass

from fieldloop.loop.data.as_frozen import find_matching_labels, find_release_episodes
from fieldloop.loop.ship.release import find_release, list_exports
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import ReleaseExported
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release
from fieldloop.model.release_contents import ReleaseContents
from fieldloop.release import count_contents
from fieldloop.report.datasheet import write_datasheet

MOST_OTHERS = 20


@dataclass(frozen=True, slots=True)
class ReleaseShown:
    """One release: its datasheet in Markdown, its contents, exports and policies, and the newest other releases."""

    release: Release
    datasheet: str
    contents: ReleaseContents
    exports: tuple[ReleaseExported, ...]
    policies: tuple[PolicyVersion, ...]
    others: tuple[tuple[str, str], ...]
    """Ids and names of other releases, newest first."""
    labels_changed: bool = False
    """Are the labels on record others than those it was frozen with? Then none of them are counted."""


def show_release(workspace: Workspace, release: str) -> ReleaseShown:
    """Show one release: its episodes, shares, checks, labels, excluded episodes, datasheet, exports and policies.

    Arguments:
        release: the release's id, a unique beginning of it, or its name
    """
    known = find_release(workspace, release)
    episodes, matched = find_release_episodes(workspace, known), find_matching_labels(workspace, known)
    labels = matched or []
    exports = tuple(list_exports(workspace, known))
    others = [(one.id, one.name) for one in workspace.find_all(Release) if one.id != known.id]
    return ReleaseShown(
        known,
        write_datasheet(known, episodes, exports, labels),
        count_contents(known, episodes, labels),
        exports,
        tuple(one for one in workspace.find_all(PolicyVersion) if one.release == known.id),
        tuple(others[:MOST_OTHERS]),
        labels_changed=matched is None,
    )
