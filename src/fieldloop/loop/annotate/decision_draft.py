"""The draft of a decision: kept on the server, so that a lead, or another lead, goes on in another browser."""

from dataclasses import dataclass, replace

from fieldloop.annotate import find_segment_problems
from fieldloop.errors import BadInput, ChangedMeanwhile
from fieldloop.loop.annotate.people import require_lead
from fieldloop.loop.annotate.revisions import find_newest_revision, find_revisions
from fieldloop.loop.annotate.taxonomy.carried_labels import rename_saved_spans
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy, require_kind
from fieldloop.loop.annotate.visible import is_hidden, refuse_blind_decision
from fieldloop.loop.annotate.written_segments import Segment, make_segment, parse_segments
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE
from fieldloop.model.episode import Episode
from fieldloop.model.labelling import ADJUDICATED, Adjudication, SavedLabels
from fieldloop.model.labelling_event import LabelsSaved
from fieldloop.model.note import Note
from fieldloop.store import Expected


@dataclass(frozen=True, slots=True)
class DecisionDraft:
    """What leads drew so far for a decision. `problems` must be solved before they can decide.

    `open` is False where nothing was drawn since the last decision; then no segments are given.
    """

    episode: str
    name: str
    kind: str
    open: bool
    revision: int
    saved_ns: int | None
    segments: tuple[Segment, ...]
    problems: tuple[Note, ...] = ()


def show_decision_draft(workspace: Workspace, episode: str, *, kind: str = PHASE, to: int = 0) -> DecisionDraft:
    """Show what leads drew so far for a decision between authors; `annotate adjudicate` decides.

    Drafts that were replaced stay on record: `annotate revisions --author adjudicated` lists them. Where `to` names
    one, its segments are shown, and `revision` is still the newest, so that `annotate draft` goes on from them.

    Arguments:
        episode: the episode's name or id
        kind: the kind of labels
        to: an earlier revision to go on from (default: the newest)
    """
    require_lead(workspace, "see the draft of a decision")
    known = find_episode(workspace, episode)
    newest = find_newest_revision(workspace, known.id, kind, ADJUDICATED)
    if to:
        return _describe_earlier(workspace, known, kind, to)
    return _describe(workspace, known, kind, newest)


def keep_decision_draft(
    workspace: Workspace, episode: str, *, kind: str = PHASE, segments_text: str, revision: int = 0
) -> DecisionDraft:
    """Keep what a lead drew so far for a decision, as a revision that any lead goes on from; it counts nowhere.

    Arguments:
        episode: the episode's name or id
        kind: the kind of labels
        segments_text: all segments as JSON, as `annotate save` takes them
        revision: the revision that these were made from, as `annotate decision` states it; 0 for the first
    """
    require_lead(workspace, "draft a decision")
    known = find_episode(workspace, episode)
    words = find_taxonomy(workspace, known.task)
    require_kind(words, kind)
    refuse_blind_decision(workspace, known, kind)
    spans = parse_segments(segments_text, known, kind, ADJUDICATED, words)
    last = workspace.last_seq()
    newest = find_newest_revision(workspace, known.id, kind, ADJUDICATED)
    stands = newest.revision if newest else 0
    if newest and newest.annotations == spans and not _is_decided(workspace, newest):
        return _describe(workspace, known, kind, newest)  # sent twice, because the answer got lost
    if stands != revision:
        raise ChangedMeanwhile(
            f"The draft of this decision is at revision {stands}, but yours was made from revision {revision}. Nothing "
            f"was overwritten. Read it: fieldloop annotate decision {known.name} --kind {kind}"
        )
    made = SavedLabels(
        known.id, kind, ADJUDICATED, revision + 1, submitted=False, saved_ns=workspace.clock(),
        taxonomy=words.version_name, annotations=spans,
    )  # fmt: skip
    place = {"episode": known.id, "kind": kind, "author": ADJUDICATED}
    workspace.write(LabelsSaved(made), expect=(Expected(SavedLabels, last, place),))
    return _describe(workspace, known, kind, made)


def _describe(workspace: Workspace, episode: Episode, kind: str, newest: SavedLabels | None) -> DecisionDraft:
    if newest is None:
        return DecisionDraft(episode.id, episode.name, kind, False, 0, None, ())
    if _is_decided(workspace, newest) or is_hidden(workspace, episode.id, kind):
        return DecisionDraft(episode.id, episode.name, kind, False, newest.revision, newest.saved_ns, ())
    return _show_segments(workspace, episode, newest, newest.revision)


def _describe_earlier(workspace: Workspace, episode: Episode, kind: str, to: int) -> DecisionDraft:
    """Describe an earlier revision, to be saved as the one after the newest."""
    refuse_blind_decision(workspace, episode, kind)
    all_ = find_revisions(workspace, episode.id, ADJUDICATED, kind)
    newest = all_[-1].revision if all_ else 0
    found = [one for one in all_ if one.revision == to]
    if not found:
        raise BadInput(
            f"The {kind} decision of {episode.name} has no revision {to}; the newest is {newest}. "
            f"List them: fieldloop annotate revisions {episode.name} --author {ADJUDICATED}"
        )
    earlier = replace(found[-1], annotations=rename_saved_spans(workspace, found[-1]))
    return _show_segments(workspace, episode, earlier, newest)


def _show_segments(workspace: Workspace, episode: Episode, newest: SavedLabels, revision: int) -> DecisionDraft:
    words, kind = find_taxonomy(workspace, episode.task), newest.kind
    problems = find_segment_problems(newest.annotations, kind, words, episode.start_ns, episode.end_ns)
    return DecisionDraft(
        episode.id, episode.name, kind, True, revision, newest.saved_ns,
        tuple(make_segment(span, episode.start_ns) for span in newest.annotations), tuple(problems),
    )  # fmt: skip


def _is_decided(workspace: Workspace, draft: SavedLabels) -> bool:
    """Was a decision made after the draft?"""
    made = workspace.store.find(Adjudication, {"episode": draft.episode, "kind": draft.kind})
    return any(one.at_ns >= draft.saved_ns for one in made)
