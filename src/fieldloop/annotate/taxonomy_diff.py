"""Compare two versions of a taxonomy, label by label."""

from collections.abc import Iterator, Mapping

from fieldloop.model.taxonomy import Label, Taxonomy
from fieldloop.model.taxonomy_change import Change, LabelChange

MEANING = ("definition", "begins", "ends", "part_of")
STANDARDS = ("edge_cases",)
WORDING = ("includes", "key", "card", "picture", "examples")
Place = tuple[str, str]
"""A kind and the name of a label."""


def compare_taxonomies(
    older: Taxonomy, newer: Taxonomy, mapping: Mapping[Place, tuple[str, ...]] | None = None
) -> tuple[LabelChange, ...]:
    """Return what changed from one version to another.

    `mapping` states what became of earlier labels: one name is a renaming, several are a split. A name that a new label
    includes is a renaming, too.

    >>> a = Taxonomy("t", 1, (Label("reach", "Go.", "b", "e"), Label("lift", "Up.", "b", "e")))
    >>> b = Taxonomy("t", 2, (Label("approach", "Go.", "b", "e"), Label("lift", "Up.", "b", "later")))
    >>> changes = compare_taxonomies(a, b, {("phase", "reach"): ("approach",)})
    >>> [(c.label, c.change.value, c.fields or c.became) for c in changes]
    [('reach', 'renamed', ('approach',)), ('lift', 'meaning', ('ends',))]
    """
    return tuple(_list_changes(older, newer, mapping or {}))


def _list_changes(older: Taxonomy, newer: Taxonomy, mapping: Mapping[Place, tuple[str, ...]]) -> Iterator[LabelChange]:
    reached: set[Place] = set()
    for label in older.labels:
        became = mapping.get((label.kind, label.name)) or _find_successor(label, newer)
        reached |= {(label.kind, name) for name in became}
        if not became:
            yield LabelChange(label.kind, label.name, Change.REMOVED)
        elif len(became) > 1:
            yield LabelChange(label.kind, label.name, Change.SPLIT, became=became)
        else:
            yield from _compare_label(label, newer, became[0])
    known = {(label.kind, label.name) for label in older.labels}
    for label in newer.labels:
        if (label.kind, label.name) not in known | reached:
            yield LabelChange(label.kind, label.name, Change.ADDED)
    for kind in older.kinds:
        if kind in newer.kinds and older.get_overlap(kind) is not newer.get_overlap(kind):
            for label in older.get_labels(kind):
                yield LabelChange(kind, label.name, Change.MEANING, ("overlap",))


def _find_successor(label: Label, newer: Taxonomy) -> tuple[str, ...]:
    found = newer.find_label(label.kind, label.name)
    return (found.name,) if found else ()


def _compare_label(label: Label, newer: Taxonomy, became: str) -> Iterator[LabelChange]:
    now = next(one for one in newer.get_labels(label.kind) if one.name == became)
    if became != label.name:
        yield LabelChange(label.kind, label.name, Change.RENAMED, became=(became,))
    for change, names in ((Change.MEANING, MEANING), (Change.EDGE_CASES, STANDARDS), (Change.WORDING, WORDING)):
        if fields := tuple(name for name in names if getattr(label, name) != getattr(now, name)):
            yield LabelChange(label.kind, label.name, change, fields)
