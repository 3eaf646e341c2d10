"""Sensors on the Quality page: calibrations, the last verification of each, and what is due."""

from collections.abc import Sequence

from fieldloop.loop.home.quality import QualityShown
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.model.verification import Verification
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, tag
from fieldloop.say.marks import draw_level_mark, draw_status
from fieldloop.say.numbers import format_count, format_number, format_plural, format_time
from fieldloop.ui.components import Column, draw_copyable_command, draw_empty_state, draw_panel, draw_table

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


def draw_calibrations(quality_shown: QualityShown) -> tuple[Markup, ...]:
    """Draw what is due, then every calibration, newest first."""
    known = quality_shown.calibrations
    if not known:
        how = "Calibrate the sensors: sessions open only with valid calibrations, and episodes need each sensor's pose."
        nothing = draw_empty_state("No calibration yet", how, draw_copyable_command("fieldloop calibrate --help"))
        return (draw_panel("Calibration", nothing), *_draw_due_work(quality_shown))
    seen = {(v.robot, v.sensor): v for v in reversed(quality_shown.verifications)}
    rows = [_make_calibration_row(c, seen.get((c.robot, c.sensor))) for c in known[:MOST]]
    note = f"newest {MOST} of {format_count(len(known))}" if len(known) > MOST else "newest first"
    return *_draw_due_work(quality_shown), draw_panel("Calibration", draw_table(COLUMNS, rows), note=note, flush=True)


def _make_calibration_row(calibration: Calibration, verification: Verification | None) -> Sequence[object]:
    return (
        calibration.robot,
        calibration.sensor,
        calibration.kind,
        draw_status(calibration.status),
        f"{format_number(calibration.residual_mm, 3)} mm",
        f"{format_number(calibration.residual_deg, 3)}°",
        calibration.points,
        format_time(calibration.valid_from_ns),
        "still" if calibration.valid_to_ns is None else format_time(calibration.valid_to_ns),
        _draw_verification(verification) if verification and verification.calibration == calibration.id else "never",
    )


def _draw_verification(verification: Verification) -> Markup:
    word = "good" if verification.is_good else "halts" if verification.halts_collection else "warns"
    verdict = (
        Status.PASSED
        if verification.is_good
        else Status.FAILED
        if verification.halts_collection
        else Status.CANNOT_TELL
    )
    return draw_status(verdict, f"{word}, {format_time(verification.at_ns)}")


def _draw_due_work(quality_shown: QualityShown) -> tuple[Markup, ...]:
    due_work = quality_shown.due.due
    if not due_work:
        return ()
    late = sum(due.overdue for due in due_work)
    rows = [
        (
            draw_level_mark("warn", "overdue") if due.overdue else draw_level_mark("idle", "to come"),
            due.robot,
            due.sensor,
            due.work.value,
            "when the next session begins" if due.due_ns is None else format_time(due.due_ns),
            write_sentence(due.why),
        )
        for due in due_work[:MOST]
    ]
    note = f"{late} of {format_plural(len(due_work), 'task')} overdue" if late else format_plural(len(due_work), "task")
    show = tag("span", draw_copyable_command("fieldloop calibrate schedule"))
    return (draw_panel("Calibration due", draw_table(DUE_COLUMNS, rows), note=note, right=show, flush=True),)
