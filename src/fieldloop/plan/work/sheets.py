"""Write order sheets for a collection team, as CSV or JSON, and read returned ones."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.codec import to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.plan import Returned, WorkOrder

COLUMNS = (
    "order", "plan", "site", "robot", "operator", "kind", "stratum", "articles", "start", "demonstrations", "protocol",
    "number", "hours", "cost", "due", "collected", "note",
)  # fmt: skip
"""The collectors fill in the last two."""
TO_FILL_IN: Mapping[str, Any] = {"collected": None, "note": ""}
"""The same two in an order's object in JSON."""
SCHEMA = "orders/1"
JSON_BEGINS = ("{", "[")
SheetRow = tuple[str, Mapping[str, Any]]
"""The place of an order in a sheet, and its values by column name."""


def write_orders_csv(orders: Iterable[WorkOrder]) -> str:
    """Write one row per order, with empty cells for what was collected."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for o in orders:
        start = "; ".join(f"{name}: {how}" for name, how in o.start)
        writer.writerow(
            (o.id, o.plan, o.site, o.robot, o.operator, o.kind.value, o.stratum, " ".join(o.skus), start,
             o.demonstrations, o.protocol, o.number or "", round(o.hours, 2) or "",
             "" if o.cost is None else round(o.cost, 2), o.due, "", "")
        )  # fmt: skip
    return out.getvalue()


def write_orders_json(orders: Sequence[WorkOrder]) -> str:
    """Write the same as JSON."""
    listed = [{**to_plain(order), **TO_FILL_IN} for order in orders]
    return json.dumps({"schema": SCHEMA, "orders": listed}, ensure_ascii=False, indent=2) + "\n"


def read_returned_counts(text: str, orders: Iterable[WorkOrder], file: str = "orders.csv") -> tuple[Returned, ...]:
    """Read a returned sheet: the number collected for each order; an empty cell is not reported yet.

    Other columns are ignored, so a team may sort, hide and add columns.
    """
    known = {order.id for order in orders}
    by_order: dict[str, Returned | None] = {}
    for where, row in _read_rows(text, file, ("order", "collected")):
        name = str(row["order"])
        if name not in known:
            raise BadInput(f"{where}: {UnknownName('order', name, known)} Return the sheet that was sent out.")
        if name in by_order:
            raise BadInput(f"{where}: the order {name} occurs twice; add up its counts in one row.")
        count = _parse_count(row, "collected", where)
        by_order[name] = None if count is None else Returned(name, count, str(row.get("note") or ""))
    return tuple(one for one in by_order.values() if one is not None)


def read_order_list(text: str, file: str = "orders.csv") -> tuple[tuple[Stratum, int], ...]:
    """Read the stratum and the number of demonstrations of each order in a sheet."""
    asked = []
    for where, row in _read_rows(text, file, ("stratum", "demonstrations")):
        count = _parse_count(row, "demonstrations", where)
        if count is None:
            raise BadInput(f"{where}: the number of demonstrations is missing; keep the column as it was sent out.")
        try:
            asked.append((Stratum.parse(str(row["stratum"])), count))
        except BadInput as wrong:
            raise BadInput(f"{where}: {wrong}") from wrong
    return tuple(asked)


def _read_rows(text: str, file: str, needed: Sequence[str]) -> Iterator[SheetRow]:
    """Read a sheet in either format, recognised by its content; each row has the needed columns."""
    clean = text.removeprefix("\ufeff")
    return (_read_json_rows if clean.lstrip().startswith(JSON_BEGINS) else _read_csv_rows)(clean, file, needed)


def _read_json_rows(text: str, file: str, needed: Sequence[str]) -> Iterator[SheetRow]:
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise BadInput(f"{file}, line {wrong.lineno}: {wrong.msg}; the file is not valid JSON.") from wrong
    listed = parsed.get("orders") if isinstance(parsed, dict) else None
    if not isinstance(listed, list) or not all(isinstance(order, dict) for order in listed):
        raise BadInput(f'{file} should be {{"orders": [{{"id": …, "collected": …}}, …]}}, as `plan orders` wrote it.')
    for at, order in enumerate(listed, 1):
        yield f"{file}, order {at}", {**dict.fromkeys(needed, ""), **order, "order": order.get("id", "")}


def _read_csv_rows(text: str, file: str, needed: Sequence[str]) -> Iterator[SheetRow]:
    first = text.partition("\n")[0]
    # spreadsheets in many countries write semicolons
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        for name in needed:
            if header.count(name) != 1:
                raise BadInput(
                    f"{file}, line 1: a column {name!r} is required exactly once; keep the header that was sent out."
                )
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise BadInput(
                    f"{file}, line {reader.line_num}: {len(row)} cells under {len(header)} columns. Is the sheet cut "
                    "off? Leave a cell empty where nothing is known."
                )
            values = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
            yield f"{file}, line {reader.line_num}", values
    except csv.Error as wrong:
        raise BadInput(f"{file}, line {reader.line_num}: {wrong}; is it a CSV file?") from wrong


def _parse_count(row: Mapping[str, Any], name: str, where: str) -> int | None:
    """Read a count from a CSV cell or a JSON number; None where it is empty."""
    given = row[name]
    if given is None or given == "":
        return None
    number = parse_finite_number(str(given))
    if number is None or number < 0.0 or number % 1.0:
        raise BadInput(f"{where}, {name}: {given!r} is not a whole number from 0.")
    return int(number)
