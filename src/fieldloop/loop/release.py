"""Freeze what passed into releases."""

import hashlib
import json

from fieldloop.annotate import taxonomy
from fieldloop.loop.annotate import PHASE
from fieldloop.loop.audit import latest_deployment
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.event import ReleaseFrozen
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.release import Release
from fieldloop.release import Difference, assemble
from fieldloop.release import datasheet as describe
from fieldloop.release import diff as compare


def release(workspace: Workspace, name: str, *, seed: int = 0) -> Release:
    """Freeze every accepted and annotated episode into an immutable release.

    Arguments:
        name: what people call it, such as r7
        seed: for the split; the same seed and episodes give the same release
    """
    episodes = workspace.store.find(Episode)
    reports = {report.episode: report for report in workspace.store.find(EpisodeReport)}  # later ones replace earlier
    spans = workspace.store.find(Annotation, {"kind": PHASE})
    words = taxonomy()
    frozen = assemble(
        name=name,
        episodes=episodes,
        reports=list(reports.values()),
        annotations=spans,
        annotations_sha256=_digest(spans),
        exposures=latest_deployment(workspace).exposures,
        protocol=workspace.protocol().label,
        taxonomy=f"{words.name} v{words.version}",
        settings=workspace.operations["release"],
        seed=seed,
    )
    workspace.write(ReleaseFrozen(frozen))
    return frozen


def releases(workspace: Workspace) -> tuple[Release, ...]:
    """List releases, newest first."""
    return tuple(workspace.store.find(Release, newest=True))


def diff(workspace: Workspace, older: str, newer: str) -> Difference:
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
    chosen = set(frozen.episodes)
    return describe(frozen, [e for e in workspace.store.find(Episode) if e.id in chosen])


def named(workspace: Workspace, release: str) -> Release:
    """Find a release by name (the newest of that name) or id."""
    by_name = workspace.store.find(Release, {"name": release}, newest=True, limit=1)
    return by_name[0] if by_name else workspace.store.get(Release, release)


def _digest(spans: list[Annotation]) -> str:
    lines = sorted(json.dumps(to_plain(span), sort_keys=True) for span in spans)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
