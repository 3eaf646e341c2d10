"""Lock the annotation taxonomy at its first use, after a complete audit."""

import json
from collections.abc import Iterable, Sequence

from fieldloop.errors import Refused
from fieldloop.loop.annotate.taxonomy.in_force import (
    LOCKED_SCHEMA,
    find_lock_left,
    find_locks,
    find_predecessor,
    find_taxonomy,
    find_taxonomy_file,
    fingerprint_taxonomy,
    list_file_names,
    read_taxonomy_text,
)
from fieldloop.loop.audit.audit import require_complete_audit
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.event import TaxonomyLocked
from fieldloop.model.taxonomy import Taxonomy


def lock_taxonomy(workspace: Workspace, words: Taxonomy) -> None:
    """Lock the first version of a taxonomy; refuse one that was locked with other labels, and a version after it.

    A version that follows a locked one changes labels in use: only `taxonomy lock` has these labelled again.

    The audit comes first, because labels that do not fit the deployment would have to be made again. An incomplete
    audit needs `audit override`, which is recorded.
    """
    fingerprint = fingerprint_taxonomy(words)
    locked = find_locks(workspace, words)
    if not locked:
        if before := find_predecessor(workspace, words):
            raise Refused(
                f"{words.version_name} is not locked yet, and labels were made under {before.name} v{before.version}. "
                "A lead locks it, which deals the labels that it changes again: fieldloop taxonomy lock"
            )
        if left := find_lock_left(workspace, words, list_file_names(workspace, words)):
            raise Refused(
                f"Labels were made under {left.name} v{left.version}, and its file now holds {words.version_name}. "
                f'Write follows = "{left.name} v{left.version}" under [taxonomy], so that these labels are compared.'
            )
        require_complete_audit(workspace)
        workspace.write(make_taxonomy_lock(workspace, words))
    elif locked[0].fingerprint != fingerprint:
        raise Refused(
            f"The taxonomy {words.name} v{words.version} was locked here with other labels ({locked[0].fingerprint}). "
            "Give the change a new version."
        )


def make_taxonomy_lock(workspace: Workspace, words: Taxonomy) -> TaxonomyLocked:
    """Return the event that locks a version, after its labels and its text are stored on the shelf."""
    kept = {"schema": LOCKED_SCHEMA, "text": read_taxonomy_text(workspace, words), "taxonomy": to_plain(words)}
    content = workspace.shelf.put_bytes(json.dumps(kept, ensure_ascii=False).encode())
    return TaxonomyLocked(words.name, words.version, fingerprint_taxonomy(words), content)


def find_locked_taxonomies(workspace: Workspace, tasks: Iterable[str]) -> dict[str, str]:
    """Return the locked version under which episodes of each task are labelled, '' where none is.

    A file with a newer version that is not locked yet changes nothing. A task that only borrows the taxonomy of another
    is labelled under it from its own first label on, so that a lock for one task demands no labels of another.
    """
    names = {task: _name_locked_version(workspace, find_taxonomy(workspace, task)) for task in tasks}
    borrowing = [task for task, name in names.items() if name and not _has_own_taxonomy(workspace, task)]
    unlabelled = set(borrowing) - _find_labelled_tasks(workspace, borrowing)
    return {task: "" if task in unlabelled else name for task, name in names.items()}


def _name_locked_version(workspace: Workspace, words: Taxonomy) -> str:
    if is_locked(workspace, words):
        return words.version_name
    before = find_predecessor(workspace, words)
    return f"{before.name} v{before.version}" if before else ""


def _has_own_taxonomy(workspace: Workspace, task: str) -> bool:
    """Whether the taxonomy in force for a task is meant for it: the workspace's task, or one named like the task."""
    file = find_taxonomy_file(workspace, task)
    named = file.stem if file else find_taxonomy(workspace, task).name
    return task in ("", workspace.task, named)


def _find_labelled_tasks(workspace: Workspace, tasks: Sequence[str]) -> set[str]:
    """Return the tasks of which some episode has labels."""
    if not tasks:
        return set()
    labelled = {episode for (episode,) in workspace.store.views.list_distinct(Annotation, ("episode",), {})}
    return {one.task for one in workspace.store.find(Episode, {"task": list(tasks)}) if one.id in labelled}


def is_locked(workspace: Workspace, words: Taxonomy) -> bool:
    """Tell whether episodes were annotated with this version here; from then on a release requires phases."""
    return bool(find_locks(workspace, words))
