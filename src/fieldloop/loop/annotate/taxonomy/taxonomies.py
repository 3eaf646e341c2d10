"""Taxonomies as files: show, start, fork, look over and compare them."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fieldloop.annotate import (
    find_taxonomy_errors,
    find_taxonomy_remarks,
    load_whole_taxonomy,
    parse_taxonomy,
    read_whole_taxonomy_text,
)
from fieldloop.errors import BadInput, FieldloopError, UnknownName
from fieldloop.loop.annotate.people import require_lead
from fieldloop.loop.annotate.taxonomy.in_force import (
    FOLDER,
    find_lock_left,
    find_locks,
    find_taxonomy,
    find_taxonomy_file,
    fingerprint_taxonomy,
    read_locked_taxonomy,
    read_taxonomy_as_written,
)
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.workspace import TASK_NAME, Workspace
from fieldloop.model.event import TaxonomyLocked
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.text_files import read_text

AT = "@"
HEAD = {
    "name": re.compile(r'^name(\s*)= *".*"[ \t]*$', re.MULTILINE),
    "version": re.compile(r"^version(\s*)= *\d+[ \t]*$", re.MULTILINE),
    "follows": re.compile(r'^follows(\s*)= *".*"[ \t]*\n', re.MULTILINE),
}
TABLE = re.compile(r"^\[taxonomy\][ \t]*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LockedTaxonomy:
    """A version that was locked, and whether it is the one in force."""

    name: str
    version: int
    fingerprint: str
    in_force: bool


@dataclass(frozen=True, slots=True)
class TaxonomyShown:
    """The taxonomy in force: where it comes from, whether it is locked, its labels, and all locked versions."""

    name: str
    version: int
    fingerprint: str
    file: str
    locked: bool
    taxonomy: Taxonomy
    versions: tuple[LockedTaxonomy, ...]


@dataclass(frozen=True, slots=True)
class TaxonomyStarted:
    """The file that was written, what it was copied from, and the next command."""

    file: str
    like: str
    next: str


@dataclass(frozen=True, slots=True)
class TaxonomyLinted:
    """What must be mended before a lock, and what annotators will miss."""

    name: str
    version: int
    file: str
    errors: tuple[Note, ...]
    remarks: tuple[Note, ...]

    @property
    def exit_ok(self) -> bool:
        """May it be locked?"""
        return not self.errors


def show_taxonomy(workspace: Workspace, *, task: str = "", version: str = "") -> TaxonomyShown:
    """Show the taxonomy in force: kinds and labels with definitions, boundaries, keys and reference cards.

    Arguments:
        task: the task (default: the workspace's task)
        version: a locked version instead, as NAME@VERSION
    """
    path = None if version else find_taxonomy_file(workspace, task)
    words = read_named_taxonomy(workspace, version) if version else find_taxonomy(workspace, task)
    versions = tuple(
        LockedTaxonomy(
            lock.name, lock.version, lock.fingerprint, (lock.name, lock.version) == (words.name, words.version)
        )
        for lock in workspace.store.find(TaxonomyLocked, newest=True)
    )
    file = f"{FOLDER}/{path.name}" if path else ""
    locked = bool(find_locks(workspace, words))
    return TaxonomyShown(words.name, words.version, fingerprint_taxonomy(words), file, locked, words, versions)


def write_new_taxonomy(workspace: Workspace, name: str) -> TaxonomyStarted:
    """Write a taxonomy file as a start: the shipped labels with all comments.

    Arguments:
        name: the task, such as pick; the file becomes taxonomies/NAME.toml
    """
    require_lead(workspace, "start a taxonomy")
    shipped = load_whole_taxonomy()
    text = _set_head(read_whole_taxonomy_text(), name, 1, "" if name != shipped.name else shipped.follows)
    return _write_file(workspace, name, text, shipped.version_name)


def fork_taxonomy(workspace: Workspace, name: str, *, version: str = "") -> TaxonomyStarted:
    """Write a copy of a taxonomy as a new file: the next version under its own name, or version 1 under another.

    Arguments:
        name: the name of the copy; the file becomes taxonomies/NAME.toml
        version: copy this locked version, as NAME@VERSION (default: the taxonomy in force)
    """
    require_lead(workspace, "fork a taxonomy")
    words = read_named_taxonomy(workspace, version)
    text = _read_text(workspace, words, version)
    if not text:
        raise BadInput(f"The text of {words.version_name} is not stored. Start from: fieldloop taxonomy new")
    number = words.version + 1 if name == words.name else 1
    return _write_file(workspace, name, _set_head(text, name, number, words.version_name), words.version_name)


def lint_taxonomy(workspace: Workspace, *, task: str = "") -> TaxonomyLinted:
    """Look over a taxonomy file: what must be mended before it can be locked, and what annotators will miss.

    Arguments:
        task: the task (default: the workspace's task)
    """
    return look_over_taxonomy(workspace, read_taxonomy_as_written(workspace, task), find_taxonomy_file(workspace, task))


def look_over_taxonomy(workspace: Workspace, words: Taxonomy, path: Path | None) -> TaxonomyLinted:
    """Lint a taxonomy that may not be written yet; `path` is where its text is, or will be."""
    errors = [*find_taxonomy_errors(words), *_find_example_errors(workspace, words)]
    if any(lock.fingerprint != fingerprint_taxonomy(words) for lock in find_locks(workspace, words)):
        errors.append(note("annotate.lint_locked", taxonomy=words.version_name, next=words.version + 1))
    if path and (left := find_lock_left(workspace, words, (path.stem, *_read_former_name(path)))):
        errors.append(note("annotate.lint_renamed", taxonomy=words.version_name, former=f"{left.name} v{left.version}"))
    file = f"{FOLDER}/{path.name}" if path else ""
    return TaxonomyLinted(words.name, words.version, file, tuple(errors), tuple(find_taxonomy_remarks(words)))


def _read_former_name(path: Path) -> list[str]:
    """Return the name of the taxonomy that the file holds now, where it can be read."""
    with suppress(BadInput):
        return [parse_taxonomy(read_text(path), path.name)[0].name] if path.is_file() else []
    return []


def read_named_taxonomy(workspace: Workspace, asked: str, task: str = "") -> Taxonomy:
    """Return a locked version by NAME@VERSION, `shipped`, or the file in force as it is written for ''."""
    if asked == "shipped":
        return load_whole_taxonomy()
    if not asked:
        return read_taxonomy_as_written(workspace, task)
    return read_locked_taxonomy(workspace, _find_lock(workspace, asked))


def _find_lock(workspace: Workspace, asked: str) -> TaxonomyLocked:
    locks = {f"{lock.name}{AT}{lock.version}": lock for lock in workspace.store.find(TaxonomyLocked)}
    wanted = asked.replace(" v", AT)
    if wanted not in locks:
        listed = ", ".join(locks) or "none; lock one: fieldloop taxonomy lock"
        raise UnknownName("locked taxonomy", asked, locks, listed)
    return locks[wanted]


def _read_text(workspace: Workspace, words: Taxonomy, version: str) -> str:
    """Return the text of a taxonomy: of its file, of the shelf, or the shipped one."""
    path = None if version else find_taxonomy_file(workspace)
    if path is not None:
        return read_text(path)
    for lock in find_locks(workspace, words):
        if lock.content is not None:
            return str(json.loads(workspace.shelf.read(lock.content.sha256))["text"])
    return read_whole_taxonomy_text() if words == load_whole_taxonomy() else ""


def _set_head(text: str, name: str, version: int, follows: str) -> str:
    """Change name, version and predecessor in the text of a taxonomy; comments stay."""
    text = HEAD["follows"].sub("", text, count=1)
    text = HEAD["name"].sub(rf'name\1= "{name}"', text, count=1)
    text = HEAD["version"].sub(rf"version\1= {version}", text, count=1)
    return TABLE.sub(f'[taxonomy]\nfollows = "{follows}"\n', text, count=1) if follows else text


def _write_file(workspace: Workspace, name: str, text: str, like: str) -> TaxonomyStarted:
    if not TASK_NAME.fullmatch(name):
        raise BadInput(f"{name!r} is not a valid name. Use letters, digits, - and _, such as pick.")
    path = workspace.root / FOLDER / f"{name}.toml"
    if path.exists():
        raise BadInput(f"{FOLDER}/{name}.toml already exists and may have been edited. Raise its version there.")
    parse_taxonomy(text, path.name)  # what cannot be read is never written
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return TaxonomyStarted(f"{FOLDER}/{name}.toml", like, "Edit it, then: fieldloop taxonomy lint")


def _find_example_errors(workspace: Workspace, words: Taxonomy) -> Sequence[Note]:
    errors = []
    for label in words.labels:
        for example in label.examples:
            lasts_s = _measure_length_s(workspace, example.episode)
            if lasts_s is not None and example.end_s <= lasts_s:
                continue
            code = "annotate.lint_example_unknown" if lasts_s is None else "annotate.lint_example_outside"
            errors.append(
                note(code, label=label.name, kind=label.kind, episode=example.episode, end_s=example.end_s,
                     lasts_s=lasts_s)
            )  # fmt: skip
    return errors


def _measure_length_s(workspace: Workspace, episode: str) -> float | None:
    """Return how long an episode lasts; None where no episode or several have this name."""
    try:
        found = find_episode(workspace, episode)
    except FieldloopError:
        return None
    return (found.end_ns - found.start_ns) / NS_PER_S
