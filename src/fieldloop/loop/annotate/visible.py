"""Which labels a person may see: labels of others stay hidden where a person labels independently."""

from collections.abc import Sequence

from fieldloop.errors import Refused
from fieldloop.loop.annotate.qualified import explain_missing_qualification, find_calibration_sets, is_known_lead
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.labelling import INDEPENDENT, LabelTask, TaskReason, TaskState

Place = tuple[str, str]
"""An episode and a kind of labels."""


def select_visible_labels(
    workspace: Workspace, spans: Sequence[Annotation], person: str = ""
) -> tuple[tuple[Annotation, ...], frozenset[Place]]:
    """Return what a person may see of these labels, and the places where labels of others are hidden.

    Where two people label independently, each sees the other's labels, and proposals, only after handing in the own
    ones. A calibration set stays hidden until a person qualifies. A lead sees all but those of the own unfinished task.
    """
    who = person or workspace.actor.id
    hidden = _find_hidden_places(workspace, who)
    shown = tuple(span for span in spans if span.author == who or (span.episode, span.kind) not in hidden)
    places = {(span.episode, span.kind) for span in spans}
    return shown, frozenset(hidden & places)


def refuse_blind_decision(workspace: Workspace, episode: Episode, kind: str) -> None:
    """Refuse a lead who has yet to hand in own independent labels: a decision shows what others drew."""
    if is_hidden(workspace, episode.id, kind):
        raise Refused(
            f"Hand in your own {kind} labels of {episode.name} first: you label it independently, so what others drew "
            f"is hidden from you. Your task: fieldloop annotate labels {episode.name}; or have it withdrawn: fieldloop "
            "annotate withdraw TASK"
        )


def is_hidden(workspace: Workspace, episode: str, kind: str) -> bool:
    """Whether the actor may not yet see what others drew of a kind in an episode."""
    return (episode, kind) in _find_hidden_places(workspace, workspace.actor.id)


def _find_hidden_places(workspace: Workspace, person: str) -> frozenset[Place]:
    tasks = [
        task
        for task in workspace.store.find(LabelTask, {"reason": sorted(INDEPENDENT)})
        if task.state is not TaskState.WITHDRAWN
    ]
    hidden = _list_places([task for task in tasks if _is_unfinished_by(task, person)])
    if is_known_lead(workspace, person):
        return frozenset(hidden)
    finished = _list_places([t for t in tasks if t.taken_by == person and t.state is TaskState.DONE])
    pairs: dict[str, list[LabelTask]] = {}
    for task in (one for one in tasks if one.reason is TaskReason.DOUBLE):
        pairs.setdefault(task.pair, []).append(task)
    unfinished = [t for pair in pairs.values() if any(t.state is not TaskState.DONE for t in pair) for t in pair]
    hidden |= _list_places(unfinished) - finished
    if explain_missing_qualification(workspace, person) is not None:
        hidden |= {(episode, one.kind) for one in find_calibration_sets(workspace) for episode in one.episodes}
    return frozenset(hidden)


def _is_unfinished_by(task: LabelTask, person: str) -> bool:
    return person in (task.annotator, task.taken_by) and task.state is not TaskState.DONE


def _list_places(tasks: Sequence[LabelTask]) -> set[Place]:
    return {(task.episode, kind) for task in tasks for kind in task.kinds}
