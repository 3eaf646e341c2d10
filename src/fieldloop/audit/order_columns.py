"""Find the columns of an export: by option, else by the names that warehouse systems use."""

import re
from collections.abc import Mapping, Sequence

from fieldloop.errors import BadInput, UnknownName

NAMES = {
    "sku": (
        "sku", "article", "articlenumber", "articleno", "articleid", "articlecode", "artikel", "artikelnummer",
        "artikelnr", "item", "itemnumber", "itemno", "itemnr", "itemid", "itemcode", "material", "materialnumber",
        "materialno", "partnumber", "partno", "product", "productid", "productnumber", "productno", "productcode",
        "skuid", "skunumber", "skuno", "skucode",
    ),
    "date": (
        "date", "day", "orderdate", "pickdate", "shipdate", "shippingdate", "deliverydate", "postingdate", "timestamp",
        "time", "created", "datum",
    ),
    "pieces": ("pcs", "pieces", "qty", "quantity", "units", "picks", "amount", "orderqty", "pickedqty", "menge"),
    "site": ("site", "warehouse", "facility", "dc", "plant", "lager", "werk"),
}  # fmt: skip
"""Usual column names of exports by role, letters and digits only."""

STEMS = {
    "sku": ("sku", "art", "item", "material", "part", "product", "ean", "gtin"),
    "date": ("date", "day", "time", "datum"),
    "pieces": ("qty", "quant", "pcs", "piece", "menge"),
    "site": ("site", "warehouse", "location"),
}
"""Parts of names that make a column a likely one, to be suggested and never taken unasked."""

NEEDED = ("sku", "date")


def match_columns_to_roles(header: Sequence[str], file: str, named: Mapping[str, str]) -> dict[str, str]:
    """Find the column of each role: by option, else by the only name that fits."""
    column_of = {}
    for role, known in NAMES.items():
        if given := named.get(role):
            if given not in header:
                raise BadInput(f"{file}: {UnknownName('column', given, header)} There are: {', '.join(header)}.")
            column_of[role] = given
            continue
        plain = {name: normalise_column_name(name) for name in header}
        fits = [name for name in header if plain[name] in known]
        exact = [name for name in fits if plain[name] == known[0]]
        if len(exact or fits) > 1:
            raise BadInput(f"{file}: the {role} could be the column {' or '.join(fits)}; name it with --{role}-column.")
        if fits:
            column_of[role] = (exact or fits)[0]
        elif role in NEEDED:
            raise BadInput(
                f"{file}: no column looks like a {role} ({', '.join(known[:4])} …); "
                f"name it with --{role}-column{_find_likely_columns(role, plain)}. "
                f"There are: {', '.join(name for name in header if name)}."
            )
    return column_of


def normalise_column_name(name: str) -> str:
    """Return the letters and digits of a column's name, in lower case.

    >>> normalise_column_name("Item No.")
    'itemno'
    """
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _find_likely_columns(role: str, plain: Mapping[str, str]) -> str:
    likely = [name for name, letters in plain.items() if any(stem in letters for stem in STEMS[role])]
    return f", such as --{role}-column {likely[0]!r}" if likely else ""
