"""Deal episodes to annotators; a share is labelled twice, independently, edge cases more often than others."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fieldloop.annotate import count_doubles, deal_episodes, draw_doubles, find_edge_cases
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.annotate.coming import Coming
from fieldloop.loop.annotate.comparison import make_tasks_after_withdrawal
from fieldloop.loop.annotate.numbers import DOUBLE_SHARE, read_annotation_number
from fieldloop.loop.annotate.people import require_lead
from fieldloop.loop.annotate.qualified import find_calibration_sets
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy, require_kind
from fieldloop.loop.annotate.taxonomy.lock import lock_taxonomy
from fieldloop.loop.annotate.usable_episodes import find_usable_episodes, require_usable_episode
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE
from fieldloop.model.episode import Episode
from fieldloop.model.labelling import Adjudication, LabelTask, SavedLabels, TaskReason, TaskState
from fieldloop.model.labelling_event import LabelTasksDealt
from fieldloop.model.note import Note, note
from fieldloop.store import Expected, Unchanged


@dataclass(frozen=True, slots=True)
class Dealt:
    """The tasks that were dealt, and how many episodes are labelled twice; `edge_cases` counts those among them."""

    tasks: tuple[LabelTask, ...]
    episodes: int
    twice: int
    edge_cases_twice: int
    by_annotator: tuple[tuple[str, int], ...]
    notes: tuple[Note, ...] = ()


def deal_tasks(
    workspace: Workspace,
    episode: tuple[str, ...] = (),
    *,
    kind: tuple[str, ...] = (),
    annotator: tuple[str, ...] = (),
    count: int | None = None,
    salt: str = "",
) -> Dealt:
    """Deal episodes to annotators: one task each, and two independent tasks for a share of the episodes.

    Without names of episodes, those are dealt that passed their checks or that a release can repair, that no person
    has labelled and that are not decided or dealt yet. At least `annotation.min_double_share` of all dealt episodes are
    labelled twice, edge cases over-represented.

    Arguments:
        episode: only these episodes (names or ids)
        kind: kinds of labels of each task (repeatable; default: phase)
        annotator: who gets tasks (repeatable; default: anyone who qualifies takes them)
        count: at most this many episodes
        salt: another word draws other episodes for double annotation
    """
    require_lead(workspace, "deal tasks")
    kinds = tuple(dict.fromkeys(kind)) or (PHASE,)
    people = tuple(dict.fromkeys(name.strip() for name in annotator))
    if "" in people or (count is not None and count < 1):
        raise BadInput("Name annotators by their names, and state a count from 1.")
    last = workspace.last_seq()
    known = [task for task in workspace.store.find(LabelTask) if task.state is not TaskState.WITHDRAWN]
    chosen = _choose_episodes(workspace, episode, kinds, known)[:count]
    if not chosen:
        raise Refused(
            "No episode is left to deal: those that passed their checks, or that a release can repair, are dealt, "
            "labelled or decided; or none has passed yet. See: fieldloop annotate tasks"
        )
    edge = _find_edge_cases(workspace)
    doubled = _choose_doubled(workspace, chosen, known, kinds, edge, salt)
    tasks = _make_tasks(workspace, chosen, doubled, people, kinds, known)
    for task in {one.task for one in chosen}:
        lock_taxonomy(workspace, find_taxonomy(workspace, task))
    workspace.write(LabelTasksDealt(tuple(tasks)), expect=Expected(LabelTask, last))
    counted = Counter(task.annotator or "anyone" for task in tasks)
    missing = [] if find_calibration_sets(workspace) else [note("annotate.deal_without_calibration")]
    return Dealt(
        tuple(tasks), len(chosen), len(doubled), len(doubled & edge), tuple(sorted(counted.items())), tuple(missing)
    )


def withdraw_task(workspace: Workspace, task: str) -> LabelTask:
    """Withdraw a task that was dealt by mistake; drafts stay.

    Where it was the half of a pair that the others waited for, these are compared now.

    Arguments:
        task: the task's id, or a unique beginning of it
    """
    require_lead(workspace, "withdraw tasks")
    found = workspace.store.get(LabelTask, task)
    if found.state is TaskState.DONE:
        raise Refused("This task is done. To have it labelled again: fieldloop annotate spot-check")
    pair = workspace.store.find(LabelTask, {"pair": found.pair}) if found.pair else [found]
    coming = Coming(workspace)
    moved = coming.move(replace(found, state=TaskState.WITHDRAWN, lease_until_ns=None))
    decisions = make_tasks_after_withdrawal(coming, moved.task)
    dealt = [LabelTasksDealt(tuple(decisions))] if decisions else []
    workspace.write(moved, *dealt, expect=Unchanged(LabelTask, tuple(task.id for task in pair), tuple(pair)))
    return moved.task


def _choose_episodes(
    workspace: Workspace, named: Sequence[str], kinds: Sequence[str], known: Sequence[LabelTask]
) -> list[Episode]:
    chosen = [find_episode(workspace, name) for name in named]
    for one in chosen:
        require_usable_episode(workspace, one)
    dealt = {task.episode for task in known if set(task.kinds) & set(kinds)}
    if again := [one.name for one in chosen if one.id in dealt]:
        raise Refused(f"{', '.join(again[:3])}: dealt already. See: fieldloop annotate tasks")
    if not named:
        submitted = workspace.store.views.list_distinct(SavedLabels, ("episode", "kind"), {"submitted": True})
        decided = workspace.store.views.list_distinct(Adjudication, ("episode", "kind"), {})
        ready = {*submitted, *decided}
        chosen = [
            one
            for one in find_usable_episodes(workspace)
            if one.id not in dealt and not all((one.id, kind) in ready for kind in kinds)
        ]
    for task in {one.task for one in chosen}:
        for kind in kinds:
            require_kind(find_taxonomy(workspace, task), kind)
    return chosen


def _find_edge_cases(workspace: Workspace) -> frozenset[str]:
    share = workspace.operations["annotate"].number("edge_case_share")
    return find_edge_cases(workspace.store.find(Episode, IN_USE), share)


def _choose_doubled(
    workspace: Workspace,
    chosen: Sequence[Episode],
    known: Sequence[LabelTask],
    kinds: Sequence[str],
    edge: frozenset[str],
    salt: str,
) -> frozenset[str]:
    earlier = [task for task in known if set(task.kinds) & set(kinds)]
    dealt = {task.episode for task in earlier if task.reason in (TaskReason.LABEL, TaskReason.DOUBLE)}
    twice = {task.episode for task in earlier if task.reason is TaskReason.DOUBLE}
    share = read_annotation_number(workspace, DOUBLE_SHARE)
    wanted = count_doubles(len(chosen), share, len(dealt), len(twice))
    weight = workspace.operations["annotate"].number("edge_case_weight")
    return draw_doubles([one.id for one in chosen], wanted, edge, weight, salt)


def _make_tasks(
    workspace: Workspace,
    chosen: Sequence[Episode],
    doubled: frozenset[str],
    people: Sequence[str],
    kinds: tuple[str, ...],
    known: Sequence[LabelTask],
) -> list[LabelTask]:
    load = Counter(task.annotator for task in known if task.state is not TaskState.DONE)
    versions = {task: find_taxonomy(workspace, task).version_name for task in {one.task for one in chosen}}
    by_id = {one.id: one for one in chosen}
    tasks = []
    for hand in deal_episodes([one.id for one in chosen], doubled, people, load):
        pair = workspace.ids.new("pair") if hand.episode in doubled else ""
        reason = TaskReason.DOUBLE if pair else TaskReason.LABEL
        names = hand.people or ("",)
        tasks += [
            LabelTask(
                workspace.ids.new("task"), hand.episode, kinds, reason, workspace.clock(),
                versions[by_id[hand.episode].task], annotator=name, pair=pair,
            )
            for name in names
        ]  # fmt: skip
    return tasks
