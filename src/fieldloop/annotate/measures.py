"""The numbers by which labels are proposed, from their commented file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.protocol.number import read_setting, refuse_unknown_keys

FILE = "proposals.toml"


@cache
def load_proposal_measures() -> Mapping[str, float]:
    """Return the shipped numbers of proposals from signals of unknown unit.

    >>> load_proposal_measures()["grid_hz"]
    100.0
    """
    raw = tomllib.loads(files("fieldloop.annotate").joinpath(FILE).read_text(encoding="utf-8"))
    refuse_unknown_keys(FILE, raw, {"measures"})
    return read_measures(FILE, raw)


def read_measures(file_name: str, raw: Mapping[str, Any]) -> Mapping[str, float]:
    """Read the numbers of `[measures]`, each with its unit, why and source."""
    rows = raw.get("measures", {})
    return {name: _read_measure(f"{file_name}: measures.{name}", row) for name, row in rows.items()}


def _read_measure(name: str, row: Mapping[str, Any]) -> float:
    value = read_setting(name, row).value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(f"{name} = {value!r}; a number is needed.")
    return float(value)
