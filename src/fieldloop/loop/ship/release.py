"""Freeze accepted episodes into releases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from fieldloop.annotate import choose_labels
from fieldloop.check.corpus.near import group_near_duplicates
from fieldloop.errors import ChangedMeanwhile, Refused, UnknownName
from fieldloop.loop.annotate.taxonomy.lock import find_locked_taxonomies
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.data.as_frozen import find_labels_as_frozen, find_release_episodes
from fieldloop.loop.data.attempts import find_attempts
from fieldloop.loop.data.measurements import assemble_batch
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.ship.offered import find_plan, select_offered_episodes
from fieldloop.loop.ship.release_reasons import judge_selection, list_release_reasons, require_reason, summarise_checks
from fieldloop.loop.ship.verify_fixes import find_episodes_still_failing
from fieldloop.loop.ship.worth import choose_least_valuable
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import ReleaseExported, ReleaseFrozen
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.fix import FixKind
from fieldloop.model.note import Note, note
from fieldloop.model.release import LeavingOut, Release
from fieldloop.model.worth import WorthMethod
from fieldloop.release import Terms, assemble_release, count_contents
from fieldloop.release.assemble import NothingToRelease
from fieldloop.release.fixes import select_fixes
from fieldloop.report.datasheet import write_datasheet as describe
from fieldloop.report.datasheet_page import render_datasheet
from fieldloop.say import write_sentence
from fieldloop.say.refusals import write_refusal
from fieldloop.store import Expected

MOST_REASONS, MOST_LISTED = 3, 12


def freeze_release(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace,
    name: str,
    *,
    where: tuple[str, ...] = (),
    plan: str = "",
    seed: int = 0,
    fix: tuple[FixKind, ...] = (),
    apart: tuple[str, ...] = (),
    unlabelled: bool = False,
    without_worst: float = 0.0,
    worst_by: WorthMethod = WorthMethod.SMOOTH,
    override: str = "",
) -> Release:
    """Freeze accepted episodes into an immutable release: all, those of a plan, or those that match a query.

    Once the taxonomy of its task is locked (by the first `annotate`), an episode without phases stays out. Sessions and
    near-duplicates are never on both sides of its split. Repaired episodes are measured and judged once more; an
    episode that still fails stays out. A release is refused, with all reasons, where a check of the selection fails, a
    device is undeclared, or its clock is not verified. Where several people labelled an episode and no lead decided,
    the labels handed in last count.

    Arguments:
        name: name of the release, such as r7
        where: only episodes with this condition, field or fact, such as site=hall-2, as in `ingest find`
        plan: only episodes that count for this plan: its number (1 is the first), id, or a unique beginning of it
        seed: seed of the split; the same seed and episodes give the same release
        fix: apply proposed fixes of these kinds (trim, restamp), and include the episodes that they repair
        apart: put each operator, or each object, into either training or validation, never both
        unlabelled: include episodes without phases although the taxonomy is locked
        without_worst: leave out this share of the episodes, those of least worth; refused unless trials show it helps
        worst_by: how worth is estimated: smooth (how smoothly the hand moved) or influence (on held-out episodes)
        override: reason to release in spite of all reasons against it; recorded with your name
    """
    began = workspace.last_seq()
    offered = select_offered_episodes(workspace, where, plan)
    batch = assemble_batch(workspace, [(episode, ()) for episode in offered], require_protocol_in_force(workspace))
    taxonomies = find_locked_taxonomies(workspace, sorted({episode.task for episode in offered}))
    terms = Terms(
        protocol=workspace.protocol().label,
        taxonomy=", ".join(dict.fromkeys(name for name in taxonomies.values() if name)),
        taxonomies=tuple(taxonomies.items()),
        phases_required=not unlabelled,
        exposures=require_latest_deployment(workspace).exposures,
        seed=seed,
        fix=fix,
        apart=tuple(dict.fromkeys(("session", *apart))),
        together=tuple(tuple(sorted(e.id for e in group)) for group in group_near_duplicates(batch)),
    )
    reports = {report.episode: report for report in workspace.store.find(EpisodeReport)}  # the last judgement counts
    made = (span for spans in (batch.annotations or {}).values() for span in spans)
    labels = choose_labels(made, find_attempts(workspace))
    frozen = _assemble_release(workspace, name, offered, terms, reports, labels)
    doubts: tuple[Note, ...] = ()
    if without_worst:
        worst, doubts = choose_least_valuable(workspace, frozen, without_worst, worst_by, override)
        left_out = LeavingOut(frozen.id, worst_by.value, without_worst)
        terms = replace(terms, worst=worst, left_out=left_out)
        frozen = _assemble_release(workspace, name, offered, terms, reports, labels)
    if known := _find_same_release(workspace, frozen):
        return known
    dataset = judge_selection(workspace, frozen, batch, unlabelled=unlabelled)
    inside = set(frozen.episodes)
    reasons = (*doubts, *list_release_reasons(workspace, [e for e in offered if e.id in inside], reports, dataset))
    over = require_reason(workspace, name, reasons, override)
    frozen = replace(
        frozen, query=where, plan=find_plan(workspace, plan).id if plan else "", override=over,
        overridden=reasons, checks=summarise_checks(began, frozen, reports, dataset),
    )  # fmt: skip
    try:
        workspace.write(ReleaseFrozen(frozen), expect=Expected(Release, began))
    except ChangedMeanwhile:  # another release was frozen meanwhile: perhaps this very one
        if known := _find_same_release(workspace, frozen):
            return known
        workspace.write(ReleaseFrozen(frozen), expect=Expected(Release, began, {"name": name}))
    return frozen


def _find_same_release(workspace: Workspace, frozen: Release) -> Release | None:
    """Return the release that these episodes are already; refuse another name for them, or a name that is taken."""
    if known := workspace.store.find(Release, {"id": frozen.id}):
        if known[0].name != frozen.name:
            raise Refused(
                f"These episodes are release {known[0].name} already ({frozen.id[:12]}). No new release was made."
            )
        return known[0]
    if other := workspace.store.find(Release, {"name": frozen.name}, newest=True, limit=1):
        raise Refused(
            f"{frozen.name} is another release already ({other[0].id[:12]}, {len(other[0].episodes)} episodes). "
            "Choose another name."
        )
    return None


def _assemble_release(
    workspace: Workspace,
    name: str,
    offered: Sequence[Episode],
    terms: Terms,
    reports: Mapping[str, EpisodeReport],
    spans: Sequence[Annotation],
) -> Release:
    """Assemble a release; again without the episodes that its repairs do not fix."""
    settings = workspace.operations["release"]
    try:
        first = assemble_release(name, offered, reports.values(), spans, terms, settings)
        wrong = find_episodes_still_failing(workspace, first, reports)
        if not wrong:
            return first
        again = replace(terms, still_wrong=tuple(wrong))
        return assemble_release(name, offered, reports.values(), spans, again, settings)
    except NothingToRelease as nothing:
        reasons = tuple(note_held_back_episodes(workspace, offered, nothing.excluded, reports))
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


def list_releases(workspace: Workspace) -> tuple[Release, ...]:
    """List releases, newest first."""
    return tuple(workspace.store.find(Release, newest=True))


def write_release_datasheet(workspace: Workspace, release: str, *, to: Literal["markdown", "html"] = "markdown") -> str:
    """Write a release's datasheet as Markdown, or as an HTML page with plots.

    Arguments:
        release: the release's id, a unique beginning of it, or its name
        to: the form to write
    """
    frozen = find_release(workspace, release)
    episodes, labels = find_release_episodes(workspace, frozen), find_labels_as_frozen(workspace, frozen)
    exported = list_exports(workspace, frozen)
    if to == "markdown":
        return describe(frozen, episodes, exported, labels)
    return render_datasheet(frozen, count_contents(frozen, episodes, labels), exported)


def list_exports(workspace: Workspace, release: Release) -> list[ReleaseExported]:
    """Return every export of a release, oldest first."""
    return [r.event for r in workspace.store.events(ReleaseExported) if r.event.release == release.id]


def find_release(workspace: Workspace, release: str) -> Release:
    """Find a release by name (the newest of that name) or id."""
    by_name = workspace.store.find(Release, {"name": release}, newest=True, limit=1)
    try:
        return by_name[0] if by_name else workspace.store.get(Release, release)
    except UnknownName as unknown:
        names = [known.name for known in workspace.find_all(Release)]
        listed = ", ".join(names[:MOST_LISTED]) or "none yet; freeze one with `fieldloop release NAME`"
        raise UnknownName("release", release, names, listed) from unknown
