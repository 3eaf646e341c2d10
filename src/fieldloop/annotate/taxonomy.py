"""The words annotators may use: labels with their boundary conditions, and the measures behind them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fieldloop.annotate.measures import read_measures
from fieldloop.annotate.taxonomy_label import parse_label
from fieldloop.errors import BadInput
from fieldloop.model.annotation import KINDS
from fieldloop.model.taxonomy import Overlap, Taxonomy
from fieldloop.protocol.number import refuse_unknown_keys

PICKING = "picking.toml"
MOST_LABELS = 1000


@cache
def load_shipped_taxonomy() -> Taxonomy:
    """Return the shipped taxonomy of phases, by which machines propose.

    >>> [label.name for label in load_shipped_taxonomy().labels][:3]
    ['approach', 'pre-grasp', 'grasp']
    """
    return parse_taxonomy(_read_shipped_file())[0]


@cache
def load_whole_taxonomy() -> Taxonomy:
    """Return the shipped taxonomy of all kinds of labels, which holds where a workspace has none of its own.

    >>> load_whole_taxonomy().kinds[:4]
    ('phase', 'action', 'recovery', 'grasp')
    """
    return parse_taxonomy(read_whole_taxonomy_text(), PICKING)[0]


@cache
def load_shipped_measures() -> Mapping[str, float]:
    """Return the shipped measures that a machine proposes phases by."""
    return read_measures("taxonomy", tomllib.loads(_read_shipped_file()))


def read_whole_taxonomy_text() -> str:
    """Return the text of the shipped taxonomy of all kinds, to copy and edit."""
    return _read_shipped_file(PICKING)


def parse_taxonomy(text: str, file_name: str = "taxonomy") -> tuple[Taxonomy, Mapping[str, float]]:
    """Read a taxonomy file; every label needs a definition and both boundary conditions.

    A file without measures of its own may name the shipped ones in its texts.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise BadInput(f"{file_name} is not valid TOML: {wrong}.") from wrong
    refuse_unknown_keys(file_name, raw, {"taxonomy", "label", "measures", "overlap"})
    head, rows = raw.get("taxonomy", {}), raw.get("label", [])
    if not isinstance(head, Mapping) or not isinstance(rows, list) or not all(isinstance(r, Mapping) for r in rows):
        raise BadInput(f"{file_name}: write [taxonomy] once, and [[label]] for each label.")
    refuse_unknown_keys(f"{file_name}: taxonomy", head, {"name", "version", "follows"})
    number = head.get("version")
    if not isinstance(head.get("name"), str) or type(number) is not int or number < 1:
        raise BadInput(f"{file_name}: [taxonomy] needs a name and a version that is a whole number from 1.")
    if len(rows) > MOST_LABELS:
        raise BadInput(f"{file_name}: {len(rows)} labels; at most {MOST_LABELS} can be read.")
    numbers = read_measures(file_name, raw) if "measures" in raw else load_shipped_measures()
    labels = tuple(parse_label(file_name, row, numbers) for row in rows)
    names = [(label.kind, label.name) for label in labels]
    if not names or len(set(names)) != len(names):
        listed = ", ".join(sorted({name for kind, name in names if names.count((kind, name)) > 1})) or "none"
        raise BadInput(f"{file_name}: labels must be there and have distinct names within their kind; found {listed}.")
    follows = str(head.get("follows", ""))
    return Taxonomy(head["name"], number, labels, follows, _read_overlaps(file_name, raw)), numbers


def _read_overlaps(file_name: str, raw: Mapping[str, Any]) -> tuple[tuple[str, Overlap], ...]:
    """Read which kinds may overlap in another way than usual: `[overlap]` with `grasp = "free"`."""
    stated = raw.get("overlap", {})
    if not isinstance(stated, Mapping):
        raise BadInput(f'{file_name}: overlap should be a table: [overlap], then for example grasp = "free".')
    refuse_unknown_keys(f"{file_name}: overlap", stated, set(KINDS))
    choices = {overlap.value for overlap in Overlap}
    for kind, value in stated.items():
        if value not in choices:
            raise BadInput(f"{file_name}: overlap.{kind} = {value!r} is none of {', '.join(sorted(choices))}.")
    return tuple(sorted((kind, Overlap(value)) for kind, value in stated.items()))


def _read_shipped_file(name: str = "taxonomy.toml") -> str:
    return files("fieldloop.annotate").joinpath(name).read_text(encoding="utf-8")
