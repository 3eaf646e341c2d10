"""Episodes and logs as a release was frozen with them: what was read or labelled anew since does not change it."""

from collections.abc import Iterator, Sequence

from fieldloop.annotate import NO_ATTEMPTS, Attempts, choose_labels, choose_labels_by_name
from fieldloop.errors import Refused
from fieldloop.loop.data.attempts import find_attempts
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode, Log
from fieldloop.model.event import EpisodeAnnotated, EpisodeRelabelled, LogReadAgain, ReleaseFrozen
from fieldloop.model.release import Release
from fieldloop.release import compute_labels_id


def find_release_episodes(workspace: Workspace, release: Release, chosen: Sequence[str] | None = None) -> list[Episode]:
    """Return the episodes of a release, or some of them, with the facts that they had when it was frozen."""
    wanted = list(release.episodes if chosen is None else chosen)
    found = workspace.store.find(Episode, {"id": wanted}) if wanted else []
    frozen_at = workspace.store.views.get_last_stating_seq(Release, release.id)
    if frozen_at is None:
        return found
    return _restore_earlier_facts(found, _list_changed_facts(workspace, frozen_at), frozen_at)


def find_episodes_of_releases(workspace: Workspace) -> Iterator[tuple[Release, list[Episode]]]:
    """Yield every release, newest first, with its episodes as it was frozen; changes since are read once for all."""
    frozen_at = {recorded.event.release.id: recorded.seq for recorded in workspace.store.events(ReleaseFrozen)}
    releases = workspace.find_all(Release)
    wanted = {episode for release in releases for episode in release.episodes}
    found = {one.id: one for one in workspace.store.find(Episode) if one.id in wanted}
    changed = _list_changed_facts(workspace, min(frozen_at.values(), default=0)) if releases else []
    for release in releases:
        now = [found[episode] for episode in release.episodes if episode in found]
        yield release, _restore_earlier_facts(now, changed, frozen_at[release.id])


def _list_changed_facts(workspace: Workspace, after: int) -> list[tuple[int, Episode]]:
    """Return what episodes were before each change since a moment, in the order of the changes."""
    changes = [
        *((r.seq, (r.event.before,)) for r in workspace.store.events(EpisodeRelabelled, after)),
        *((r.seq, r.event.episodes_before) for r in workspace.store.events(LogReadAgain, after)),
    ]
    ordered = sorted(changes, key=lambda change: change[0])
    return [(seq, episode) for seq, episodes in ordered for episode in episodes]


def _restore_earlier_facts(
    episodes: Sequence[Episode], changed: Sequence[tuple[int, Episode]], frozen_at: int
) -> list[Episode]:
    earlier: dict[str, Episode] = {}
    for seq, episode in changed:
        if seq > frozen_at:
            earlier.setdefault(episode.id, episode)  # the first change after it was frozen knows what it was before
    return [earlier.get(episode.id, episode) for episode in episodes]


def find_logs_as_frozen(workspace: Workspace, logs: Sequence[Log], release: Release | None) -> list[Log]:
    """Return logs as they were read when a release was frozen; as they are read now without one."""
    frozen_at = workspace.store.views.get_last_stating_seq(Release, release.id) if release else None
    if frozen_at is None:
        return list(logs)
    earlier: dict[str, Log] = {}
    for recorded in workspace.store.events(LogReadAgain, frozen_at):
        earlier.setdefault(recorded.event.before.blob.sha256, recorded.event.before)
    return [earlier.get(log.blob.sha256, log) for log in logs]


def find_labels_as_frozen(workspace: Workspace, release: Release) -> list[Annotation]:
    """Return the labels that a release was frozen with, as they were then; refuse others in their place."""
    found = find_matching_labels(workspace, release)
    if found is None:
        raise Refused(
            f"The labels on record are not those that {release.name} was frozen with. See what changed: "
            f"fieldloop release verify {release.name}"
        )
    return found


def find_matching_labels(workspace: Workspace, release: Release) -> list[Annotation] | None:
    """Return the labels that a release was frozen with, None where the record states others.

    The labels in force are tried first: a replay reads every label that was ever handed in.
    """
    in_force = workspace.store.find(Annotation, {"episode": list(release.episodes)}) if release.episodes else []
    found = match_release_labels(in_force, release, find_attempts(workspace))
    if found is None:
        found = match_release_labels(replay_labels(workspace, release), release, find_attempts_then(workspace, release))
    return None if found is None else sorted(found, key=lambda span: (span.episode, span.kind, span.start_ns))


def replay_labels(workspace: Workspace, release: Release) -> list[Annotation]:
    """Return all labels of a release's episodes as the record states them for the moment when it was frozen."""
    frozen_at = workspace.store.views.get_last_stating_seq(Release, release.id)
    inside, labels = set(release.episodes), dict[tuple[str, str, str], tuple[Annotation, ...]]()
    for recorded in workspace.store.events(EpisodeAnnotated):
        if frozen_at is not None and recorded.seq > frozen_at:
            break
        made = recorded.event
        if made.episode in inside:
            labels.pop((made.episode, made.kind, made.author), None)  # who submits again is listed last
            labels[made.episode, made.kind, made.author] = made.annotations
    return [span for spans in labels.values() for span in spans]


def find_attempts_then(workspace: Workspace, release: Release) -> Attempts:
    """Return whose labels did not count at the moment when a release was frozen."""
    return find_attempts(workspace, workspace.store.views.get_last_stating_seq(Release, release.id))


def match_release_labels(
    labels: Sequence[Annotation], release: Release, attempts: Attempts = NO_ATTEMPTS
) -> list[Annotation] | None:
    """Return the labels that a release was frozen with, None where these are others.

    A release takes the labels that count, of every kind. Earlier ones took attempts on a calibration set too, those of
    the first author by name, or phases only, of every author or those that count.
    """
    for chosen in (choose_labels(labels, attempts), *_list_earlier_choices(labels)):
        if compute_labels_id(chosen) == release.annotations_sha256:
            return chosen
    return None


def _list_earlier_choices(labels: Sequence[Annotation]) -> Iterator[list[Annotation]]:
    """Yield what a release takes of these labels, by earlier rules."""
    yield choose_labels(labels)
    yield choose_labels_by_name(labels)
    phases = [label for label in labels if label.kind == PHASE]
    yield phases
    yield choose_labels_by_name(phases)
