"""Order sheets as files: written as CSV or JSON for a collection team, and read back with its counts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.model.plan import Returned, WorkOrder
from fieldloop.plan import read_returned_counts, write_orders_csv, write_orders_json
from fieldloop.protocol import Section
from fieldloop.report.plan.sheet import make_order_sheets, render_order_sheets
from fieldloop.say.numbers import format_count, format_number
from fieldloop.text_files import read_text


def write_orders(file: Path, orders: Sequence[WorkOrder], currency: str = "") -> None:
    """Write orders as CSV, JSON or sheets to print, by the file's ending."""
    writers: Mapping[str, Callable[[Sequence[WorkOrder]], str]] = {
        ".csv": write_orders_csv,
        ".json": write_orders_json,
        ".html": lambda wanted: render_order_sheets(make_order_sheets(wanted, currency)),
    }
    if file.suffix not in writers:
        raise BadInput(f"{file.name} has no known format; use a name that ends in {' or '.join(writers)}.")
    write_atomically(file, writers[file.suffix](orders), "work orders")


def read_sheet(file: Path, orders: Iterable[WorkOrder], settings: Section, *, surplus: bool) -> tuple[Returned, ...]:
    """Read a returned sheet in either format; refuse counts far above an order, unless `surplus` is set."""
    known = {order.id: order for order in orders}
    sheet = read_returned_counts(read_text(file), known.values(), file.name)
    most = settings.number("max_surplus")
    beyond = [one for one in sheet if one.collected > most * known[one.order].demonstrations]
    if beyond and not surplus:
        first = beyond[0]
        more = f" The same holds for {len(beyond) - 1} more." if len(beyond) > 1 else ""
        raise BadInput(
            f"{file.name}: the order {first.order} asks for {format_count(known[first.order].demonstrations)} but "
            f"{format_count(first.collected)} were reported, more than {format_number(most, 6)} times as many.{more} "
            "Correct the counts, or accept them with --surplus"
        )
    return sheet
