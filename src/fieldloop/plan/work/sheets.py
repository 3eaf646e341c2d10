"""Work orders as sheets that a collection team fills in, CSV for people, JSON for machines; and reading them again."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.codec import to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.episode_text import number_of
from fieldloop.model.plan import Returned, WorkOrder

COLUMNS = (
    "order", "plan", "site", "robot", "operator", "kind", "stratum", "articles", "start", "demonstrations", "protocol",
    "collected", "note",
)  # fmt: skip
"""The last two are left empty for whoever does the work."""
TO_FILL_IN: Mapping[str, Any] = {"collected": None, "note": ""}
"""The same two in an order's object in JSON."""
SCHEMA = "orders/1"
JSON_BEGINS = ("{", "[")
Row = tuple[str, Mapping[str, Any]]
"""Where an order stands in a sheet, and what is said of it by the columns' names."""


def orders_csv(orders: Iterable[WorkOrder]) -> str:
    """Write one row per order, with empty cells for what was collected."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for o in orders:
        start = "; ".join(f"{name}: {how}" for name, how in o.start)
        writer.writerow(
            (o.id, o.plan, o.site, o.robot, o.operator, o.kind.value, o.stratum, " ".join(o.skus), start,
             o.demonstrations, o.protocol, "", "")
        )  # fmt: skip
    return out.getvalue()


def orders_json(orders: Sequence[WorkOrder]) -> str:
    """Write the same for machines."""
    listed = [{**to_plain(order), **TO_FILL_IN} for order in orders]
    return json.dumps({"schema": SCHEMA, "orders": listed}, ensure_ascii=False, indent=2) + "\n"


def read_returned(text: str, orders: Iterable[WorkOrder], file: str = "orders.csv") -> tuple[Returned, ...]:
    """Read a returned sheet: which of these orders, how many collected; what is left empty is not reported yet.

    Other columns are not looked at, so a team may sort, hide and add columns.
    """
    known = {order.id for order in orders}
    found: dict[str, Returned | None] = {}
    for where, row in _rows(text, file, ("order", "collected")):
        name = str(row["order"])
        if name not in known:
            raise BadInput(f"{where}: {UnknownName('order', name, known)} Return the sheet that was sent out.")
        if name in found:
            raise BadInput(f"{where}: the order {name} is there twice; add its counts into one.")
        count = _count(row, "collected", where)
        found[name] = None if count is None else Returned(name, count, str(row.get("note") or ""))
    return tuple(one for one in found.values() if one is not None)


def read_ordered(text: str, file: str = "orders.csv") -> tuple[tuple[Stratum, int], ...]:
    """Read what a sheet asks for, order by order: so many demonstrations of a stratum."""
    asked = []
    for where, row in _rows(text, file, ("stratum", "demonstrations")):
        count = _count(row, "demonstrations", where)
        if count is None:
            raise BadInput(f"{where}: it does not say how many demonstrations; keep what was sent out.")
        try:
            asked.append((Stratum.parse(str(row["stratum"])), count))
        except BadInput as wrong:
            raise BadInput(f"{where}: {wrong}") from wrong
    return tuple(asked)


def _rows(text: str, file: str, needed: Sequence[str]) -> Iterator[Row]:
    """Read a sheet in either form, told by its content; each row has what is needed."""
    clean = text.removeprefix("\ufeff")
    return (_json_rows if clean.lstrip().startswith(JSON_BEGINS) else _csv_rows)(clean, file, needed)


def _json_rows(text: str, file: str, needed: Sequence[str]) -> Iterator[Row]:
    try:
        told = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise BadInput(f"{file}, line {wrong.lineno}: {wrong.msg}; it is no JSON.") from wrong
    listed = told.get("orders") if isinstance(told, dict) else None
    if not isinstance(listed, list) or not all(isinstance(order, dict) for order in listed):
        raise BadInput(f'{file} should be {{"orders": [{{"id": …, "collected": …}}, …]}}, as `plan orders` wrote it.')
    for at, order in enumerate(listed, 1):
        yield f"{file}, order {at}", {**dict.fromkeys(needed, ""), **order, "order": order.get("id", "")}


def _csv_rows(text: str, file: str, needed: Sequence[str]) -> Iterator[Row]:
    first = text.partition("\n")[0]
    # spreadsheets in many countries write semicolons
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        for name in needed:
            if header.count(name) != 1:
                raise BadInput(f"{file}, line 1: a column {name!r} is needed, once; keep the header that was sent out.")
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise BadInput(
                    f"{file}, line {reader.line_num}: {len(row)} cells under {len(header)} columns. Is the sheet cut "
                    "off? Leave a cell empty where there is nothing to say."
                )
            told = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
            yield f"{file}, line {reader.line_num}", told
    except csv.Error as wrong:
        raise BadInput(f"{file}, line {reader.line_num}: {wrong}; is it a CSV file?") from wrong


def _count(row: Mapping[str, Any], name: str, where: str) -> int | None:
    """Read a count, a cell's text or a number of JSON; None where it is left empty."""
    told = row[name]
    if told is None or told == "":
        return None
    number = number_of(str(told))
    if number is None or number < 0.0 or number % 1.0:
        raise BadInput(f"{where}, {name}: {told!r} is not a whole number from 0.")
    return int(number)
