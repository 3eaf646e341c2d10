"""Spot checks: the lead looks at a share of each annotator's finished work, and has wrong labels made again."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fieldloop.annotate import compare_authors, draw_doubles
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.annotate.comparison import NOT_COMPARED
from fieldloop.loop.annotate.numbers import read_limits
from fieldloop.loop.annotate.people import require_lead
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import Event
from fieldloop.model.labelling import LabelTask, SpotCheck, TaskReason, TaskState
from fieldloop.model.labelling_event import LabelsSpotChecked, LabelTaskMoved, LabelTasksDealt
from fieldloop.model.stream import NS_PER_S
from fieldloop.store import Expected, Unchanged

CHECKED = (TaskReason.LABEL, TaskReason.DOUBLE, TaskReason.REPEAT, TaskReason.CHANGED_TAXONOMY)


@dataclass(frozen=True, slots=True)
class SpotChecks:
    """Tasks of spot checks that were drawn now, the verdict that was given now, and what is left to check."""

    drawn: tuple[LabelTask, ...]
    check: SpotCheck | None
    waiting: int


def spot_check_labels(
    workspace: Workspace,
    episode: str = "",
    *,
    annotator: str = "",
    verdict: Literal["good", "wrong", ""] = "",
    comment: str = "",
) -> SpotChecks:
    """Draw finished tasks for the lead to look at; or state the verdict on one annotator's labels of an episode.

    Without an episode, tasks are drawn until a share of each annotator's finished tasks is checked
    (`annotate.spot_check_share`). Labels that are wrong are dealt to the annotator again; they count until then.
    If the lead labelled the episode too, the largest distance between boundaries is recorded, and decides where no
    verdict is given.

    Arguments:
        episode: the episode's name or id
        annotator: whose labels
        verdict: good or wrong
        comment: what is wrong, for the annotator
    """
    require_lead(workspace, "spot-check labels")
    if not episode:
        last = workspace.last_seq()
        drawn = _draw_checks(workspace, annotator)
        if drawn:
            workspace.write(LabelTasksDealt(tuple(drawn)), expect=Expected(LabelTask, last))
        return SpotChecks(tuple(drawn), None, _count_waiting(workspace))
    known = find_episode(workspace, episode)
    last, tasks = workspace.last_seq(), workspace.store.find(LabelTask, {"episode": known.id})
    kinds, person = _find_labelled_kinds(workspace, known, annotator)
    apart = _measure_distance(workspace, known, kinds, person)
    if not verdict and apart is None:
        raise BadInput("State --verdict good or --verdict wrong, or label the episode yourself first.")
    good = apart is not None and apart <= read_limits(workspace, known.task).tolerance_frames
    check = SpotCheck(
        workspace.ids.new("check"), known.id, kinds, person, workspace.actor.id,
        verdict == "good" if verdict else good, workspace.clock(), comment.strip(), apart,
    )  # fmt: skip
    workspace.write(
        LabelsSpotChecked(check),
        *_list_consequences(workspace, check),
        expect=(
            Unchanged(LabelTask, tuple(task.id for task in tasks), tuple(tasks)),
            Expected(SpotCheck, last, {"episode": known.id}),
            Expected(Annotation, last, {"episode": known.id, "author": person}),
        ),
    )
    return SpotChecks((), check, _count_waiting(workspace))


def _draw_checks(workspace: Workspace, annotator: str) -> list[LabelTask]:
    share = workspace.operations["annotate"].number("spot_check_share")
    tasks = workspace.store.find(LabelTask)
    done: dict[str, list[LabelTask]] = {}
    for task in tasks:
        if task.state is TaskState.DONE and task.reason in CHECKED and annotator in ("", task.taken_by):
            done.setdefault(task.taken_by, []).append(task)
    looked = {(c.episode, c.annotator) for c in workspace.store.find(SpotCheck)}
    looked |= {(t.episode, t.about) for t in tasks if t.reason is TaskReason.SPOT_CHECK}
    return [
        LabelTask(
            workspace.ids.new("task"), task.episode, task.kinds, TaskReason.SPOT_CHECK, workspace.clock(),
            task.taxonomy, about=person,
        )
        for person, own in sorted(done.items())
        for task in _draw_unchecked(own, {e for e, who in looked if who == person}, share, person)
    ]  # fmt: skip


def _draw_unchecked(own: Sequence[LabelTask], looked: set[str], share: float, person: str) -> list[LabelTask]:
    """Draw as many as the share still lacks; the name of the person makes the draw one that can be repeated."""
    by_episode = {task.episode: task for task in own}
    wanted = math.ceil(round(share * len(by_episode), 9)) - len(looked & by_episode.keys())
    left = sorted(by_episode.keys() - looked)
    return [by_episode[one] for one in sorted(draw_doubles(left, max(wanted, 0), (), 1.0, f"spot check of {person}"))]


def _count_waiting(workspace: Workspace) -> int:
    found = workspace.store.find(LabelTask, {"reason": TaskReason.SPOT_CHECK})
    return sum(task.state in (TaskState.OPEN, TaskState.LEASED) for task in found)


def _find_labelled_kinds(workspace: Workspace, episode: Episode, annotator: str) -> tuple[tuple[str, ...], str]:
    spans = workspace.store.find(Annotation, {"episode": episode.id})
    tasks = workspace.store.find(LabelTask, {"episode": episode.id})
    asked = {t.about for t in tasks if t.reason is TaskReason.SPOT_CHECK and t.state is not TaskState.DONE}
    person = annotator.strip() or (next(iter(asked)) if len(asked) == 1 else "")
    if not person:
        raise BadInput(f"Several people labelled {episode.name}, or no check was drawn: name one with --annotator.")
    kinds = tuple(dict.fromkeys(span.kind for span in spans if span.author == person))
    if not kinds:
        raise Refused(f"{person} has no labels of {episode.name}. See: fieldloop annotate labels {episode.name}")
    return kinds, person


def _measure_distance(workspace: Workspace, episode: Episode, kinds: Sequence[str], person: str) -> float | None:
    """Return how far, at most, boundaries lie from the lead's own; None where the lead labelled none of these kinds.

    A boundary that only one of them drew counts as far as the episode is long.
    """
    hz = read_limits(workspace, episode.task).frame_hz
    lasts = (episode.end_ns - episode.start_ns) * hz / NS_PER_S
    worst: list[float] = []
    for kind in kinds:
        where = {"episode": episode.id, "kind": kind}
        own, theirs = (
            workspace.store.find(Annotation, {**where, "author": who}) for who in (workspace.actor.id, person)
        )
        if not own or kind in NOT_COMPARED or person == workspace.actor.id:
            continue
        measured = compare_authors(own, theirs, hz)
        worst.append(lasts if measured.unmatched else measured.worst_frames or 0.0)
    return max(worst, default=None)


def _list_consequences(workspace: Workspace, check: SpotCheck) -> list[Event]:
    """Close the task of this check; wrong labels are dealt to the annotator again."""
    found = workspace.store.find(LabelTask, {"episode": check.episode, "about": check.annotator})
    closed: list[Event] = [
        LabelTaskMoved(
            replace(t, state=TaskState.DONE, taken_by=check.lead, done_ns=check.at_ns, lease_until_ns=None)
        )
        for t in found
        if t.reason is TaskReason.SPOT_CHECK and t.state in (TaskState.OPEN, TaskState.LEASED)
    ]  # fmt: skip
    if check.good:
        return closed
    again = LabelTask(
        workspace.ids.new("task"), check.episode, check.kinds, TaskReason.REPEAT, workspace.clock(),
        _get_taxonomy(workspace, check.episode), annotator=check.annotator, about=check.annotator,
    )  # fmt: skip
    return [*closed, LabelTasksDealt((again,))]


def _get_taxonomy(workspace: Workspace, episode: str) -> str:
    return find_taxonomy(workspace, workspace.store.get(Episode, episode).task).version_name
