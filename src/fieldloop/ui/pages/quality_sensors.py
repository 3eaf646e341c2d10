"""Sensors on the Quality page: calibrations, the last verification of each, and what is due."""

from collections.abc import Sequence

from fieldloop.loop.home.quality import QualityShown
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.model.verification import Verification
from fieldloop.say import sentence
from fieldloop.say.html import Markup, tag
from fieldloop.say.marks import shape, status
from fieldloop.say.numbers import format_number, format_time, plural, whole
from fieldloop.ui.components import Column, command, dense_table, empty_state, panel

MOST = 40
COLUMNS = (
    "Robot",
    "Sensor",
    "Kind",
    "Status",
    Column("Residual", "num"),
    Column("Angle", "num"),
    Column("Points", "num"),
    "From",
    "To",
    "Last verified",
)
DUE_COLUMNS = ("", "Robot", "Sensor", "To do", "When", Column("Why", "text wide"))


def calibrations(now: QualityShown) -> tuple[Markup, ...]:
    """Draw what is due, then every calibration, newest first."""
    known = now.calibrations
    if not known:
        how = "Calibrate the sensors: sessions open only with valid calibrations, and episodes need each sensor's pose."
        nothing = empty_state("No calibration yet", how, command("fieldloop calibrate --help"))
        return (panel("Calibration", nothing), *_draw_due_work(now))
    seen = {(v.robot, v.sensor): v for v in reversed(now.verifications)}
    rows = [_row(c, seen.get((c.robot, c.sensor))) for c in known[:MOST]]
    note = f"newest {MOST} of {whole(len(known))}" if len(known) > MOST else "newest first"
    return *_draw_due_work(now), panel("Calibration", dense_table(COLUMNS, rows), note=note, flush=True)


def _row(held: Calibration, seen: Verification | None) -> Sequence[object]:
    return (
        held.robot,
        held.sensor,
        held.kind,
        status(held.status),
        f"{format_number(held.residual_mm, 3)} mm",
        f"{format_number(held.residual_deg, 3)}°",
        held.points,
        format_time(held.valid_from_ns),
        "still" if held.valid_to_ns is None else format_time(held.valid_to_ns),
        _verification_cell(seen) if seen and seen.calibration == held.id else "never",
    )


def _verification_cell(seen: Verification) -> Markup:
    word = "good" if seen.good else "halts" if seen.halts else "warns"
    verdict = Status.PASSED if seen.good else Status.FAILED if seen.halts else Status.CANNOT_TELL
    return status(verdict, f"{word}, {format_time(seen.at_ns)}")


def _draw_due_work(now: QualityShown) -> tuple[Markup, ...]:
    due_work = now.due.due
    if not due_work:
        return ()
    late = sum(due.overdue for due in due_work)
    rows = [
        (
            shape("warn", "overdue") if due.overdue else shape("idle", "to come"),
            due.robot,
            due.sensor,
            due.work.value,
            "when the next session begins" if due.due_ns is None else format_time(due.due_ns),
            sentence(due.why),
        )
        for due in due_work[:MOST]
    ]
    note = f"{late} of {plural(len(due_work), 'task')} overdue" if late else plural(len(due_work), "task")
    show = tag("span", command("fieldloop calibrate schedule"))
    return (panel("Calibration due", dense_table(DUE_COLUMNS, rows), note=note, right=show, flush=True),)
