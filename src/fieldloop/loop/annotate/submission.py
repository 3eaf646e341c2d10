"""What follows when a person hands in labels: their task is done, and what differs too far goes to the lead."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fieldloop.annotate import Source, classify_author
from fieldloop.errors import Refused
from fieldloop.loop.annotate.coming import Coming
from fieldloop.loop.annotate.comparison import make_decision_tasks
from fieldloop.loop.annotate.numbers import compute_lease_end
from fieldloop.loop.annotate.people import is_lead
from fieldloop.loop.annotate.qualified import (
    explain_missing_qualification,
    find_calibration_sets,
    is_calibration_done,
    is_known_lead,
    judge_annotator,
)
from fieldloop.loop.annotate.revisions import find_newest_revision
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeAnnotated, Event
from fieldloop.model.labelling import (
    ADJUDICATED,
    INDEPENDENT,
    LEAD_REASONS,
    Adjudication,
    LabelTask,
    SavedLabels,
    TaskReason,
    TaskState,
)
from fieldloop.model.labelling_event import AnnotatorJudged, LabelsSaved, LabelTaskMoved, LabelTasksDealt
from fieldloop.model.note import Note
from fieldloop.say import write_sentence
from fieldloop.store import Expected, Lock, Unchanged


def expect_tasks(workspace: Workspace, episodes: Sequence[str], authors: Sequence[str]) -> Unchanged:
    """Read the tasks on which a submission depends, before it is decided what follows; they must stay as they are.

    These are all tasks of the episodes, so both halves of a pair, and the calibration tasks of the authors.
    """
    found = workspace.store.find(LabelTask, {"episode": list(episodes)})
    own = workspace.store.find(LabelTask, {"annotator": list(authors), "reason": TaskReason.CALIBRATION})
    tasks = {task.id: task for task in (*found, *own)}
    return Unchanged(LabelTask, tuple(tasks), tuple(tasks.values()))


def expect_saved_labels(workspace: Workspace, places: Sequence[tuple[str, str, str]]) -> tuple[Lock, ...]:
    """Read what an import must not overwrite: by episode, kind and author, the revisions saved so far, and tasks."""
    last = workspace.last_seq()
    saved = (
        Expected(SavedLabels, last, {"episode": episode, "kind": kind, "author": author})
        for episode, kind, author in places
    )
    episodes, authors = (sorted({place[n] for place in places}) for n in (0, 2))
    return (*saved, expect_tasks(workspace, episodes, authors)) if places else ()


def find_task_of(workspace: Workspace, made: SavedLabels) -> LabelTask | None:
    """Return the unfinished task that these labels belong to, or refuse labels that a task forbids.

    A task whose lease has ended still belongs to the person who took it, until another person takes it.
    """
    task, obstacle = _look_for_task(workspace, made)
    if obstacle is None:
        return task
    fact, step, notes = obstacle
    raise Refused(f"{fact} Your labels are kept as a draft. {step}", notes)


Obstacle = tuple[str, str, tuple[Note, ...]]
"""Why labels cannot be handed in, what to do, and the same as notes."""


def _look_for_task(workspace: Workspace, made: SavedLabels) -> tuple[LabelTask | None, Obstacle | None]:
    """Return the unfinished task that these labels belong to, and what forbids them."""
    found = workspace.store.find(LabelTask, {"episode": made.episode})
    tasks = [t for t in found if made.kind in t.kinds and t.reason not in LEAD_REASONS]
    unfinished = [t for t in tasks if t.state in (TaskState.OPEN, TaskState.LEASED)]
    for task in (*(t for t in unfinished if t.taken_by == made.author), *unfinished):
        if made.author == task.taken_by or (made.author == task.annotator and not task.taken_by):
            return task, None
    now_ns = workspace.clock()
    if any(t.state is TaskState.DONE and t.taken_by == made.author and t.reason in INDEPENDENT for t in tasks):
        fact = f"{made.author} handed in these independent labels already; a change could follow from the other's."
        return None, (fact, "A lead can have the episode labelled again: fieldloop annotate spot-check", ())
    taken = next((t for t in unfinished if t.has_lease(now_ns)), None)
    if taken is not None and not is_known_lead(workspace, made.author):
        fact = f"{taken.taken_by} took this task ({taken.id}), so {made.author} cannot hand in labels for it now."
        return None, (fact, f"Submit them if the task becomes free: fieldloop annotate next --task {taken.id}", ())
    return None, _find_missing_qualification(workspace, made)


def _find_missing_qualification(workspace: Workspace, made: SavedLabels) -> Obstacle | None:
    """Return what forbids labels without a task of someone who has yet to qualify; a lead hands in what others made."""
    if is_lead(workspace.actor) or is_known_lead(workspace, made.author) or not find_calibration_sets(workspace):
        return None
    missing = explain_missing_qualification(workspace, made.author, workspace.store.get(Episode, made.episode).task)
    if missing is None:
        return None
    fact = f"{write_sentence(missing).rstrip('.')}. Until then only labels of your tasks count."
    return fact, "Take the calibration tasks: fieldloop annotate next", (missing,)


def renew_lease(workspace: Workspace, made: SavedLabels) -> list[Event]:
    """Extend the lease of the task that a draft belongs to, once half of it has passed."""
    tasks = workspace.store.find(LabelTask, {"episode": made.episode, "taken_by": made.author})
    now_ns = workspace.clock()
    end_ns = compute_lease_end(workspace, now_ns)
    return [
        LabelTaskMoved(replace(task, lease_until_ns=end_ns))
        for task in tasks
        if task.state is TaskState.LEASED
        and made.kind in task.kinds
        and (task.lease_until_ns or 0) < (now_ns + end_ns) // 2
    ]


def list_what_follows(coming: Coming, episode: Episode, made: SavedLabels, task: LabelTask | None) -> Iterator[Event]:
    """Yield what changes beside the labels themselves."""
    coming.hand_in(made)
    if task is None:
        return
    workspace = coming.workspace
    if _was_decided_before(workspace, task, made):
        yield EpisodeAnnotated(made.episode, made.kind, ADJUDICATED, ())  # it was decided under earlier words
    if coming.is_done(task) or not _is_complete(coming, task, made):
        return
    done = replace(
        task, state=TaskState.DONE, taken_by=made.author, done_ns=workspace.clock(), lease_until_ns=None
    )  # fmt: skip
    yield coming.move(done)
    if task.reason is TaskReason.CALIBRATION:
        yield from _judge_if_complete(coming, done)
    elif decisions := list(make_decision_tasks(coming, episode, done)):
        yield LabelTasksDealt(tuple(decisions))


def write_import(
    coming: Coming,
    episode: Episode,
    kind: str,
    author: str,
    spans: tuple[Annotation, ...],
    taxonomy: str,
    place: str,
) -> tuple[list[Event], SavedLabels | None, LabelTask | None]:
    """Return how an import stores one author's labels; a person's count like a submission, a machine's do not.

    What follows is asked once all rows are handed in: a task may need several, and a comparison needs the newest. Then
    the labels and their task are what `list_what_follows` takes, None for proposals.
    `place` names the file, and where in it these labels are, should a task forbid them.
    """
    annotated = EpisodeAnnotated(episode.id, kind, author, spans)
    if classify_author(author) is Source.MACHINE:
        return [annotated], None, None
    workspace = coming.workspace
    newest = find_newest_revision(workspace, episode.id, kind, author)
    number = newest.revision + 1 if newest else 1
    made = SavedLabels(episode.id, kind, author, number, submitted=True, saved_ns=workspace.clock(),
                       taxonomy=taxonomy, annotations=spans)  # fmt: skip
    task, obstacle = _look_for_task(workspace, made)
    if obstacle is not None:
        fact, _, notes = obstacle
        raise Refused(
            f"{place}: nothing was imported. The {kind} labels of {episode.name} by {author} cannot count now: {fact} "
            "See: fieldloop annotate tasks; or leave these labels out of the file.",
            notes,
        )
    coming.hand_in(made)
    return [LabelsSaved(replace(made, task=task.id if task else "")), annotated], made, task


def _was_decided_before(workspace: Workspace, task: LabelTask, made: SavedLabels) -> bool:
    """Whether the labels were decided before this task was dealt; the decision then no longer holds."""
    place = {"episode": made.episode, "kind": made.kind}
    decided = workspace.store.find(Adjudication, place, newest=True, limit=1)
    counts = workspace.store.count(Annotation, {**place, "author": ADJUDICATED})
    return bool(decided and counts) and decided[0].at_ns < task.dealt_ns


def _is_complete(coming: Coming, task: LabelTask, made: SavedLabels) -> bool:
    """Whether all kinds of a task are handed in since it was dealt."""
    where = {"episode": task.episode, "author": made.author, "kind": list(task.kinds), "submitted": True}
    found = coming.workspace.store.find(SavedLabels, where)
    handed_in = {saved.kind for saved in found if saved.saved_ns >= task.dealt_ns}
    coming_in = {
        kind for episode, kind, author in coming.spans if (episode, author) == (task.episode, made.author)
    }  # fmt: skip
    return set(task.kinds) <= handed_in | coming_in


def _judge_if_complete(coming: Coming, done: LabelTask) -> Iterator[Event]:
    chosen = next((one for one in find_calibration_sets(coming.workspace) if one.id == done.pair), None)
    if chosen is None or not is_calibration_done(coming.find_tasks(pair=done.pair, annotator=done.annotator)):
        return  # a newer set replaced it, or more episodes are left
    spans = [s for episode in chosen.episodes for s in coming.find_spans(episode, chosen.kind, done.taken_by)]
    yield AnnotatorJudged(judge_annotator(coming.workspace, chosen, done.taken_by, spans))
