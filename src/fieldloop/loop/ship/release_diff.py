"""Compare two releases, or two datasets without a workspace: what came, what went, and what shifted."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.loop.data.as_frozen import find_labels_as_frozen, find_release_episodes
from fieldloop.loop.data.mapping import find_mapping_in_force
from fieldloop.loop.ship.release import find_release
from fieldloop.loop.ship.release_or_path import find_release_or_path
from fieldloop.loop.ship.sketches import sketch_release
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeRestored, EpisodeSetAside, LogIngested
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import Note, note
from fieldloop.model.release import Release
from fieldloop.model.release_diff import ReleaseDiff
from fieldloop.protocol import Operations, default_operations
from fieldloop.release import Side, compare_sides, make_release_side
from fieldloop.release.difference import DiffTerms
from fieldloop.release.felt import sketch_recording


class Values(Enum):
    """Of which episodes values are compared."""

    NONE = "none"
    KEPT = "kept"
    ALL = "all"


def compare_two_releases(
    workspace: Workspace | None,
    older: str,
    newer: str,
    *,
    html: Path | None = None,
    facts_only: bool = False,
    kept_only: bool = False,
    track: Track = track_silently,
) -> ReleaseDiff:
    """List what changed between two releases, or two datasets: episodes and why, labels, splits, shifts, features.

    Arguments:
        older: the older release (id, a unique beginning of it, or name), or a log or dataset folder
        newer: the newer release, or a log or dataset folder
        html: also write the difference as an HTML page
        facts_only: compare no values, so that no log is opened
        kept_only: compare values only of episodes whose values were read before, so that no log is opened
    """
    asked = [find_release_or_path(workspace, name) for name in (older, newer)]
    read = Values.NONE if facts_only else Values.KEPT if kept_only else Values.ALL
    operations = workspace.operations if workspace else default_operations()
    old, new = (_make_side(workspace, one, read, track) for one in asked)
    if workspace is not None and all(isinstance(one, Release) for one in asked):
        old, new = _explain_absence(workspace, old, new), _explain_absence(workspace, new, old)
    made = compare_sides(old, new, _read_terms(operations))
    if html is None:
        return made
    from fieldloop.report.release_diff import render_release_diff

    write_atomically(html, render_release_diff(made))
    return replace(made, html=str(html))


def _read_terms(operations: Operations) -> DiffTerms:
    settings = operations["release"]
    return DiffTerms(settings.number("diff_alpha"), int(settings.number("diff_draws")), settings.number("felt_shift"))


def _make_side(workspace: Workspace | None, one: Release | Path, read: Values, track: Track) -> Side:
    if workspace is not None and isinstance(one, Release):
        return _make_release_side(workspace, one, read)
    return _read_dataset_side(Path(str(one)), workspace, values=read is Values.ALL, track=track)


def _read_dataset_side(path: Path, workspace: Workspace | None, *, values: bool, track: Track) -> Side:
    log = open_log(path, find_mapping_in_force(workspace, None))
    episodes: dict[str, Episode] = {}
    sketches = {}
    for recording in track(log.recordings, f"reading {path.name}", log.expected_recordings):
        episodes[recording.episode.id] = recording.episode
        if values:
            sketches[recording.episode.id] = sketch_recording(recording)
    if not episodes:
        raise BadInput(f"{path} has no episode that can be read. See what is wrong: fieldloop check {path}")
    split = {e.id: part for e in episodes.values() if (part := e.get_fact("split"))}
    content = compute_content_id(sorted(key.encode() for key in episodes))
    return Side(path.name, content, tuple(episodes.values()), split, sketches=sketches)


def _make_release_side(workspace: Workspace, release: Release, read: Values) -> Side:
    episodes = tuple(find_release_episodes(workspace, release))
    labels: dict[str, list[Annotation]] = {}
    for span in find_labels_as_frozen(workspace, release):
        labels.setdefault(span.episode, []).append(span)
    kept_only = read is Values.KEPT
    sketches = {} if read is Values.NONE else sketch_release(workspace, release, episodes, kept_only=kept_only)
    return replace(
        make_release_side(release, episodes),
        labels={key: tuple(spans) for key, spans in labels.items()},
        sketches=sketches,
    )


def _explain_absence(workspace: Workspace, side: Side, other: Side) -> Side:
    """Add why episodes of the other release are not in this one: set aside, not selected, or not yet ingested."""
    release = find_release(workspace, side.id)
    missing = {e.id: e for e in other.episodes} if other.id != side.id else {}
    for key in (e.id for e in side.episodes):
        missing.pop(key, None)
    reasons = dict(_list_reasons(workspace, release, missing))
    return replace(side, absent={**reasons, **side.absent})


def _list_reasons(workspace: Workspace, release: Release, missing: Mapping[str, Episode]) -> Iterator[tuple[str, Note]]:
    frozen_at = workspace.store.views.get_last_stating_seq(Release, release.id)
    if not missing or frozen_at is None:
        return
    if release.query:
        yield from ((key, note("release.diff_not_selected", query=" ".join(release.query))) for key in missing)
    elif release.plan:
        yield from ((key, note("release.diff_not_of_plan", plan=release.plan)) for key in missing)
    yield from _list_set_aside(workspace, frozen_at, missing)
    for recorded in workspace.store.events(LogIngested, frozen_at):
        yield from ((e.id, note("release.diff_ingested_later")) for e in recorded.event.episodes if e.id in missing)


def _list_set_aside(workspace: Workspace, until: int, missing: Iterable[str]) -> Iterator[tuple[str, Note]]:
    """Yield the missing episodes that were set aside when the release was frozen."""
    events = [
        *((r.seq, r.event.episode, r.event.reason) for r in workspace.store.events(EpisodeSetAside)),
        *((r.seq, r.event.episode, "") for r in workspace.store.events(EpisodeRestored)),
    ]
    aside = {episode: reason for seq, episode, reason in sorted(events) if seq <= until}  # the last one counts
    yield from ((key, note("release.diff_set_aside", reason=aside[key])) for key in missing if aside.get(key))
