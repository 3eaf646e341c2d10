"""Hours, cost, number and due day of work orders, from how long a demonstration takes and who works when."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from fieldloop.errors import BadInput
from fieldloop.model.plan import QuotaKind, WorkOrder
from fieldloop.protocol import Section

SECONDS_PER_HOUR = 3600.0
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def schedule_orders(
    orders: Sequence[WorkOrder],
    settings: Section,
    at_ns: int,
    *,
    zones: Mapping[str, str] | None = None,
    first: int = 1,
    tries: Callable[[WorkOrder], float] = lambda _: 1.0,
) -> tuple[WorkOrder, ...]:
    """Number the orders, and add their hours, cost and due day.

    An operator does one order after the other, and so does a robot; an order is due when both can have done it, on the
    working days after the plan. `zones` are the sites' time zones, `tries` how often a demonstration is tried on
    average until it is good. Simulated orders take no hours.
    """
    busy, made = defaultdict[str, float](float), []
    per_day, price = settings.number("hours_per_day"), settings.number("hour_cost")
    for number, order in enumerate(orders, first):
        if order.kind is QuotaKind.SIMULATION:
            made.append(replace(order, number=number))
            continue
        hours = estimate_hours(order, settings, tries(order))
        takers = _list_possible_operators(order)
        end = max(busy[name] for name in takers) + hours
        busy |= dict.fromkeys(takers, end)
        begun = _get_local_day(at_ns, (zones or {}).get(order.site, "UTC"))
        due = _add_working_days(begun, end / per_day, settings)
        made.append(
            replace(order, number=number, hours=hours, cost=price * hours if price else None, due=due.isoformat())
        )
    return tuple(made)


def _list_possible_operators(order: WorkOrder) -> list[str]:
    """Return who is busy with an order; an order of no one waits for the others of its site."""
    named = [f"{kind} {name}" for kind, name in (("person", order.operator), ("robot", order.robot)) if name]
    return named or [f"site {order.site}"]


def estimate_hours(order: WorkOrder, settings: Section, tries: float = 1.0) -> float:
    """Return the expected hours of an order: preparing it, then demonstrations and resets, tried so often each."""
    each = settings.number("demonstration_s") + settings.number("reset_s")
    return (settings.number("order_setup_s") + order.demonstrations * tries * each) / SECONDS_PER_HOUR


def _get_local_day(at_ns: int, zone: str) -> date:
    return datetime.fromtimestamp(at_ns / 1e9, UTC).astimezone(ZoneInfo(zone)).date()


def _add_working_days(begun: date, days: float, settings: Section) -> date:
    """Return the last of so many working days; the first begins on the day after the plan."""
    working = {DAYS.index(name) for name in settings["working_days"] if name in DAYS}
    if not working or len(working) < len(settings["working_days"]):
        raise BadInput(f"plan.working_days: write days such as {', '.join(DAYS)}.")
    day, left = begun, days
    while left > 0.0:
        day += timedelta(days=1)
        if day.weekday() in working:
            left -= 1.0
    return day
