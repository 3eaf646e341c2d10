"""Freeze accepted episodes into releases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fieldloop.check.corpus.near import group_near_duplicates
from fieldloop.errors import Refused, UnknownName
from fieldloop.loop.annotate.in_force import find_taxonomy
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.collect.synchronisation import require_verified_clocks
from fieldloop.loop.data.as_frozen import find_release_episodes
from fieldloop.loop.data.measurements import IN_USE, assemble_batch
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.ship.taxonomy_lock import is_locked
from fieldloop.loop.ship.verify_fixes import find_episodes_still_failing
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import ReleaseExported, ReleaseFrozen
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.fix import FixKind
from fieldloop.model.note import Note, note
from fieldloop.model.release import Release
from fieldloop.release import ReleaseDiff, Terms, assemble_release
from fieldloop.release import compare_releases as compare
from fieldloop.release.assemble import NothingToRelease
from fieldloop.release.fixes import select_fixes
from fieldloop.report.datasheet import write_datasheet as describe
from fieldloop.say import write_sentence
from fieldloop.say.refusals import write_refusal

MOST_REASONS, MOST_LISTED = 3, 12


def freeze_release(
    workspace: Workspace,
    name: str,
    *,
    seed: int = 0,
    fix: tuple[FixKind, ...] = (),
    apart: tuple[str, ...] = (),
    unlabelled: bool = False,
    override: str = "",
) -> Release:
    """Freeze every accepted episode into an immutable release.

    Once the taxonomy is locked (by the first `annotate`), episodes without phases stay out. Sessions and
    near-duplicates are never on both sides of its split. Repaired episodes are measured and judged once more; an
    episode that still fails stays out.

    Arguments:
        name: name of the release, such as r7
        seed: seed of the split; the same seed and episodes give the same release
        fix: apply proposed fixes of these kinds (trim, restamp), and include the episodes that they repair
        apart: put each operator, or each object, into either training or validation, never both
        unlabelled: include episodes without phases although the taxonomy is locked
        override: reason to release although clocks were not verified; recorded with your name
    """
    words = find_taxonomy(workspace)
    labelled = is_locked(workspace, words)
    offered = workspace.store.find(Episode, IN_USE)
    terms = Terms(
        protocol=workspace.protocol().label,
        taxonomy=f"{words.name} v{words.version}" if labelled else "",
        phases_required=not unlabelled,
        exposures=require_latest_deployment(workspace).exposures,
        seed=seed,
        fix=fix,
        apart=tuple(dict.fromkeys(("session", *apart))),
        together=_group_near_duplicates(workspace, offered),
    )
    frozen = _assemble_release(workspace, name, offered, terms)
    if known := workspace.store.find(Release, {"id": frozen.id}):
        if known[0].name != name:
            raise Refused(
                f"These episodes are release {known[0].name} already ({frozen.id[:12]}). No new release was made."
            )
        return known[0]
    if other := workspace.store.find(Release, {"name": name}, newest=True, limit=1):
        raise Refused(
            f"{name} is another release already ({other[0].id[:12]}, {len(other[0].episodes)} episodes). "
            "Choose another name."
        )
    inside = set(frozen.episodes)
    over = require_verified_clocks(workspace, (e for e in offered if e.id in inside), override)
    frozen = replace(frozen, override=over)
    workspace.write(ReleaseFrozen(frozen))
    return frozen


def _assemble_release(workspace: Workspace, name: str, offered: Sequence[Episode], terms: Terms) -> Release:
    """Assemble a release; again without the episodes that its repairs do not fix."""
    reports = workspace.store.find(EpisodeReport)  # oldest first, so that the last judgement counts
    spans, settings = workspace.store.find(Annotation, {"kind": PHASE}), workspace.operations["release"]
    try:
        first = assemble_release(name, offered, reports, spans, terms, settings)
        wrong = find_episodes_still_failing(workspace, first, {report.episode: report for report in reports})
        return (
            assemble_release(name, offered, reports, spans, replace(terms, still_wrong=wrong), settings)
            if wrong
            else first
        )
    except NothingToRelease as nothing:
        last = {report.episode: report for report in reports}
        reasons = tuple(note_held_back_episodes(workspace, offered, nothing.excluded, last))
        listed = [write_sentence(reason) for reason in reasons] or ["No episode was offered."]
        more = len(nothing.excluded) - len(reasons)
        after = (f"… and {more} more. All: fieldloop check",) if more > 0 else ()
        raise Refused(write_refusal(str(nothing).rstrip("."), listed, *after), reasons) from nothing


def note_held_back_episodes(
    workspace: Workspace,
    offered: Sequence[Episode],
    excluded: Sequence[tuple[str, Note]],
    reports: Mapping[str, EpisodeReport],
) -> Iterator[Note]:
    """Name the first episodes that stay out, each with its finding, fixes to accept, and the key and file of the limit.

    An episode that was judged again after its fixes has none left to accept.
    """
    known = {episode.id: episode for episode in offered}
    for key, why in excluded[:MOST_REASONS]:
        check, episode = dict(why.numbers).get("check"), known[key]
        fixes = select_fixes(reports[key], FixKind) if why.code == "release.not_passed" and key in reports else None
        yield note(
            "release.held_back",
            episode=episode.name,
            why=why,
            key=f"check.{check}" if check else None,
            file=f"protocols/{episode.task or workspace.settings['task']}.toml" if check else None,
            fixes=" ".join(sorted({f"--fix {fix.kind.value}" for fix in fixes or ()})) or None,
        )


def _group_near_duplicates(workspace: Workspace, episodes: Sequence[Episode]) -> tuple[tuple[str, ...], ...]:
    """Return the ids of episodes that go nearly the same way, group by group: only what was kept of them is read."""
    batch = assemble_batch(workspace, [(episode, ()) for episode in episodes], require_protocol_in_force(workspace))
    return tuple(tuple(sorted(episode.id for episode in group)) for group in group_near_duplicates(batch))


def list_releases(workspace: Workspace) -> tuple[Release, ...]:
    """List releases, newest first."""
    return tuple(workspace.store.find(Release, newest=True))


def compare_two_releases(workspace: Workspace, older: str, newer: str) -> ReleaseDiff:
    """List what changed from one release to another.

    Arguments:
        older: the older release: id, a unique beginning of it, or name
        newer: the newer release: id, a unique beginning of it, or name
    """
    return compare(find_release(workspace, older), find_release(workspace, newer))


def write_release_datasheet(workspace: Workspace, release: str) -> str:
    """Write a release's datasheet as Markdown.

    Arguments:
        release: the release's id, a unique beginning of it, or its name
    """
    frozen = find_release(workspace, release)
    exported = [r.event for r in workspace.store.events(ReleaseExported) if r.event.release == frozen.id]
    return describe(frozen, find_release_episodes(workspace, frozen), exported)


def find_release(workspace: Workspace, release: str) -> Release:
    """Find a release by name (the newest of that name) or id."""
    by_name = workspace.store.find(Release, {"name": release}, newest=True, limit=1)
    try:
        return by_name[0] if by_name else workspace.store.get(Release, release)
    except UnknownName as unknown:
        names = [known.name for known in workspace.find_all(Release)]
        listed = ", ".join(names[:MOST_LISTED]) or "none yet; freeze one with `fieldloop release NAME`"
        raise UnknownName("release", release, names, listed) from unknown
