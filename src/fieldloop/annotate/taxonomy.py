"""The words annotators may use: labels with their boundary conditions, and the measures behind them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.taxonomy import Label, Taxonomy
from fieldloop.protocol.number import read_setting, refuse_unknown_keys

LABEL_KEYS = {"name", "definition", "begins", "ends"}


@cache
def load_shipped_taxonomy() -> Taxonomy:
    """Return the shipped taxonomy of phases.

    >>> [label.name for label in load_shipped_taxonomy().labels][:3]
    ['approach', 'pre-grasp', 'grasp']
    """
    return parse_taxonomy(_read_shipped_file())[0]


@cache
def load_shipped_measures() -> Mapping[str, float]:
    """Return the shipped measures that a machine proposes phases by."""
    return parse_taxonomy(_read_shipped_file())[1]


def parse_taxonomy(text: str, file_name: str = "taxonomy") -> tuple[Taxonomy, Mapping[str, float]]:
    """Read a taxonomy file; every label needs a definition and both boundary conditions."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise BadInput(f"{file_name} is not valid TOML: {wrong}.") from wrong
    refuse_unknown_keys(file_name, raw, {"taxonomy", "label", "measures"})
    head = raw.get("taxonomy", {})
    if not isinstance(head.get("name"), str) or not isinstance(head.get("version"), int):
        raise BadInput(f"{file_name}: [taxonomy] needs a name and a version that is a whole number.")
    numbers = {
        name: float(read_setting(f"{file_name}: measures.{name}", row).value)  # type: ignore[arg-type]  # a measure is a number
        for name, row in raw.get("measures", {}).items()
    }
    labels = tuple(_parse_label(file_name, row, numbers) for row in raw.get("label", []))
    names = [label.name for label in labels]
    if not names or len(set(names)) != len(names):
        raise BadInput(
            f"{file_name}: labels must be there and have distinct names; found {', '.join(names) or 'none'}."
        )
    return Taxonomy(head["name"], head["version"], labels), numbers


def _parse_label(file_name: str, row: Mapping[str, Any], numbers: Mapping[str, float]) -> Label:
    name = row.get("name", "?")
    refuse_unknown_keys(f"{file_name}: label {name}", row, LABEL_KEYS)
    if missing := sorted(key for key in LABEL_KEYS if not str(row.get(key, "")).strip()):
        raise BadInput(f"{file_name}: label {name!r} lacks {', '.join(missing)}; without it annotators would guess.")
    try:
        return Label(**{key: str(row[key]).format(**numbers) for key in LABEL_KEYS})
    except (KeyError, IndexError, ValueError) as wrong:
        raise BadInput(f"{file_name}: label {name!r} names an unknown measure: {wrong}.") from wrong


def _read_shipped_file() -> str:
    return files("fieldloop.annotate").joinpath("taxonomy.toml").read_text(encoding="utf-8")
