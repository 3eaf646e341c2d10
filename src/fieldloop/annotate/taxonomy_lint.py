"""Look over a taxonomy: what cannot work (errors), and what annotators will miss (remarks)."""

from collections import Counter
from collections.abc import Callable, Iterator

from fieldloop.model.note import Note, note
from fieldloop.model.taxonomy import Label, Taxonomy

LATERAL, KEY = "lateral", "key"
MISIDENTIFICATION = "misidentification"
HELPS: dict[str, Callable[[Label], object]] = {
    "key": lambda label: label.key,
    "reference card": lambda label: label.card or label.picture,
    "standard for edge cases": lambda label: label.edge_cases,
    "example clip": lambda label: label.examples,
}
"""What helps annotators beside the definition, and whether a label has it."""
FEWEST_WORDS = 3
"""A definition of one or two words only repeats the name."""


def find_taxonomy_errors(words: Taxonomy) -> list[Note]:
    """Return what must be mended before the taxonomy can be locked."""
    return [*_find_part_errors(words), *_find_name_errors(words), *_find_grasp_errors(words)]


def find_taxonomy_remarks(words: Taxonomy) -> list[Note]:
    """Return what is missing although annotators need it; none of it blocks a lock."""
    remarks = []
    for what, has in HELPS.items():
        if lacking := tuple(f"{label.kind} {label.name}" for label in words.labels if not has(label)):
            remarks.append(note("annotate.lint_missing", what=what, labels=lacking, count=len(lacking)))
    remarks += [remark for label in words.labels for remark in _find_label_remarks(label)]
    if "failure" in words.kinds and words.find_label("failure", MISIDENTIFICATION) is None:
        remarks.append(note("annotate.lint_no_misidentification"))
    return remarks


def _find_part_errors(words: Taxonomy) -> Iterator[Note]:
    for label in words.labels:
        seen, now = {(label.kind, label.name)}, label
        while now.part_of:
            whole = _find_whole(words, now)
            if whole is None:
                yield note("annotate.lint_unknown_whole", label=now.name, kind=now.kind, whole=now.part_of)
                break
            if (whole.kind, whole.name) in seen:
                yield note("annotate.lint_circle", label=label.name, kind=label.kind)
                break
            seen.add((whole.kind, whole.name))
            now = whole


def _find_whole(words: Taxonomy, part: Label) -> Label | None:
    """Return the label that a label is a part of: of its own kind, or of the one named before a colon."""
    kind, _, name = part.part_of.rpartition(":")
    return next((label for label in words.get_labels(kind or part.kind) if label.name == name), None)


def _find_name_errors(words: Taxonomy) -> Iterator[Note]:
    for kind in words.kinds:
        labels = words.get_labels(kind)
        names = {label.name for label in labels}
        keys = Counter(label.key for label in labels if label.key)
        for key in sorted(key for key, count in keys.items() if count > 1):
            both = tuple(label.name for label in labels if label.key == key)
            yield note("annotate.lint_same_key", kind=kind, key=key, labels=both)
        covered = Counter(name for label in labels for name in label.includes)
        for name in sorted(name for name, count in covered.items() if count > 1 or name in names):
            yield note("annotate.lint_included_twice", kind=kind, label=name)
    if words.follows == words.version_name:
        yield note("annotate.lint_follows_itself", taxonomy=words.version_name)


def _find_grasp_errors(words: Taxonomy) -> Iterator[Note]:
    """Lateral and key grasps are separated or merged explicitly; leaving one out leaves annotators guessing."""
    if "grasp" in words.kinds:
        for name, other in ((LATERAL, KEY), (KEY, LATERAL)):
            if words.find_label("grasp", name) is None:
                yield note("annotate.lint_grasp_open", label=name, other=other)


def _find_label_remarks(label: Label) -> Iterator[Note]:
    if len(label.definition.split()) < FEWEST_WORDS:
        yield note("annotate.lint_short_definition", label=label.name, kind=label.kind, definition=label.definition)
    if label.begins.strip() == label.ends.strip():
        yield note("annotate.lint_same_boundaries", label=label.name, kind=label.kind)
