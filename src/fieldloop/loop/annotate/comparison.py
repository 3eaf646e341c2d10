"""Compare labels once they are handed in: with the other halves of a pair, or with confident proposals."""

from collections.abc import Iterator, Sequence

from fieldloop.annotate import Source, classify_author, find_disputes
from fieldloop.loop.annotate.coming import Coming
from fieldloop.loop.annotate.numbers import read_limits
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.labelling import LabelTask, TaskReason, TaskState
from fieldloop.model.note import Note
from fieldloop.model.taxonomy import OVERLAPS

NOT_COMPARED = frozenset(kind for kind in OVERLAPS if kind != "contact")
"""Kinds whose spans overlap: frames then have several labels, which kappa over frames cannot compare."""


def make_decision_tasks(coming: Coming, episode: Episode, done: LabelTask) -> Iterator[LabelTask]:
    """Yield a task for the lead for each kind of labels that differs too far from those it is compared with.

    A half of a pair is compared once all halves are done or withdrawn; one that is left alone is compared with
    proposals, as labels without a pair are.
    """
    halves = [] if not done.pair else [t for t in coming.find_tasks(pair=done.pair) if t.id != done.id]
    others = [task for task in halves if task.state is not TaskState.WITHDRAWN]
    if done.reason is TaskReason.DOUBLE and any(task.state is not TaskState.DONE for task in others):
        return
    reason = TaskReason.ADJUDICATE if done.reason is TaskReason.DOUBLE and others else TaskReason.SUSPECT
    workspace = coming.workspace
    for kind in (one for one in done.kinds if one not in NOT_COMPARED):
        own = coming.find_spans(episode.id, kind, done.taken_by)
        because = (
            _compare_with_others(coming, episode, kind, own, others)
            if reason is TaskReason.ADJUDICATE
            else _compare_with_proposals(coming, episode, kind, own)
        )
        if because:
            yield LabelTask(
                workspace.ids.new("task"), episode.id, (kind,), reason, workspace.clock(), done.taxonomy,
                about=done.taken_by, because=tuple(because),
            )  # fmt: skip


def make_tasks_after_withdrawal(coming: Coming, withdrawn: LabelTask) -> list[LabelTask]:
    """Return what a lead decides because the half of a pair for which the others waited is withdrawn."""
    if withdrawn.reason is not TaskReason.DOUBLE:
        return []
    halves = [task for task in coming.find_tasks(pair=withdrawn.pair) if task.id != withdrawn.id]
    done = [task for task in halves if task.state is TaskState.DONE]
    if not done:
        return []
    last = max(done, key=lambda task: task.done_ns or 0)
    return list(make_decision_tasks(coming, coming.workspace.store.get(Episode, last.episode), last))


def _compare_with_others(
    coming: Coming, episode: Episode, kind: str, own: Sequence[Annotation], others: Sequence[LabelTask]
) -> list[Note]:
    """Compare with every other person of the pair; a change of taxonomy may join three."""
    limits = read_limits(coming.workspace, episode.task)
    return [
        why for one in others for why in find_disputes(own, coming.find_spans(episode.id, kind, one.taken_by), limits)
    ]


def _compare_with_proposals(coming: Coming, episode: Episode, kind: str, own: Sequence[Annotation]) -> list[Note]:
    least = coming.workspace.operations["annotate"].number("suspect_confidence")
    spans = coming.workspace.store.find(Annotation, {"episode": episode.id, "kind": kind})
    proposed = [span for span in spans if classify_author(span.author) is Source.MACHINE]
    if not proposed or any(span.confidence is None or span.confidence < least for span in proposed):
        return []
    return find_disputes(own, proposed, read_limits(coming.workspace, episode.task))
