"""Change the text of a taxonomy file, as a page sends it: looked over first, written only when asked."""

from dataclasses import dataclass
from pathlib import Path

from fieldloop.annotate import parse_taxonomy
from fieldloop.errors import BadInput, ChangedMeanwhile, Refused
from fieldloop.loop.annotate.people import require_lead
from fieldloop.loop.annotate.taxonomy.in_force import FOLDER
from fieldloop.loop.annotate.taxonomy.taxonomies import TaxonomyLinted, look_over_taxonomy
from fieldloop.loop.work.atomic_files import lock_folder, make_folder, write_atomically
from fieldloop.loop.workspace import TASK_NAME, Workspace
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import Note, note
from fieldloop.say import write_sentence
from fieldloop.say.refusals import write_refusal
from fieldloop.text_files import read_text

NEVER_WRITTEN = ("annotate.lint_locked", "annotate.lint_renamed")
"""Errors that change labels in use unnoticed; others only stop a lock."""


@dataclass(frozen=True, slots=True)
class TaxonomyEdited:
    """What lint says of the text, and whether it was written; `seen` names the text that the file holds now.

    `answers` are the verdict, then the errors, then the remarks; it `passed` if it may be locked.
    """

    linted: TaxonomyLinted
    written: bool
    passed: bool
    seen: str
    answers: tuple[Note, ...]

    @property
    def exit_ok(self) -> bool:
        """May it be locked?"""
        return self.passed


def write_taxonomy_file(
    workspace: Workspace, name: str, *, text: str, seen: str = "", write: bool = False
) -> TaxonomyEdited:
    """Look over the text of a taxonomy; with --write, also put it into its file.

    Text that cannot be read is refused, and so is other text for a version that is locked: then the file stays as it
    was. Text with other errors is written, because they only stop a lock.

    Arguments:
        name: the file: taxonomies/NAME.toml
        text: the whole text of the file
        seen: the fingerprint of the text that you changed, as `taxonomy overview` states it; a file that was changed
            since is not overwritten, nor one that exists where this is not stated
        write: write the file
    """
    if not TASK_NAME.fullmatch(name):
        raise BadInput(f"{name!r} is not a valid name. Use letters, digits, - and _, such as pick.")
    path = workspace.root / FOLDER / f"{name}.toml"
    text = text.removeprefix("\ufeff")  # a byte order mark, which some editors put in front
    words, _ = parse_taxonomy(text, f"{FOLDER}/{path.name}")
    linted = look_over_taxonomy(workspace, words, path)
    if not write:
        before = name_file(path)
        return TaxonomyEdited(linted, False, linted.exit_ok, before, (_sum_up(linted), *linted.errors, *linted.remarks))
    require_lead(workspace, "change a taxonomy")
    locked = [error for error in linted.errors if error.code in NEVER_WRITTEN]
    if locked:
        listed = [write_sentence(error) for error in locked]
        raise Refused(write_refusal(f"{FOLDER}/{path.name} was not written", listed), tuple(locked))
    make_folder(path.parent)
    with lock_folder(path.parent):
        _require_unchanged(path, seen)
        write_atomically(path, text, "taxonomy")
        now = name_file(path)
    written = note("annotate.taxonomy_written", file=f"{FOLDER}/{path.name}")
    answers = (written, _sum_up(linted), *linted.errors, *linted.remarks)
    return TaxonomyEdited(linted, True, linted.exit_ok, now, answers)


def _require_unchanged(path: Path, seen: str) -> None:
    """Refuse to write over text that the person has not seen."""
    before = name_file(path)
    if before and not seen:
        raise BadInput(
            f"{FOLDER}/{path.name} exists. State which text you changed: --seen, as `fieldloop taxonomy overview` "
            "states it. Nothing was written."
        )
    if seen != before:
        raise ChangedMeanwhile(
            f"{FOLDER}/{path.name} was changed after you opened it, and nothing was written. Copy your text, load the "
            "page again, and put your changes into the new text."
        )


def name_file(path: Path) -> str:
    """Name the text of a file as it is read; '' where there is none, and by its bytes where it cannot be read."""
    if not path.is_file():
        return ""
    try:
        return name_text(read_text(path))
    except BadInput:
        return compute_content_id([path.read_bytes()])


def name_text(text: str) -> str:
    """Name a text by its content.

    >>> name_text("a") == name_text("b")
    False
    """
    return compute_content_id([text.encode()])


def _sum_up(linted: TaxonomyLinted) -> Note:
    named = f"{linted.name} v{linted.version}"
    if linted.errors:
        return note("annotate.taxonomy_has_errors", taxonomy=named, errors=len(linted.errors))
    return note("annotate.taxonomy_may_be_locked", taxonomy=named, remarks=len(linted.remarks) or None)
