"""Work orders as files: CSV for people, JSON for machines, out to a collection team and back with its counts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.loop.whole_file import read_whole, write_whole
from fieldloop.model.plan import Returned, WorkOrder
from fieldloop.plan import orders_csv, orders_json, read_returned
from fieldloop.protocol import Section


def write_orders(file: Path, orders: Sequence[WorkOrder]) -> None:
    """Write orders as CSV or JSON, by the file's ending."""
    writers: Mapping[str, Callable[[Sequence[WorkOrder]], str]] = {".csv": orders_csv, ".json": orders_json}
    if file.suffix not in writers:
        raise BadInput(f"{file.name} says no format; name a file that ends in {' or '.join(writers)}.")
    write_whole(file, writers[file.suffix](orders), "work orders")


def read_sheet(file: Path, orders: Iterable[WorkOrder], settings: Section, *, surplus: bool) -> tuple[Returned, ...]:
    """Read what came back, in either form; counts far beyond an order are asked about, unless `surplus` owns them."""
    known = {order.id: order for order in orders}
    told = read_returned(read_whole(file), known.values(), file.name)
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
