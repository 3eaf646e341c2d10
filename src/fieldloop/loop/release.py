"""Freeze what passed into releases."""

from dataclasses import replace

from fieldloop.annotate import taxonomy
from fieldloop.errors import Refused
from fieldloop.loop.annotate import PHASE
from fieldloop.loop.audit import latest_deployment
from fieldloop.loop.synchronisation import require_verified
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import ReleaseExported, ReleaseFrozen
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.fix import FixKind
from fieldloop.model.release import Release
from fieldloop.release import ReleaseDiff, Terms, assemble
from fieldloop.release import datasheet as describe
from fieldloop.release import diff as compare


def release(
    workspace: Workspace, name: str, *, seed: int = 0, fix: tuple[FixKind, ...] = (), override: str = ""
) -> Release:
    """Freeze every accepted and annotated episode into an immutable release.

    Arguments:
        name: what people call it, such as r7
        seed: for the split; the same seed and episodes give the same release
        fix: make the repairs of these kinds that checks proposed (trim, restamp), and take in what they put right
        override: go on over devices whose time nobody verified; who and why is recorded
    """
    words = taxonomy()
    terms = Terms(
        protocol=workspace.protocol().label,
        taxonomy=f"{words.name} v{words.version}",
        exposures=latest_deployment(workspace).exposures,
        seed=seed,
        fix=fix,
    )
    offered = workspace.store.find(Episode)
    frozen = assemble(
        name,
        offered,
        workspace.store.find(EpisodeReport),  # oldest first, so that the last judgement counts
        workspace.store.find(Annotation, {"kind": PHASE}),
        terms,
        workspace.operations["release"],
    )
    if known := workspace.store.find(Release, {"id": frozen.id}):
        if known[0].name != name:
            raise Refused(
                f"These episodes are release {known[0].name} already ({frozen.id[:12]}); nothing new to freeze."
            )
        return known[0]
    inside = set(frozen.episodes)
    over = require_verified(workspace, (e for e in offered if e.id in inside), override)
    frozen = replace(frozen, override=over)
    workspace.write(ReleaseFrozen(frozen))
    return frozen


def releases(workspace: Workspace) -> tuple[Release, ...]:
    """List releases, newest first."""
    return tuple(workspace.store.find(Release, newest=True))


def diff(workspace: Workspace, older: str, newer: str) -> ReleaseDiff:
    """Say what changed from one release to another.

    Arguments:
        older: id, beginning of it, or name
        newer: id, beginning of it, or name
    """
    return compare(named(workspace, older), named(workspace, newer))


def datasheet(workspace: Workspace, release: str) -> str:
    """Write a release's datasheet as Markdown.

    Arguments:
        release: id, beginning of it, or name
    """
    frozen = named(workspace, release)
    exported = [r.event for r in workspace.store.events(ReleaseExported) if r.event.release == frozen.id]
    return describe(frozen, workspace.store.find(Episode, {"id": list(frozen.episodes)}), exported)


def named(workspace: Workspace, release: str) -> Release:
    """Find a release by name (the newest of that name) or id."""
    by_name = workspace.store.find(Release, {"name": release}, newest=True, limit=1)
    return by_name[0] if by_name else workspace.store.get(Release, release)
