"""Save labels that a person made: drafts while they work, submitted labels when they are done; nothing is lost."""

from dataclasses import dataclass, replace

from fieldloop.annotate import find_segment_problems
from fieldloop.errors import BadInput, ChangedMeanwhile, FieldloopError
from fieldloop.loop.annotate.coming import Coming
from fieldloop.loop.annotate.people import choose_author
from fieldloop.loop.annotate.revisions import find_newest_revision, find_revisions
from fieldloop.loop.annotate.submission import expect_tasks, find_task_of, list_what_follows, renew_lease
from fieldloop.loop.annotate.taxonomy.carried_labels import rename_saved_spans
from fieldloop.loop.annotate.taxonomy.in_force import find_predecessor, find_taxonomy, require_kind
from fieldloop.loop.annotate.taxonomy.lock import lock_taxonomy
from fieldloop.loop.annotate.usable_episodes import require_usable_episode
from fieldloop.loop.annotate.written_segments import Segment, make_segment, parse_segments
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeAnnotated, Event
from fieldloop.model.labelling import SavedLabels
from fieldloop.model.labelling_event import LabelsSaved
from fieldloop.model.note import Note
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_number
from fieldloop.say.refusals import write_refusal
from fieldloop.store import Expected, Unchanged

MOST_PROBLEMS = 5
LONGEST_REACTION_MS = 5000
"""Longer than any reaction of a person who looks at the screen."""


@dataclass(frozen=True, slots=True)
class LabelsKept:
    """The revision that was saved. `problems` must be solved before a draft can be submitted."""

    episode: str
    name: str
    kind: str
    author: str
    revision: int
    submitted: bool
    taxonomy: str
    segments: tuple[Segment, ...]
    problems: tuple[Note, ...] = ()


def save_labels(
    workspace: Workspace,
    episode: str,
    *,
    kind: str = PHASE,
    segments_text: str,
    revision: int = 0,
    submit: bool = False,
    author: str = "",
    reaction_ms: float | None = None,
) -> LabelsKept:
    """Save a person's labels of one kind in one episode: a draft, or with --submit the labels that count.

    Every save is a new revision, and none is overwritten. A save that was made from an older revision than the newest
    is refused, so two open pages cannot overwrite each other. A draft may be unfinished or wrong; what is submitted
    must fit the taxonomy and the episode. The first save locks the taxonomy's first version; under a later version that
    is not locked yet, drafts are kept, but nothing can be submitted.

    Arguments:
        episode: the episode's name or id
        kind: the kind of labels, such as phase, action, grasp
        segments_text: all segments of this kind as JSON: [{"label": "grasp", "start_s": 1.2, "end_s": 2.5}]; further
            keys are object, values, blob, confidence, verified_by, error, error_unit
        revision: the revision that these labels were made from, as `annotate labels` states it; 0 for the first
        submit: hand the labels in
        author: who made them (default: you); only engineers may name another person
        reaction_ms: the reaction time that was subtracted from boundaries set while playing
    """
    if reaction_ms is not None and not 0 <= reaction_ms <= LONGEST_REACTION_MS:
        stated = f"A reaction time of {format_number(reaction_ms)} ms is not possible"
        raise BadInput(f"{stated}; state 0 to {LONGEST_REACTION_MS} ms.")
    known = find_episode(workspace, episode)
    words = find_taxonomy(workspace, known.task)
    require_kind(words, kind)
    person = choose_author(author, workspace.actor)
    spans = parse_segments(segments_text, known, kind, person, words)
    made = SavedLabels(known.id, kind, person, revision + 1, submit, workspace.clock(), words.version_name, spans)
    made = replace(made, reaction_ms=reaction_ms)
    return _keep(workspace, known, words, made)


def undo_labels(
    workspace: Workspace, episode: str, *, kind: str = PHASE, to: int, revision: int, author: str = ""
) -> LabelsKept:
    """Go back to an earlier revision of a person's labels, as a new draft; later revisions stay on record.

    Labels that were renamed since get their new names.

    Arguments:
        episode: the episode's name or id
        kind: the kind of labels
        to: the revision to go back to
        revision: the newest revision that you have seen
        author: whose labels (default: yours); only engineers may name another person
    """
    known = find_episode(workspace, episode)
    words = find_taxonomy(workspace, known.task)
    person = choose_author(author, workspace.actor)
    earlier = [one for one in find_revisions(workspace, known.id, person, kind) if one.revision == to]
    if not earlier:
        newest = find_newest_revision(workspace, known.id, kind, person)
        last = newest.revision if newest else 0
        raise BadInput(f"{person} has no revision {to} of {kind} in {known.name}; the newest is {last}.")
    made = replace(
        earlier[0], revision=revision + 1, submitted=False, saved_ns=workspace.clock(), task="", from_revision=to,
        taxonomy=words.version_name, annotations=rename_saved_spans(workspace, earlier[0]),
    )  # fmt: skip
    return _keep(workspace, known, words, made)


class _TasksMoved(ChangedMeanwhile):
    """A task of the episode moved while labels were saved; the labels themselves did not change."""


def _keep(workspace: Workspace, episode: Episode, words: Taxonomy, made: SavedLabels) -> LabelsKept:
    while True:
        try:
            return _keep_once(workspace, episode, words, made)
        except _TasksMoved:  # the other half of a pair was handed in just now: decide anew what follows
            continue


def _keep_once(workspace: Workspace, episode: Episode, words: Taxonomy, made: SavedLabels) -> LabelsKept:
    problems = find_segment_problems(made.annotations, made.kind, words, episode.start_ns, episode.end_ns)
    last, tasks = workspace.last_seq(), expect_tasks(workspace, (made.episode,), (made.author,))
    newest = find_newest_revision(workspace, made.episode, made.kind, made.author)
    if newest is not None and newest.annotations == made.annotations and made.from_revision is None:
        if newest.submitted >= made.submitted:
            return _describe(newest, episode, problems)  # sent twice, because the answer got lost
        made = replace(made, revision=newest.revision + 1)
    _require_newest(newest, made, episode)
    if find_predecessor(workspace, words) is None:
        lock_taxonomy(workspace, words)
    try:
        if made.submitted:
            lock_taxonomy(workspace, words)
        made, events = _make_submission(workspace, episode, made, problems)
    except FieldloopError:
        # what cannot be submitted stays as a draft, so that nothing is lost
        if newest is None or newest.annotations != made.annotations:
            _write_revision(workspace, episode, replace(made, submitted=False), last, ())
        raise
    _write_revision(workspace, episode, made, last, (tasks,), *events)
    return _describe(made, episode, problems)


def _make_submission(
    workspace: Workspace, episode: Episode, made: SavedLabels, problems: list[Note]
) -> tuple[SavedLabels, list[Event]]:
    """Return the revision under its task, and what it changes; a submission that cannot count is refused."""
    if not made.submitted:
        return made, renew_lease(workspace, made)
    require_usable_episode(workspace, episode)
    _require_no_problems(problems, made, episode)
    task = find_task_of(workspace, made)
    annotated = EpisodeAnnotated(made.episode, made.kind, made.author, made.annotations)
    follows = list_what_follows(Coming(workspace), episode, made, task)
    return replace(made, task=task.id if task else ""), [annotated, *follows]


def _write_revision(
    workspace: Workspace, episode: Episode, made: SavedLabels, last: int, tasks: tuple[Unchanged, ...], *events: Event
) -> None:
    where = {"episode": made.episode, "kind": made.kind, "author": made.author}
    try:
        workspace.write(LabelsSaved(made), *events, expect=(Expected(SavedLabels, last, where), *tasks))
    except ChangedMeanwhile as moved:
        _require_newest(find_newest_revision(workspace, made.episode, made.kind, made.author), made, episode)
        raise _TasksMoved(str(moved)) from moved


def _require_newest(newest: SavedLabels | None, made: SavedLabels, episode: Episode) -> None:
    stands = newest.revision if newest else 0
    if stands != made.revision - 1:
        raise ChangedMeanwhile(
            f"{made.author}'s {made.kind} labels of {episode.name} are at revision {stands}, but these were made from "
            f"revision {made.revision - 1}. Nothing was overwritten. Read them: fieldloop annotate labels "
            f"{episode.name}; then save yours with --revision {stands}."
        )


def _require_no_problems(problems: list[Note], made: SavedLabels, episode: Episode) -> None:
    if not problems:
        return
    listed = [write_sentence(problem) for problem in problems[:MOST_PROBLEMS]]
    more = len(problems) - len(listed)
    after = (f"… and {more} more.",) if more > 0 else ()
    lead = f"These {made.kind} labels of {episode.name} cannot be submitted"
    raise BadInput(write_refusal(lead, listed, *after, "They are kept as a draft."))


def _describe(made: SavedLabels, episode: Episode, problems: list[Note]) -> LabelsKept:
    segments = tuple(make_segment(span, episode.start_ns) for span in made.annotations)
    return LabelsKept(
        episode.id, episode.name, made.kind, made.author, made.revision, made.submitted, made.taxonomy, segments,
        tuple(problems),
    )  # fmt: skip
