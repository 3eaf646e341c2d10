"""The taxonomy in force: the workspace's file, else the version that was locked last, else the shipped one."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

from fieldloop.annotate import load_shipped_taxonomy, load_whole_taxonomy, parse_taxonomy, read_whole_taxonomy_text
from fieldloop.errors import BadInput, Refused, UnknownName, WorkspaceError
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import KINDS, PHASE
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.event import TaxonomyLocked
from fieldloop.model.taxonomy import Label, Taxonomy
from fieldloop.protocol.layers import compute_fingerprint
from fieldloop.text_files import read_text

FOLDER = "taxonomies"
LOCKED_SCHEMA = "locked-taxonomy/1"
LATER_FIELDS = ("part_of", "includes", "key", "card", "picture", "edge_cases", "examples")
"""Fields of a label that came later; empty ones are not hashed, so versions locked before keep their fingerprint."""


def find_taxonomy(workspace: Workspace, task: str = "") -> Taxonomy:
    """Return the taxonomy in force for a task; a locked one whose file was edited is refused."""
    found = read_taxonomy_as_written(workspace, task)
    for lock in find_locks(workspace, found):
        if lock.fingerprint != fingerprint_taxonomy(found):
            raise Refused(
                f"The taxonomy {found.version_name} was locked here with other labels ({lock.fingerprint}). "
                f"Give the change a new version: version = {found.version + 1}, or undo the change. "
                "To see what changed: fieldloop taxonomy diff"
            )
    return found


def read_taxonomy_as_written(workspace: Workspace, task: str = "") -> Taxonomy:
    """Return the taxonomy as its file states it, even where a locked version was changed."""
    if path := find_taxonomy_file(workspace, task):
        return _parse_once(read_text(path, WorkspaceError), f"{FOLDER}/{path.name}")
    locks = workspace.store.find(TaxonomyLocked, newest=True)
    named = [lock for name in (task, workspace.task) for lock in locks if lock.name == name]
    return read_locked_taxonomy(workspace, (named or locks)[0]) if locks else load_whole_taxonomy()


def list_phase_labels(workspace: Workspace | None, task: str = "") -> tuple[Label, ...]:
    """Return the phases of a task's taxonomy, which its protocol may name; the shipped ones without a workspace."""
    words = load_shipped_taxonomy() if workspace is None else read_taxonomy_as_written(workspace, task)
    return words.get_labels(PHASE)


def find_taxonomy_file(workspace: Workspace, task: str = "") -> Path | None:
    """Return the file of a task's taxonomy: named like the task, else like the workspace's task, else the only one."""
    paths = {path.stem: path for path in sorted((workspace.root / FOLDER).glob("*.toml"))}
    for name in (task, workspace.task):
        if name in paths:
            return paths[name]
    if len(paths) > 1:
        raise BadInput(
            f"{FOLDER}/ holds {', '.join(f'{name}.toml' for name in paths)}, and none is named like the task "
            f"{task or workspace.task!r}. Name one of them {workspace.task}.toml."
        )
    return next(iter(paths.values()), None)


def is_governed(workspace: Workspace, episode_task: str, task: str) -> bool:
    """Whether episodes of one task are labelled by the same file as another task."""
    try:
        return find_taxonomy_file(workspace, episode_task) == find_taxonomy_file(workspace, task)
    except BadInput:  # no file is meant for the episodes' task
        return False


def read_locked_taxonomy(workspace: Workspace, lock: TaxonomyLocked) -> Taxonomy:
    """Return a locked version as it was when it was locked."""
    if lock.content is not None:
        return _read_kept(workspace.shelf.read(lock.content.sha256))
    shipped = load_shipped_taxonomy()
    if (shipped.name, shipped.version) == (lock.name, lock.version):
        return shipped
    raise BadInput(
        f"{lock.name} v{lock.version} was locked before labels were stored; only {lock.fingerprint} is known. "
        "Write its labels into a new file: fieldloop taxonomy new NAME"
    )


def read_taxonomy_text(workspace: Workspace, words: Taxonomy) -> str:
    """Return the text of a file or a shipped file that states this very taxonomy; '' where none does."""
    files = sorted((workspace.root / FOLDER).glob("*.toml"))
    readers: list[Callable[[], str]] = [*(partial(read_text, path) for path in files), read_whole_taxonomy_text]
    for read in readers:
        with suppress(BadInput):  # another file that cannot be read must not block this one
            text = read()
            if parse_taxonomy(text)[0] == words:
                return text
    return ""


def find_locks(workspace: Workspace, words: Taxonomy) -> list[TaxonomyLocked]:
    """Return the lock of this version, in a list; none where it is not locked."""
    return workspace.store.find(TaxonomyLocked, {"name": words.name, "version": words.version})


def find_predecessor(workspace: Workspace, words: Taxonomy) -> TaxonomyLocked | None:
    """Return the version that labels were made under before this one: the last lock of its name, or that it follows."""
    locks = workspace.store.find(TaxonomyLocked, newest=True)
    return next((lock for lock in locks if _is_before(lock, words)), None)


def find_lock_left(workspace: Workspace, words: Taxonomy, names: Iterable[str]) -> TaxonomyLocked | None:
    """Return the lock that a file had under one of these names, where its taxonomy has a new name and follows none.

    Labels made under that lock are in use. A new name without `follows` would change them unnoticed.
    """
    if find_locks(workspace, words) or find_predecessor(workspace, words):
        return None
    former = {name for name in names if name != words.name}
    return next((one for one in workspace.store.find(TaxonomyLocked, newest=True) if one.name in former), None)


def list_file_names(workspace: Workspace, words: Taxonomy) -> list[str]:
    """Return the names of the files that state this very taxonomy, without their endings."""
    names = []
    for path in sorted((workspace.root / FOLDER).glob("*.toml")):
        with suppress(BadInput, WorkspaceError):
            if _parse_once(read_text(path), f"{FOLDER}/{path.name}") == words:
                names.append(path.stem)
    return names


def _is_before(lock: TaxonomyLocked, words: Taxonomy) -> bool:
    if lock.name == words.name:
        return lock.version != words.version
    return f"{lock.name} v{lock.version}" == words.follows


@lru_cache(maxsize=16)
def _parse_once(text: str, name: str) -> Taxonomy:
    """Parse a taxonomy once per content of its file: every autosave asks for it."""
    return parse_taxonomy(text, name)[0]


@lru_cache(maxsize=16)
def _read_kept(content: bytes) -> Taxonomy:
    """Read a locked version once per content."""
    return from_plain(Taxonomy, json.loads(content)["taxonomy"])


@lru_cache(maxsize=16)
def fingerprint_taxonomy(words: Taxonomy) -> str:
    """Name a taxonomy by its content.

    >>> from fieldloop.model.taxonomy import Label
    >>> a, b = (Taxonomy("t", 1, (Label("a", "d", "b", "e", key=key),)) for key in ("", "1"))
    >>> fingerprint_taxonomy(a) == fingerprint_taxonomy(b)
    False
    """
    plain = to_plain(words)
    plain["labels"] = [_leave_out_empty_fields(label) for label in plain["labels"]]
    return compute_fingerprint({key: value for key, value in plain.items() if value or key in ("name", "version")})


def _leave_out_empty_fields(label: dict[str, object]) -> dict[str, object]:
    kept = {name: value for name, value in label.items() if value or name not in LATER_FIELDS}
    return kept if kept.get("kind") != "phase" else {name: value for name, value in kept.items() if name != "kind"}


def require_kind(taxonomy: Taxonomy, kind: str) -> None:
    """Refuse a kind of labels that does not exist, or for which the taxonomy has no label."""
    if kind not in KINDS:
        raise UnknownName("kind of labels", kind, KINDS, ", ".join(KINDS))
    if kind not in taxonomy.kinds:
        raise BadInput(f"{taxonomy.version_name} has no labels of the kind {kind}, only {', '.join(taxonomy.kinds)}.")
