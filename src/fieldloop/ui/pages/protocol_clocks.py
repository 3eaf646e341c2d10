"""The clocks of the Protocol page: how each device is synchronised, and when that was last measured."""

from collections.abc import Sequence

from fieldloop.loop.home.protocol import DeviceClock
from fieldloop.model.finding import Status
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_number, format_plural, format_time
from fieldloop.ui.components import Column, draw_copyable_command, draw_panel, draw_table

COLUMNS = (
    "Status",
    "Robot",
    "Device",
    "Synchronised by",
    Column("Offset, ms", "num"),
    "Measured",
    Column("How it was verified, or what is missing", "text wide"),
)
HOW = "fieldloop collect synchronise STREAM --robot ROBOT --offset-ms MS --how HOW"


def draw_clocks(clocks: Sequence[DeviceClock]) -> Markup:
    """Draw every declared device of every robot."""
    missing = sum(not clock.verified for clock in clocks)
    note = (
        f"{format_plural(missing, 'device')} not verified: their data cannot be released" if missing else "all verified"
    )
    measure = draw_copyable_command(HOW) if missing else None
    return draw_panel(
        "Synchronisation", draw_table(COLUMNS, map(_make_clock_row, clocks)), note=note, right=measure, flush=True
    )


def _make_clock_row(clock: DeviceClock) -> tuple[Markup | str, ...]:
    good = clock.verified
    return (
        draw_status(Status.PASSED if good else Status.FAILED, "verified" if good else "not verified"),
        clock.robot or "any",
        clock.stream,
        clock.synchronised_by,
        format_number(clock.offset_ms, 3),
        "never" if clock.measured_ns is None else format_time(clock.measured_ns),
        write_sentence(clock.reason) if clock.reason else clock.how,
    )
