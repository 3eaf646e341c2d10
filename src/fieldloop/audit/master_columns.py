"""Read the columns of an item master: the article under its usual names, masses and sides in their usual units."""

import re
from collections.abc import Sequence

from fieldloop.audit.order_columns import NAMES, normalise_column_name
from fieldloop.errors import BadInput

MASS, SIDES = "mass_kg", {"length": "length_m", "depth": "length_m", "width": "width_m", "height": "height_m"}
SI = {"kg": 1.0, "g": 1e-3, "lb": 0.45359237, "oz": 0.028349523125, "m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254}
"""What one of a unit is in kilograms or metres."""
OF_MASS, OF_LENGTH = ("kg", "g", "lb", "oz"), ("m", "cm", "mm", "in")
WRITTEN = re.compile(r"(?:net |gross )?(mass|weight|length|depth|width|height)(?: (\w+))?")

Column = tuple[str, float]
"""The name of a column in the catalogue, and what its numbers are multiplied by."""


def match_master_columns(header: Sequence[str], file: str) -> dict[int, Column]:
    """Return for each column, by position, which property it is and in which unit; the others are left out.

    >>> match_master_columns(["Item No", "Weight (g)", "length_mm", "colour"], "items.csv")
    {1: ('mass_kg', 0.001), 2: ('length_m', 0.001), 0: ('sku', 1.0)}
    """
    found: dict[int, Column] = {}
    unclear: dict[str, str] = {}
    for at, name in enumerate(header):
        quantity, unit = _split_quantity_and_unit(name)
        target = MASS if quantity in ("mass", "weight") else SIDES.get(quantity, "")
        if target and unit in (OF_MASS if target == MASS else OF_LENGTH):
            found[at] = target, SI[unit]
        elif target and not unit:
            unclear[target] = name
        elif name.strip().lower() in ("packaging", "deformable", "texture"):
            found[at] = name.strip().lower(), 1.0
    _add_article_column(found, header, file)
    taken = [target for target, _ in found.values()]
    for target, name in unclear.items():
        if target not in taken:
            units = ", ".join(OF_MASS if target == MASS else OF_LENGTH)
            raise BadInput(f"{file}, line 1: the column {name!r} has no unit; add one of {units}, as in {target!r}.")
    for target in taken:
        if taken.count(target) > 1:
            both = " and ".join(repr(header[at]) for at, (name, _) in found.items() if name == target)
            raise BadInput(f"{file}, line 1: {both} both give {target}; keep one of them.")
    return found


def _split_quantity_and_unit(name: str) -> tuple[str, str]:
    words = " ".join(re.findall(r"[a-z]+", name.lower()))
    matched = WRITTEN.fullmatch(words)
    return (matched[1], matched[2] or "") if matched else ("", "")


def _add_article_column(found: dict[int, Column], header: Sequence[str], file: str) -> None:
    fits = [at for at, name in enumerate(header) if normalise_column_name(name) in NAMES["sku"]]
    exact = [at for at in fits if normalise_column_name(header[at]) == NAMES["sku"][0]]
    if len(exact or fits) != 1:
        named = " or ".join(repr(header[at]) for at in fits)
        which = f"the article could be {named}" if fits else "no column names the article"
        raise BadInput(f"{file}, line 1: {which}; call exactly one column 'sku'.")
    found[(exact or fits)[0]] = "sku", 1.0
