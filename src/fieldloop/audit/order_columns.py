"""Find the columns of an export: by option, else by the names that warehouse systems use."""

import re
from collections.abc import Mapping, Sequence

from fieldloop.errors import BadInput, UnknownName

NAMES = {
    "sku": ("sku", "article", "articlenumber", "item", "itemnumber", "itemid", "material", "product", "productid"),
    "date": ("date", "day", "orderdate", "pickdate", "shipdate", "timestamp", "time", "created"),
    "pieces": ("pcs", "pieces", "qty", "quantity", "units", "picks", "amount"),
    "site": ("site", "warehouse", "facility", "dc", "plant"),
}
"""Usual column names of exports by role, letters and digits only."""

NEEDED = ("sku", "date")


def columns_of(header: Sequence[str], file: str, named: Mapping[str, str]) -> dict[str, str]:
    """Find the column of each role: by option, else by the only name that fits."""
    column_of = {}
    for role, known in NAMES.items():
        if given := named.get(role):
            if given not in header:
                raise BadInput(f"{file}: {UnknownName('column', given, header)} There are: {', '.join(header)}.")
            column_of[role] = given
            continue
        plain = {name: re.sub(r"[^a-z0-9]", "", name.lower()) for name in header}
        fits = [name for name in header if plain[name] in known]
        exact = [name for name in fits if plain[name] == known[0]]
        if len(exact or fits) > 1:
            raise BadInput(f"{file}: the {role} could be the column {' or '.join(fits)}; name it with --{role}-column.")
        if fits:
            column_of[role] = (exact or fits)[0]
        elif role in NEEDED:
            raise BadInput(
                f"{file}: no column looks like a {role} ({', '.join(known[:4])} …); "
                f"name it with --{role}-column. There are: {', '.join(name for name in header if name)}."
            )
    return column_of
