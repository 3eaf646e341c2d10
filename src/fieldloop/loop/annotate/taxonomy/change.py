"""Change a taxonomy: lock a version, carry labels over, and have exactly those labelled again that it touches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fieldloop.annotate import Source, classify_author, compare_taxonomies, find_edge_cases
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.annotate.people import require_lead
from fieldloop.loop.annotate.taxonomy.carried_labels import move_labels
from fieldloop.loop.annotate.taxonomy.in_force import (
    find_locks,
    find_predecessor,
    is_governed,
    read_locked_taxonomy,
    read_taxonomy_as_written,
)
from fieldloop.loop.annotate.taxonomy.lock import make_taxonomy_lock
from fieldloop.loop.annotate.taxonomy.taxonomies import lint_taxonomy, read_named_taxonomy
from fieldloop.loop.annotate.visible import select_visible_labels
from fieldloop.loop.audit.audit import require_complete_audit
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import KINDS, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import Event
from fieldloop.model.labelling import LabelTask, SavedLabels, TaskReason, TaskState, TaxonomyMigration
from fieldloop.model.labelling_event import LabelTasksDealt, TaxonomyMigrated
from fieldloop.model.note import note
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.model.taxonomy_change import Change, LabelChange, TouchedEpisode
from fieldloop.say import write_sentence
from fieldloop.say.refusals import write_refusal
from fieldloop.store import Expected

Becomes = Mapping[tuple[str, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TaxonomyChanges:
    """What changed between two versions, and the episodes and kinds that are labelled again for it.

    `touched` states only labels that the reader may see. `hidden` counts further episodes and kinds: labels of others
    are hidden there, because the reader labels independently.
    `unmapped` are labels in use that the newer version lacks: `migrate` must state what becomes of them.
    `lock` states whether the newer version was locked now, or was locked before; '' where versions were only compared.
    """

    older: str
    newer: str
    changes: tuple[LabelChange, ...]
    touched: tuple[TouchedEpisode, ...]
    unmapped: tuple[str, ...] = ()
    renamed_spans: int = 0
    dealt: int = 0
    lock: Literal["", "now", "before"] = ""
    hidden: int = 0


def compare_two_taxonomies(
    workspace: Workspace, older: str = "", newer: str = "", *, map_: tuple[str, ...] = (), task: str = ""
) -> TaxonomyChanges:
    """Compare two versions of a taxonomy: changed labels, and the episodes that would be labelled again.

    Arguments:
        older: a locked version as NAME@VERSION, or shipped (default: the version that was locked last)
        newer: the version to compare with (default: the file as it is now)
        map_: what became of an earlier label: reach=approach, kind:reach=approach, or a split reach=approach,pre-grasp
        task: the task whose file is meant (default: the workspace's task)
    """
    return compare_versions(workspace, find_labelled_spans(workspace, task), older, newer, map_=map_, task=task)


def compare_versions(
    workspace: Workspace,
    spans: Sequence[Annotation],
    older: str = "",
    newer: str = "",
    *,
    map_: tuple[str, ...] = (),
    task: str = "",
) -> TaxonomyChanges:
    """Compare two versions as `taxonomy diff` does, by labels that were read already."""
    after = read_named_taxonomy(workspace, newer, task)
    before = read_named_taxonomy(workspace, older) if older else _find_last_locked(workspace, after) or after
    mapping = _parse_mapping(map_, before, after)
    changes = compare_taxonomies(before, after, mapping)
    touched, unmapped = _find_touched(workspace, changes, spans)
    visible, hidden = _leave_out_hidden(workspace, changes, spans, touched)
    return TaxonomyChanges(before.version_name, after.version_name, changes, visible, unmapped, hidden=hidden)


def lock_new_taxonomy(workspace: Workspace, *, task: str = "") -> TaxonomyChanges:
    """Lock the taxonomy's version; labels that a change touches are dealt again, and only those.

    The audit comes first: labels that do not fit the deployment would have to be made again. An incomplete audit needs
    `audit override`. Labels in use that the new version lacks need `taxonomy migrate` instead.

    Arguments:
        task: the task (default: the workspace's task)
    """
    return _write_new_version(workspace, task, ())


def migrate_taxonomy(workspace: Workspace, *, map_: tuple[str, ...], task: str = "") -> TaxonomyChanges:
    """Lock a new version and carry labels over: renamed labels are replaced, split ones are labelled again.

    Labels of an episode that hold a split label count no more until they are made again; each person keeps them as a
    draft. What people saved gets a new revision with the new names.

    Frozen releases keep their labels and their id.

    Arguments:
        map_: what became of an earlier label: reach=approach, kind:reach=approach, or a split reach=approach,pre-grasp
        task: the task (default: the workspace's task)
    """
    return _write_new_version(workspace, task, map_)


def _write_new_version(workspace: Workspace, task: str, written: Sequence[str]) -> TaxonomyChanges:
    require_lead(workspace, "lock a taxonomy")
    require_complete_audit(workspace)
    linted = lint_taxonomy(workspace, task=task)
    words = read_taxonomy_as_written(workspace, task)
    if linted.errors:
        listed = [write_sentence(error) for error in linted.errors]
        lead = f"{words.version_name} cannot be locked"
        raise Refused(write_refusal(lead, listed, "See: fieldloop taxonomy lint"), linted.errors)
    last = workspace.last_seq()
    before = _find_last_locked(workspace, words)
    if find_locks(workspace, words):
        return TaxonomyChanges(words.version_name, words.version_name, (), (), lock="before")
    mapping = _parse_mapping(written, before, words) if before else {}
    changes = compare_taxonomies(before, words, mapping) if before else ()
    governed = find_labelled_spans(workspace, task) if changes else []
    touched, unmapped = _find_touched(workspace, changes, governed)
    if unmapped:
        raise Refused(
            f"{words.version_name} lacks labels in use: {', '.join(unmapped)}. State what becomes of each: "
            f"fieldloop taxonomy migrate --map {unmapped[0].replace(' ', ':')}=NEW"
        )
    renamed = {(c.kind, c.label): c.became[0] for c in changes if c.change is Change.RENAMED}
    gone = {(c.kind, c.label) for c in changes if c.change in (Change.SPLIT, Change.REMOVED)}
    carried = move_labels(workspace, governed, renamed, gone, words.version_name)
    tasks = _make_tasks_again(workspace, touched, words, changes)
    older = before.version_name if before else ""
    migration = TaxonomyMigration(
        older, words.version_name, tuple((kind, a, b) for (kind, a), b in renamed.items()),
        sum(len(event.annotations) for event in carried.renamed), tuple((t.episode, t.kind) for t in touched),
    )  # fmt: skip
    events: list[Event] = [make_taxonomy_lock(workspace, words), *carried.renamed, *carried.withdrawn, *carried.saved]
    events += [TaxonomyMigrated(migration)] * bool(before)
    events += [LabelTasksDealt(tuple(tasks))] * bool(tasks)
    workspace.write(*events, expect=[Expected(noun, last) for noun in (Annotation, SavedLabels, LabelTask)])
    visible, hidden = _leave_out_hidden(workspace, changes, governed, touched)
    return TaxonomyChanges(
        older or words.version_name, words.version_name, changes, visible, (), migration.spans, len(tasks), "now",
        hidden,
    )  # fmt: skip


def _find_last_locked(workspace: Workspace, words: Taxonomy) -> Taxonomy | None:
    """Return the version to compare with; taxonomies of other tasks are none."""
    lock = find_predecessor(workspace, words)
    return read_locked_taxonomy(workspace, lock) if lock else None


def find_labelled_spans(workspace: Workspace, task: str) -> list[Annotation]:
    """Return the labels of the episodes that a task's taxonomy is for, those that were set aside included."""
    by_task: dict[str, bool] = {}
    inside = set()
    for episode in workspace.store.find(Episode):
        if episode.task not in by_task:
            by_task[episode.task] = is_governed(workspace, episode.task, task)
        if by_task[episode.task]:
            inside.add(episode.id)
    return [span for span in workspace.store.find(Annotation) if span.episode in inside]


def _parse_mapping(written: Sequence[str], before: Taxonomy, after: Taxonomy) -> Becomes:
    """Read `kind:old=new`, `old=new` and `old=new,new`; both sides must exist."""
    mapping: dict[tuple[str, str], tuple[str, ...]] = {}
    for word in written:
        left, _, right = (part.strip() for part in word.partition("="))
        kind, _, old = left.rpartition(":")
        names = tuple(part.strip() for part in right.split(",") if part.strip())
        kinds = [one for one in ([kind] if kind else KINDS) if any(x.name == old for x in before.get_labels(one))]
        if not names:
            raise BadInput(f"{word!r} states no new name. Write for example reach=approach.")
        if not kinds:
            raise BadInput(f"{word!r}: {before.version_name} has no label {left!r}.")
        if len(kinds) > 1:
            raise BadInput(f"{word!r}: {old} is a label of {' and '.join(kinds)}. Write {kinds[0]}:{old}={right}.")
        for name in names:
            if not any(label.name == name for label in after.get_labels(kinds[0])):
                raise BadInput(f"{word!r}: {after.version_name} has no {kinds[0]} {name!r}.")
        mapping[kinds[0], old] = names
    return mapping


def _find_touched(
    workspace: Workspace, changes: Iterable[LabelChange], spans: Sequence[Annotation]
) -> tuple[tuple[TouchedEpisode, ...], tuple[str, ...]]:
    """Return the episodes and kinds with labels that changed, and removed labels that are in use."""
    everywhere = {(c.kind, c.label) for c in changes if c.change in (Change.MEANING, Change.SPLIT)}
    at_edges = {(c.kind, c.label) for c in changes if c.change is Change.EDGE_CASES}
    removed = {(c.kind, c.label) for c in changes if c.change is Change.REMOVED}
    if not everywhere | at_edges | removed:
        return (), ()
    episodes = {episode.id: episode for episode in workspace.store.find(Episode, IN_USE)}
    share = workspace.operations["annotate"].number("edge_case_share")
    edge = find_edge_cases(list(episodes.values()), share) if at_edges else frozenset()
    found: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
    unmapped: dict[str, None] = {}
    for span in spans:
        place = (span.kind, span.label)
        if place in removed and classify_author(span.author) is not Source.MACHINE:
            unmapped[f"{span.kind} {span.label}"] = None
        if span.episode in episodes and (place in everywhere or (place in at_edges and span.episode in edge)):
            labels, authors = found.setdefault((span.episode, span.kind), (set(), set()))
            labels.add(span.label)
            authors.add(span.author)
    touched = tuple(
        TouchedEpisode(key, episodes[key].name, kind, tuple(sorted(labels)), tuple(sorted(authors)))
        for (key, kind), (labels, authors) in found.items()
        if any(classify_author(author) is not Source.MACHINE for author in authors)
    )
    return touched, tuple(unmapped)


def _leave_out_hidden(
    workspace: Workspace,
    changes: Sequence[LabelChange],
    spans: Sequence[Annotation],
    touched: Sequence[TouchedEpisode],
) -> tuple[tuple[TouchedEpisode, ...], int]:
    """Return what a person may see of the touched episodes, and how many episodes and kinds that leaves out."""
    shown, hidden = select_visible_labels(workspace, spans)
    if not hidden:
        return tuple(touched), 0
    visible, _ = _find_touched(workspace, changes, shown)
    return visible, len(touched) - len(visible)


def _make_tasks_again(
    workspace: Workspace, touched: Sequence[TouchedEpisode], words: Taxonomy, changes: Sequence[LabelChange]
) -> list[LabelTask]:
    """Deal each touched episode to those who labelled it; two people label it independently again."""
    open_tasks = {
        (task.episode, kind, person)
        for task in workspace.store.find(LabelTask, {"state": [TaskState.OPEN, TaskState.LEASED]})
        for kind in task.kinds
        for person in (task.annotator, task.taken_by)
        if person
    }
    became = {(c.kind, c.label): c.became for c in changes if c.change is Change.RENAMED}
    tasks = []
    for one in touched:
        people = [author for author in one.authors if classify_author(author) is Source.PERSON] or [""]
        people = [person for person in people if (one.episode, one.kind, person) not in open_tasks]
        pair = workspace.ids.new("pair") if len(people) > 1 else ""
        labels = tuple(name for label in one.labels for name in became.get((one.kind, label), (label,)))
        why = note("annotate.taxonomy_changed", taxonomy=words.version_name, labels=labels)
        tasks += [
            LabelTask(
                workspace.ids.new("task"), one.episode, (one.kind,),
                TaskReason.DOUBLE if pair else TaskReason.CHANGED_TAXONOMY, workspace.clock(), words.version_name,
                annotator=person, pair=pair, because=(why,),
            )
            for person in people
        ]  # fmt: skip
    return tasks
