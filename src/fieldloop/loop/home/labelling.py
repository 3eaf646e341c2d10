"""The queue of the annotation page: whose task is next, what is open, who qualifies, and what was only proposed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fieldloop.annotate import Source, classify_author
from fieldloop.loop.annotate.people import is_lead
from fieldloop.loop.annotate.qualified import explain_missing_qualification, find_calibration_sets
from fieldloop.loop.annotate.tasks import TaskShown, TasksShown, list_annotation_tasks
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.finding import Status
from fieldloop.model.labelling import LEAD_REASONS, Qualification, TaskState
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class CalibrationShown:
    """A calibration set in force, and how each annotator did on it last."""

    kind: str
    episodes: int
    qualifications: tuple[Qualification, ...]

    @property
    def passed(self) -> int:
        """How many annotators qualify."""
        return sum(one.status is Status.PASSED for one in self.qualifications)


@dataclass(frozen=True, slots=True)
class LabellingQueue:
    """What one person sees of the work: the task they hold, all tasks they may see, and for a lead who qualifies.

    `proposed` counts accepted episodes that have proposals and no labels of a person, `first_proposed` is one of them.
    `held_back` states why the person may not take normal tasks yet.
    """

    person: str
    lead: bool
    tasks: TasksShown
    mine: TaskShown | None
    proposed: int
    calibrations: tuple[CalibrationShown, ...] = ()
    held_back: Note | None = None
    first_proposed: str = ""

    @property
    def decisions(self) -> tuple[TaskShown, ...]:
        """The open tasks that a lead decides."""
        return tuple(task for task in self.tasks.tasks if task.reason in LEAD_REASONS)


def read_labelling_queue(
    workspace: Workspace, phases: Sequence[Annotation], accepted: Collection[str]
) -> LabellingQueue:
    """Return the queue of the person who asks."""
    person = workspace.actor.id
    tasks = list_annotation_tasks(workspace)
    held = [task for task in tasks.tasks if task.taken_by == person and task.state is TaskState.LEASED]
    by_people = {span.episode for span in phases if classify_author(span.author) is not Source.MACHINE}
    only_proposed = {span.episode for span in phases} - by_people
    proposed = [one for one in accepted if one in only_proposed]
    sets = find_calibration_sets(workspace)
    last = _find_last_qualifications(workspace, [one.id for one in sets])
    lead = is_lead(workspace.actor)
    return LabellingQueue(
        person,
        lead,
        tasks,
        next(iter(held), None),
        len(proposed),
        tuple(CalibrationShown(one.kind, len(one.episodes), last.get(one.id, ())) for one in sets),
        None if lead or not tasks.tasks else explain_missing_qualification(workspace, person),
        next(iter(proposed), ""),
    )


def _find_last_qualifications(workspace: Workspace, sets: Sequence[str]) -> dict[str, tuple[Qualification, ...]]:
    """Return each annotator's last result on each set; a person without that duty sees only the own one."""
    found = workspace.store.find(Qualification, {"calibration": list(sets)}) if sets else []
    if not is_lead(workspace.actor):
        found = [one for one in found if one.annotator == workspace.actor.id]
    last = {(one.calibration, one.annotator): one for one in found}
    return {key: tuple(one for one in last.values() if one.calibration == key) for key in sets}
