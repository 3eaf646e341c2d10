"""Read the people at a site as shares of bands: aggregates only; anything that could identify a person is refused."""

import re
from collections.abc import Mapping

from fieldloop.audit.row import Row
from fieldloop.model.deployment import PeopleBand

PERSONAL = {"name", "names", "surname", "person", "employee", "badge", "email", "phone", "id", "birthday", "staff"}
SCALES = {"Fitzpatrick", "Monk", "Type"}
"""Capitalised words of published scales, such as those of skin tone."""

CAPITALISED = re.compile(r"\b[^\W\d_a-z][^\W\d_A-Z][\w'’-]*")
ONE_PERSON = re.compile(r"@|\b(?:op|emp|operator|employee|worker|badge|staff)[-_ #]*\d+\b|\d{6,}", re.IGNORECASE)


def read_people_bands(row: Row) -> tuple[tuple[str, str], ...]:
    """Read bands without shares: quantity → a text such as "160-200 mm"."""
    bands = row.values.get("people_bands", {})
    if not isinstance(bands, Mapping) or not all(isinstance(v, str) for v in bands.values()):
        row.refuse_value(
            "people_bands", 'people_bands should be a table of texts such as { hand_size = "160-200 mm" }.'
        )
    for quantity, band in bands.items():
        _refuse_band_of_one_person(row, "people_bands", quantity, band)
    return tuple(bands.items())


def read_people_shares(row: Row, tolerance: float, min_people: float) -> tuple[PeopleBand, ...]:
    """Read bands with shares; refuse a band of so few people that it would identify them."""
    count = read_people_count(row)
    bands = []
    for quantity, table in row.read_named_rows("people").items():
        shares = table.read_shares(quantity, tolerance)
        for band, share in shares.items():
            _refuse_band_of_one_person(table, quantity, quantity, band)
            if count is not None and 0.0 < share * count < min_people:
                table.refuse_value(
                    quantity,
                    f"{band!r} of {quantity} is about {share * count:.1f} of {count} people, fewer than "
                    f"{min_people:g}, so it would identify them; merge it with a neighbouring band.",
                )
        bands.append(PeopleBand(quantity, tuple(shares.items())))
    return tuple(bands)


def read_people_count(row: Row) -> int | None:
    """Read how many people work at the site, None where it is not given."""
    count = row.read_number("people_count", low=0.0)
    if count is not None and count != int(count):
        row.refuse_value("people_count", f"people_count = {count:g} should be a whole number.")
    return None if count is None else int(count)


def _refuse_band_of_one_person(row: Row, key: str, quantity: str, band: str) -> None:
    if PERSONAL & set(re.split(r"[\W_]+", quantity.lower())):
        row.refuse_value(
            key, f"{quantity!r} identifies persons; only bands of physical quantities are kept, never a name."
        )
    names = [word for word in CAPITALISED.findall(band) if word not in SCALES]
    if names or ONE_PERSON.search(band):
        row.refuse_value(
            key,
            f"{band!r} looks like one person; write a band of many in numbers or in lower case, "
            'such as "160-170 mm" or "light grip".',
        )
