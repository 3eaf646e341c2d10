"""Whether an annotator may take normal tasks: calibration sets, their tasks, and the verdict."""

import math
from collections.abc import Sequence

from fieldloop.annotate import compare_authors, measure_lateness
from fieldloop.loop.annotate.numbers import read_limits
from fieldloop.loop.annotate.people import is_lead
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.labelling import CalibrationSet, LabelTask, Qualification, TaskReason, TaskState
from fieldloop.model.labelling_event import LabelTasksDealt
from fieldloop.model.note import Note, note
from fieldloop.model.person import Token
from fieldloop.store import Expected


def is_known_lead(workspace: Workspace, person: str) -> bool:
    """Whether a person is a lead: the actor by role and duty, another person by a valid token."""
    if person == workspace.actor.id:
        return is_lead(workspace.actor)
    tokens = workspace.store.find(Token, {"revoked_ns": None})
    return any(token.actor.id == person and is_lead(token.actor) for token in tokens)


def find_calibration_sets(workspace: Workspace) -> list[CalibrationSet]:
    """Return the calibration sets in force: the newest of each task and kind."""
    return list(_find_sets_by_place(workspace).values())


def _find_sets_by_place(workspace: Workspace) -> dict[tuple[str, str], CalibrationSet]:
    """Return the sets in force by task of the episodes and kind of labels."""
    found = workspace.store.find(CalibrationSet)
    first = {one.episodes[0] for one in found}
    tasks = {one.id: one.task for one in workspace.store.find(Episode, {"id": sorted(first)})} if first else {}
    return {(tasks.get(one.episodes[0], ""), one.kind): one for one in found}


def explain_missing_qualification(workspace: Workspace, person: str, task: str | None = None) -> Note | None:
    """Return why a person may not take normal tasks yet; None where they may.

    With a task, only its calibration sets count, or all sets where it has none.
    """
    by_place = _find_sets_by_place(workspace)
    sets = [one for (where, _), one in by_place.items() if where == task] or list(by_place.values())
    if not sets:
        return note("annotate.no_calibration_set", annotator=person)
    last = {one.calibration: one for one in workspace.store.find(Qualification, {"annotator": person})}
    for one in sets:
        verdict = last.get(one.id)
        if verdict is None:
            return note("annotate.not_qualified", annotator=person, kind=one.kind, episodes=len(one.episodes))
        if verdict.status is not Status.PASSED:
            return note(
                "annotate.failed_qualification", annotator=person, kind=one.kind, kappa=verdict.kappa,
                apart_frames=verdict.boundary_frames, boundary=verdict.worst_boundary,
            )  # fmt: skip
    return None


def deal_calibration(workspace: Workspace, person: str, *, again: bool = False) -> tuple[LabelTask, ...]:
    """Deal the tasks of the calibration sets to a person who has none of them yet; with `again`, once more."""
    last = workspace.last_seq()
    dealt = [
        task
        for one in find_calibration_sets(workspace)
        if again or not workspace.store.count(LabelTask, {"pair": one.id, "annotator": person})
        for task in make_calibration_tasks(workspace, one, person)
    ]
    if dealt:
        workspace.write(LabelTasksDealt(tuple(dealt)), expect=Expected(LabelTask, last, {"annotator": person}))
    return tuple(dealt)


def make_calibration_tasks(workspace: Workspace, chosen: CalibrationSet, person: str) -> list[LabelTask]:
    """Return one task for each episode of a calibration set."""
    return [
        LabelTask(
            workspace.ids.new("task"), episode, (chosen.kind,), TaskReason.CALIBRATION, workspace.clock(),
            chosen.taxonomy, annotator=person, pair=chosen.id,
        )
        for episode in chosen.episodes
    ]  # fmt: skip


def is_calibration_done(tasks: Sequence[LabelTask]) -> bool:
    """Whether an annotator finished all tasks of a calibration set."""
    return all(task.state in (TaskState.DONE, TaskState.WITHDRAWN) for task in tasks)


def judge_annotator(
    workspace: Workspace, chosen: CalibrationSet, person: str, spans: Sequence[Annotation]
) -> Qualification:
    """Compare a person's labels with those that are right; an episode without labels counts as wholly wrong."""
    task = workspace.store.get(Episode, chosen.episodes[0]).task
    limits, now_ns = read_limits(workspace, task), workspace.clock()
    labelled = {span.episode for span in spans}
    if missing := [episode for episode in chosen.episodes if episode not in labelled]:
        done = len(chosen.episodes) - len(missing)
        return Qualification(person, chosen.id, Status.FAILED, None, None, done, now_ns)
    measured = compare_authors(spans, chosen.gold, limits.frame_hz)
    kappa, apart = (None if math.isnan(x) else x for x in (measured.kappa, measured.boundary_frames))
    if kappa is None or apart is None:
        status = Status.CANNOT_TELL
    else:
        good = kappa > limits.min_kappa and apart <= limits.max_boundary_frames
        status = Status.PASSED if good else Status.FAILED
    return Qualification(
        person, chosen.id, status, kappa, apart, measured.episodes, now_ns, measured.worst_boundary,
        measure_lateness(spans, chosen.gold, limits.frame_hz), limits.min_kappa, limits.max_boundary_frames,
    )  # fmt: skip
