"""Tasks of annotation: who works on what, taken under a lease, and what is open, done and overdue."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fieldloop.errors import ChangedMeanwhile, Refused
from fieldloop.loop.annotate.numbers import compute_lease_end
from fieldloop.loop.annotate.people import choose_author, is_lead
from fieldloop.loop.annotate.qualified import deal_calibration, explain_missing_qualification, is_known_lead
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.labelling import LEAD_REASONS, LabelTask, TaskReason, TaskState
from fieldloop.model.labelling_event import LabelTaskMoved
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.store import Unchanged

UNFINISHED = (TaskState.OPEN, TaskState.LEASED)
FIRST = (
    *(TaskReason.CALIBRATION, TaskReason.ADJUDICATE, TaskReason.SUSPECT, TaskReason.SPOT_CHECK),
    *(TaskReason.REPEAT, TaskReason.CHANGED_TAXONOMY),
)
"""Reasons in the order in which tasks are taken; all others follow in the order in which they were dealt."""


@dataclass(frozen=True, slots=True)
class NextTask:
    """The task that a person holds now, or why there is none."""

    task: LabelTask | None
    episode: str = ""
    reason: Note | None = None


@dataclass(frozen=True, slots=True)
class TaskShown:
    """A task as lists show it; `state` is open where a lease has ended, `about` whose labels a lead looks at."""

    id: str
    episode: str
    name: str
    kinds: tuple[str, ...]
    reason: TaskReason
    state: TaskState
    annotator: str
    taken_by: str
    dealt_ns: int
    lease_until_ns: int | None
    overdue: bool
    because: tuple[Note, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class TasksShown:
    """Tasks, oldest first, and how many are open, leased, done and overdue."""

    tasks: tuple[TaskShown, ...]
    open: int
    leased: int
    done: int
    overdue: int


def take_next_task(workspace: Workspace, *, task: str = "", annotator: str = "") -> NextTask:
    """Take the next task under a lease; a task that you hold already is returned first.

    A lease that ends frees the task for others; every save renews it. Annotators get tasks of the calibration set until
    they qualify; a lead gets decisions first.

    Arguments:
        task: take this task, by its id or a unique beginning of it
        annotator: who takes it (default: you); only engineers may name another person
    """
    person = choose_author(annotator, workspace.actor)
    while True:
        try:
            return _take(workspace, person, task)
        except ChangedMeanwhile:  # another person took it just now: choose again
            continue


def list_annotation_tasks(
    workspace: Workspace, *, state: TaskState | None = None, annotator: str = "", every: bool = False
) -> TasksShown:
    """List tasks of annotation: open, leased, done and overdue.

    A lead sees all tasks, an annotator the own ones and those that anyone may take.

    Arguments:
        state: only tasks in this state
        annotator: only tasks of this person
        every: also list tasks that are done or withdrawn
    """
    now_ns = workspace.clock()
    found = [task for task in workspace.store.find(LabelTask) if _is_visible(workspace, task)]
    found = [task for task in found if not annotator or annotator in (task.annotator, task.taken_by)]
    shown = describe_tasks(workspace, found, now_ns)
    counted = {one: sum(task.state is one for task in shown) for one in TaskState}
    listed = [
        task for task in shown if (task.state is state if state else every or task.state in UNFINISHED)
    ]  # fmt: skip
    return TasksShown(
        tuple(listed), counted[TaskState.OPEN], counted[TaskState.LEASED], counted[TaskState.DONE],
        sum(task.overdue for task in shown),
    )  # fmt: skip


def describe_tasks(workspace: Workspace, tasks: Sequence[LabelTask], now_ns: int) -> list[TaskShown]:
    """Return tasks as lists show them."""
    ids = sorted({task.episode for task in tasks})
    names = {episode.id: episode.name for episode in workspace.store.find(Episode, {"id": ids})} if ids else {}
    due_ns = round(workspace.operations["annotate"].number("due_days") * NS_PER_DAY)
    return [
        TaskShown(
            task.id, task.episode, names.get(task.episode, task.episode), task.kinds, task.reason,
            TaskState.OPEN if task.is_free(now_ns) else task.state, task.annotator, task.taken_by, task.dealt_ns,
            task.lease_until_ns, task.state in UNFINISHED and now_ns > task.dealt_ns + due_ns, task.because, task.about,
        )
        for task in tasks
    ]  # fmt: skip


def _is_visible(workspace: Workspace, task: LabelTask) -> bool:
    if is_lead(workspace.actor):
        return True
    return task.reason not in LEAD_REASONS and workspace.actor.id in (
        task.annotator or workspace.actor.id,
        task.taken_by,
    )


def _take(workspace: Workspace, person: str, asked: str) -> NextTask:
    now_ns = workspace.clock()
    lead = is_known_lead(workspace, person)
    chosen = _get_asked_task(workspace, asked, person, now_ns) if asked else None
    missing = None if lead else explain_missing_qualification(workspace, person)
    if missing is not None:
        deal_calibration(workspace, person)
    unfinished = workspace.store.find(LabelTask, {"state": list(UNFINISHED)})
    if chosen is None:
        allowed = _select_allowed(workspace, unfinished, person) if missing is not None else unfinished
        chosen = _choose_task(workspace, unfinished, allowed, person, now_ns, lead=lead)
    if chosen is None:
        return NextTask(None, reason=missing or note("annotate.no_task", annotator=person))
    held = chosen.is_held_by(person, now_ns)
    if missing is not None and not held and not _select_allowed(workspace, [chosen], person):
        raise Refused(f"{person} is not qualified yet. Take the calibration tasks first: fieldloop annotate next")
    taken = replace(
        chosen, state=TaskState.LEASED, taken_by=person, lease_until_ns=compute_lease_end(workspace, now_ns)
    )
    workspace.write(LabelTaskMoved(taken), expect=Unchanged(LabelTask, (chosen.id,), (chosen,)))
    name = workspace.store.get(Episode, taken.episode).name
    return NextTask(taken, name)


def _get_asked_task(workspace: Workspace, asked: str, person: str, now_ns: int) -> LabelTask:
    task = workspace.store.get(LabelTask, asked)
    if task.state not in UNFINISHED:
        raise Refused(f"This task is {task.state}. Take another one: fieldloop annotate next")
    if task.annotator not in ("", person):
        raise Refused(f"This task was dealt to {task.annotator}. Take another one: fieldloop annotate next")
    if task.has_lease(now_ns) and task.taken_by != person:
        raise Refused(f"{task.taken_by} works on this task. Take another one: fieldloop annotate next")
    if task.reason in LEAD_REASONS and not is_known_lead(workspace, person):
        raise Refused("Only a lead annotator decides this task. Take another one: fieldloop annotate next")
    if not _is_independent(workspace, task, person):
        raise Refused("You labelled this episode already, and the second labels must come from another person.")
    return task


def _choose_task(
    workspace: Workspace,
    tasks: Sequence[LabelTask],
    allowed: Sequence[LabelTask],
    person: str,
    now_ns: int,
    *,
    lead: bool,
) -> LabelTask | None:
    held = [task for task in tasks if task.is_held_by(person, now_ns)]
    mine = [task for task in allowed if task.annotator in ("", person) and task.is_free(now_ns)]
    mine = [task for task in mine if lead or task.reason not in LEAD_REASONS]
    mine.sort(key=lambda task: (_rank_reason(task), task.taken_by != person, task.annotator == ""))  # stable
    return next((task for task in (*held, *mine) if task in held or _is_independent(workspace, task, person)), None)


def _select_allowed(workspace: Workspace, tasks: Sequence[LabelTask], person: str) -> list[LabelTask]:
    """Return the tasks for which a person need not qualify, or did: calibration sets are per task of the episodes."""
    ids = sorted({task.episode for task in tasks})
    of = {one.id: one.task for one in workspace.store.find(Episode, {"id": ids})} if ids else {}
    good = {name for name in {*of.values()} if explain_missing_qualification(workspace, person, name) is None}
    return [task for task in tasks if task.reason is TaskReason.CALIBRATION or of.get(task.episode) in good]


def _rank_reason(task: LabelTask) -> int:
    return FIRST.index(task.reason) if task.reason in FIRST else len(FIRST)


def _is_independent(workspace: Workspace, task: LabelTask, person: str) -> bool:
    """Whether this person may do a half of a pair: the other half, and labels of the episode, are another person's."""
    if task.reason is not TaskReason.DOUBLE or task.taken_by == person:
        return True
    others = [one for one in workspace.store.find(LabelTask, {"pair": task.pair}) if one.id != task.id]
    if any(person in (one.annotator, one.taken_by) for one in others):
        return False
    return not workspace.store.count(Annotation, {"episode": task.episode, "author": person, "kind": list(task.kinds)})
