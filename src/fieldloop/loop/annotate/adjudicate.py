"""Decide between authors: the lead takes one's labels, or draws others; the decision is on record."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fieldloop.annotate import find_segment_problems
from fieldloop.errors import BadInput, ChangedMeanwhile, Refused, UnknownName
from fieldloop.loop.annotate.people import require_lead
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy, require_kind
from fieldloop.loop.annotate.usable_episodes import require_usable_episode
from fieldloop.loop.annotate.visible import refuse_blind_decision
from fieldloop.loop.annotate.written_segments import Segment, make_segment, parse_segments
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.labelling import ADJUDICATED, Adjudication, LabelTask, TaskReason, TaskState
from fieldloop.model.labelling_event import LabelsAdjudicated, LabelTaskMoved
from fieldloop.release import compute_labels_id
from fieldloop.say import write_sentence
from fieldloop.say.refusals import write_refusal
from fieldloop.store import Expected, Unchanged

DECISIONS = (TaskReason.ADJUDICATE, TaskReason.SUSPECT)


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """The labels that count from now on, who decided, and between whom."""

    id: str
    episode: str
    name: str
    kind: str
    decided_by: str
    between: tuple[str, ...]
    taken: str
    segments: tuple[Segment, ...]
    closed: int


def adjudicate_labels(
    workspace: Workspace,
    episode: str,
    *,
    kind: str = PHASE,
    take: str = "",
    segments_text: str = "",
    comment: str = "",
    seen: str = "",
) -> Adjudicated:
    """Decide between authors of one kind of labels in an episode; releases then take the decided labels.

    Arguments:
        episode: the episode's name or id
        kind: the kind of labels
        take: take this author's labels as they are
        segments_text: or other labels, as JSON like `annotate save` takes them
        comment: why, for the record
        seen: with --take, the fingerprint of the labels that you looked at, as `annotate labels` states it; labels that
            were changed since are not taken
    """
    require_lead(workspace, "adjudicate labels")
    if bool(take) is bool(segments_text):
        raise BadInput("State one of both: --take AUTHOR, or --segments-text with the labels that are right.")
    known = find_episode(workspace, episode)
    require_usable_episode(workspace, known)
    words = find_taxonomy(workspace, known.task)
    require_kind(words, kind)
    refuse_blind_decision(workspace, known, kind)
    last = workspace.last_seq()
    place = {"episode": known.id, "kind": kind}
    waiting = _find_decision_tasks(workspace, known.id, kind)
    spans = workspace.store.find(Annotation, place)
    between = tuple(sorted({span.author for span in spans} - {ADJUDICATED}))
    if not between:
        raise Refused(f"{known.name} has no {kind} labels to decide between. See: fieldloop annotate labels {episode}")
    if take and take not in between:
        raise UnknownName("author", take, between, ", ".join(between))
    lead = workspace.actor.id
    chosen = (
        _take_labels(spans, take, seen, known)
        if take
        else parse_segments(segments_text, known, kind, ADJUDICATED, words)
    )
    decided = tuple(replace(s, author=ADJUDICATED, verified_by=s.verified_by or lead) for s in chosen)
    if problems := find_segment_problems(decided, kind, words, known.start_ns, known.end_ns):
        raise BadInput(write_refusal("These labels cannot be decided", [write_sentence(p) for p in problems[:5]]))
    made = Adjudication(
        workspace.ids.new("decision"), known.id, kind, lead, between, take, workspace.clock(), comment.strip()
    )
    needless = _find_needless_tasks(workspace, known.id, kind)
    closed = [_close(workspace, task) for task in waiting]
    withdrawn = [replace(task, state=TaskState.WITHDRAWN, lease_until_ns=None) for task in needless]
    read = (*waiting, *needless)
    workspace.write(
        LabelsAdjudicated(made),
        EpisodeAnnotated(known.id, kind, ADJUDICATED, decided),
        *map(LabelTaskMoved, (*closed, *withdrawn)),
        expect=(
            Expected(Adjudication, last, place),
            Expected(Annotation, last, place),
            Unchanged(LabelTask, tuple(task.id for task in read), read),
        ),
    )
    segments = tuple(make_segment(span, known.start_ns) for span in decided)
    return Adjudicated(made.id, known.id, known.name, kind, lead, between, take, segments, len(closed))


def _take_labels(spans: Sequence[Annotation], author: str, seen: str, episode: Episode) -> Sequence[Annotation]:
    """Return an author's labels; refuse others than the lead has seen."""
    taken = [span for span in spans if span.author == author]
    if seen and seen != compute_labels_id(taken):
        raise ChangedMeanwhile(
            f"{author} changed the labels of {episode.name} after you opened them, and nothing was decided. Look at "
            f"them: fieldloop annotate labels {episode.name}; then decide."
        )
    return taken


def _find_needless_tasks(workspace: Workspace, episode: str, kind: str) -> list[LabelTask]:
    """Return the tasks that no one holds and whose kinds are all decided now: their labels would count nowhere."""
    found = workspace.store.find(LabelTask, {"episode": episode, "reason": TaskReason.LABEL})
    decided = {one.kind for one in workspace.store.find(Adjudication, {"episode": episode})} | {kind}
    now_ns = workspace.clock()
    return [task for task in found if task.is_free(now_ns) and set(task.kinds) <= decided]


def _find_decision_tasks(workspace: Workspace, episode: str, kind: str) -> list[LabelTask]:
    found = workspace.store.find(LabelTask, {"episode": episode, "reason": list(DECISIONS)})
    return [t for t in found if kind in t.kinds and t.state in (TaskState.OPEN, TaskState.LEASED)]


def _close(workspace: Workspace, task: LabelTask) -> LabelTask:
    return replace(
        task, state=TaskState.DONE, taken_by=workspace.actor.id, done_ns=workspace.clock(), lease_until_ns=None
    )
