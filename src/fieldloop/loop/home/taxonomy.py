"""Taxonomies at a glance: the files there are, the text of one, what lint says, and what a lock would change."""

from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.errors import BadInput, WorkspaceError
from fieldloop.loop.annotate.people import is_lead
from fieldloop.loop.annotate.taxonomy.change import TaxonomyChanges, compare_versions, find_labelled_spans
from fieldloop.loop.annotate.taxonomy.edited import name_file
from fieldloop.loop.annotate.taxonomy.in_force import (
    FOLDER,
    find_locks,
    find_predecessor,
    find_taxonomy_file,
    fingerprint_taxonomy,
    read_taxonomy_as_written,
)
from fieldloop.loop.annotate.taxonomy.taxonomies import AT, LockedTaxonomy, TaxonomyLinted, lint_taxonomy
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import TaxonomyLocked
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.text_files import read_text


@dataclass(frozen=True, slots=True)
class TaxonomiesShown:
    """The taxonomy of one task, and all that can be done with it.

    `files` are the taxonomy files of the workspace, by task. `file` is '' where the shipped or the last locked version
    is in force; then `text` is ''. `seen` names that text. `taxonomy` is None where the file cannot be read, and
    `unreadable` states why. `change` is what a lock would change, None where this version is locked. `compared` is the
    comparison that was asked for.
    """

    task: str
    files: tuple[str, ...]
    file: str
    text: str
    seen: str
    taxonomy: Taxonomy | None
    locked: bool
    versions: tuple[LockedTaxonomy, ...]
    may_change: bool
    linted: TaxonomyLinted | None = None
    change: TaxonomyChanges | None = None
    compared: TaxonomyChanges | None = None
    unreadable: str = ""


def show_taxonomies(workspace: Workspace, *, task: str = "", older: str = "", newer: str = "") -> TaxonomiesShown:
    """Show the taxonomies of a workspace: labels, text, lint, locked versions, and what a lock would change.

    Arguments:
        task: the task (default: the workspace's task)
        older: compare this locked version, NAME@VERSION or shipped, with `newer`
        newer: the version to compare with (default: the file as it is now)
    """
    files = tuple(path.stem for path in sorted((workspace.root / FOLDER).glob("*.toml")))
    task = _choose_task(workspace, task, files)
    path = find_taxonomy_file(workspace, task)
    file, text = f"{FOLDER}/{path.name}" if path else "", ""
    seen, may_change = name_file(path) if path else "", is_lead(workspace.actor)
    try:
        text = read_text(path) if path else ""
        words = read_taxonomy_as_written(workspace, task)
    except (BadInput, WorkspaceError) as wrong:
        versions = _list_versions(workspace, None)
        return TaxonomiesShown(task, files, file, text, seen, None, False, versions, may_change, unreadable=str(wrong))
    locked = any(lock.fingerprint == fingerprint_taxonomy(words) for lock in find_locks(workspace, words))
    changes = not locked and find_predecessor(workspace, words) is not None
    spans = find_labelled_spans(workspace, task) if changes or older else []
    return TaxonomiesShown(
        task, files, file, text, seen, words, locked, _list_versions(workspace, words), may_change,
        lint_taxonomy(workspace, task=task),
        compare_versions(workspace, spans, task=task) if changes else None,
        compare_versions(workspace, spans, older, newer, task=task) if older else None,
    )  # fmt: skip


def _choose_task(workspace: Workspace, task: str, files: Sequence[str]) -> str:
    """Return the task that was asked for; the first file's where none is named like the workspace's task."""
    asked = task or workspace.task
    return asked if asked in files or len(files) < 2 or task else files[0]  # noqa: PLR2004 - one file serves all tasks


def _list_versions(workspace: Workspace, words: Taxonomy | None) -> tuple[LockedTaxonomy, ...]:
    in_force = f"{words.name}{AT}{words.version}" if words else ""
    return tuple(
        LockedTaxonomy(lock.name, lock.version, lock.fingerprint, f"{lock.name}{AT}{lock.version}" == in_force)
        for lock in workspace.store.find(TaxonomyLocked, newest=True)
    )
