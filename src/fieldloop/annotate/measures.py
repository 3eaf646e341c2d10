"""The numbers by which labels are proposed, from their commented file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

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
    return {
        name: float(read_setting(f"{FILE}: measures.{name}", row).value)  # type: ignore[arg-type]  # a number
        for name, row in raw["measures"].items()
    }
