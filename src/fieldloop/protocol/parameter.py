"""Parameters of checks in a protocol's tables: the short form, their names, and what counts in a fingerprint."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.protocol.cells import read_table
from fieldloop.protocol.number import FORMERLY, OWN_PARAMETER_KEYS, WITHOUT_PROTOCOL, refuse_unknown_keys

KEY = "parameters"


def convert_parameters_to_tables(place: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a limit in which a bare number in the place of a parameter is the parameter's value.

    >>> convert_parameters_to_tables("check.force.window", {"max": 25.0, "parameters": {"contact_n": 2.0}})
    {'max': 25.0, 'parameters': {'contact_n': {'value': 2.0}}}
    """
    if KEY not in row:
        return dict(row)
    given = read_table(f"{place}.{KEY}", row[KEY])
    return {**row, KEY: {name: one if isinstance(one, Mapping) else {"value": one} for name, one in given.items()}}


def refuse_unknown_parameters(place: str, row: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Refuse a parameter that the shipped limit does not have, and a key that a parameter does not have."""
    known = usual.get(KEY, {})
    for name, one in row.get(KEY, {}).items():
        if name not in known:
            listed = f" Known: {', '.join(sorted(known))}." if known else " This check has none."
            raise ProtocolError(f"{place}: {UnknownName('parameter', name, known)}{listed}")
        refuse_unknown_keys(f"{place}.{KEY}.{name}", one, OWN_PARAMETER_KEYS)


def add_missing_reasons(row: Mapping[str, Any], usual: Mapping[str, Any]) -> Mapping[str, Any]:
    """Complete a limit that was locked earlier: reasons of bare parameters, and numbers that stood in code then."""
    if WITHOUT_PROTOCOL in usual and WITHOUT_PROTOCOL not in row:
        row = {**row, WITHOUT_PROTOCOL: usual[WITHOUT_PROTOCOL]}
    known, given = usual.get(KEY, {}), row.get(KEY, {})
    if not isinstance(given, Mapping):
        return row  # reading it says what is wrong
    read = {
        n: one if isinstance(one, Mapping) or n not in known else {**known[n], "value": one} for n, one in given.items()
    }
    every = add_former_numbers(read, known)
    return {**row, KEY: every} if every else row


def add_former_numbers(rows: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Add the shipped numbers that stood in code when these tables were locked, at the value they had there."""
    later = {name: row for name, row in usual.items() if FORMERLY in row and name not in rows}
    return {**rows, **{name: {**row, "value": row[FORMERLY]} for name, row in later.items()}}


def has_former_value(row: Any) -> bool:
    """Is it a number at the value that it had in code? Then it does not count in a fingerprint."""
    return isinstance(row, Mapping) and FORMERLY in row and row.get("value") == row[FORMERLY]


def reduce_parameters_to_values(checks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of limits with bare parameters, as fingerprints have always counted them."""
    return {
        topic: {name: dict(_reduce_row_to_values(row)) for name, row in rows.items()} for topic, rows in checks.items()
    }


def _reduce_row_to_values(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if key != KEY:
            yield key, value
            continue
        counted = {name: one for name, one in value.items() if not has_former_value(one)}
        if counted or not value:
            yield key, {name: one["value"] if isinstance(one, Mapping) else one for name, one in counted.items()}
