"""Work orders as files: CSV for people, JSON for machines, out to a collection team and back with its counts."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.whole_file import read_whole, write_whole
from fieldloop.model.plan import Returned, WorkOrder
from fieldloop.plan import orders_csv, orders_json, read_returned
from fieldloop.protocol import Section

TO_FILL_IN: Mapping[str, Any] = {"collected": None, "note": ""}
"""What an order's object in JSON leaves to whoever does the work, as the last columns of the CSV do."""
JSON_BEGINS = ("{", "[")


def write_orders(file: Path, orders: Sequence[WorkOrder]) -> None:
    """Write orders as CSV or JSON, by the file's ending."""
    writers: Mapping[str, Callable[[Sequence[WorkOrder]], str]] = {".csv": orders_csv, ".json": _json}
    if file.suffix not in writers:
        raise BadInput(f"{file.name} says no format; name a file that ends in {' or '.join(writers)}.")
    write_whole(file, writers[file.suffix](orders), "work orders")


def read_sheet(file: Path, orders: Iterable[WorkOrder], settings: Section, *, surplus: bool) -> tuple[Returned, ...]:
    """Read what came back, in either form; counts far beyond an order are asked about, unless `surplus` owns them."""
    text, known = read_whole(file), {order.id: order for order in orders}
    told = (_read_json if text.lstrip().startswith(JSON_BEGINS) else read_returned)(text, known.values(), file.name)
    most = settings.number("max_surplus")
    beyond = [one for one in told if one.collected > most * known[one.order].demonstrations]
    if beyond and not surplus:
        first = beyond[0]
        more = f" So do {len(beyond) - 1} more." if len(beyond) > 1 else ""
        raise BadInput(
            f"{file.name}: the order {first.order} asks for {known[first.order].demonstrations:,} and says that "
            f"{first.collected:,} were collected, more than {most:g} times as many.{more} Put the counts right, or say "
            "that they are: --surplus"
        )
    return told


def _json(orders: Sequence[WorkOrder]) -> str:
    plain = json.loads(orders_json(orders))
    filled = [{**order, **TO_FILL_IN} for order in plain["orders"]]
    return json.dumps({**plain, "orders": filled}, ensure_ascii=False, indent=2) + "\n"


def _read_json(text: str, orders: Iterable[WorkOrder], file: str) -> tuple[Returned, ...]:
    """Read returned orders: other fields are not looked at, an order without a count is not reported yet."""
    known = {order.id for order in orders}
    found: dict[str, Returned | None] = {}
    for at, order in enumerate(_listed(text, file), 1):
        where, name = f"{file}, order {at}", str(order.get("id", ""))
        if name not in known:
            raise BadInput(f"{where}: {UnknownName('order', name, known)} Return the file that was sent out.")
        if name in found:
            raise BadInput(f"{where}: the order {name} is there twice; add its counts into one.")
        count = _count(order.get("collected"), where)
        found[name] = None if count is None else Returned(name, count, str(order.get("note") or ""))
    return tuple(one for one in found.values() if one is not None)


def _listed(text: str, file: str) -> list[dict[str, Any]]:
    try:
        told = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise BadInput(f"{file}, line {wrong.lineno}: {wrong.msg}; it is no JSON.") from wrong
    orders = told.get("orders") if isinstance(told, dict) else None
    if not isinstance(orders, list) or not all(isinstance(order, dict) for order in orders):
        raise BadInput(f'{file} should be {{"orders": [{{"id": …, "collected": …}}, …]}}, as `plan orders` wrote it.')
    return orders


def _count(told: Any, where: str) -> int | None:
    if told is None or told == "":
        return None
    whole = isinstance(told, int | float) and not isinstance(told, bool) and told >= 0 and told == told // 1
    if not whole:
        raise BadInput(f"{where}, collected: {told!r} is not a whole number from 0.")
    return int(told)
