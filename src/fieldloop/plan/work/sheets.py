"""Work orders as sheets that a collection team fills in, and reading back what it returns."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.codec import to_plain
from fieldloop.model.plan import Returned, WorkOrder

COLUMNS = (
    "order", "plan", "site", "robot", "operator", "kind", "stratum", "articles", "start", "demonstrations", "protocol",
    "collected", "note",
)  # fmt: skip
"""The last two are left empty for whoever does the work."""
SCHEMA = "orders/1"


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
    return json.dumps({"schema": SCHEMA, "orders": to_plain(orders)}, ensure_ascii=False, indent=2) + "\n"


def read_returned(text: str, orders: Iterable[WorkOrder], file: str = "orders.csv") -> tuple[Returned, ...]:
    """Read a returned sheet: which of these orders, how many collected; rows left empty are not reported yet.

    Other columns are not looked at, so a team may sort, hide and add columns.
    """
    known = {order.id for order in orders}
    found: dict[str, Returned] = {}
    for line, row in _rows(text, file):
        where, name = f"{file}, line {line}", row["order"]
        if name not in known:
            raise BadInput(f"{where}: {UnknownName('order', name, known)} Return the sheet that was sent out.")
        if name in found:
            raise BadInput(f"{where}: the order {name} is there twice; add its counts into one row.")
        if row["collected"]:
            found[name] = Returned(name, _count(row["collected"], where), row.get("note", ""))
    return tuple(found.values())


def _rows(text: str, file: str) -> Iterator[tuple[int, dict[str, str]]]:
    # spreadsheets in many countries write semicolons
    clean = text.removeprefix("\ufeff")
    first = clean.partition("\n")[0]
    reader = csv.reader(io.StringIO(clean, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        for name in ("order", "collected"):
            if header.count(name) != 1:
                raise BadInput(f"{file}, line 1: a column {name!r} is needed, once; keep the header that was sent out.")
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) > len(header):
                raise BadInput(f"{file}, line {reader.line_num}: {len(row)} cells under {len(header)} columns.")
            cells = [*row, *[""] * (len(header) - len(row))]
            yield reader.line_num, {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
    except csv.Error as wrong:
        raise BadInput(f"{file}, line {reader.line_num}: {wrong}; is it a CSV file?") from wrong


def _count(cell: str, where: str) -> int:
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if value < 0.0 or value != value // 1:
        raise BadInput(f"{where}, column collected: {cell!r} is not a whole number from 0.")
    return int(value)
