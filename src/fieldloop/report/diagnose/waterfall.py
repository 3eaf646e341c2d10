"""The loss as a waterfall chart from baseline to observed success, once by kind of change and once by cause."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.model.diagnosis import Cause, Diagnosis, Gap
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.report.diagnose.kinds import divide_loss_by_kind, has_visible_kinds
from fieldloop.report.diagnose.parts import has_drop, uses_points
from fieldloop.report.plots import INK, INK_2, LINE_2, SERIES, Margins, make_responsive, open_drawing
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_interval, format_number, format_points, percent, stratum_in_words

WIDTH, LEFT, RIGHT, ROW = 10.4, 3.1, 1.9, 0.24
MOST_CAUSES = 8
LONGEST = 46
LOST, WON, LEVEL = SERIES[1], SERIES[0], "#56606b"
NEGLIGIBLE = 5e-4
"""A twentieth of a point: less than a printed digit gets no step."""


@dataclass(frozen=True, slots=True)
class Step:
    """One row: a level (baseline, observed), or a step from one level to the next."""

    name: str
    start: float
    end: float
    note: str
    level: bool = False


def draw_waterfall(diagnosis: Diagnosis) -> Markup | None:
    """Draw both divisions of the loss over one axis, by kind alone without causes; None without a loss."""
    if not _can_divide_loss(diagnosis):
        return None
    by_kind, by_cause = compute_waterfall_steps(diagnosis)
    rows = [*by_kind, None, *by_cause] if diagnosis.causes else [*by_kind]
    height = ROW * len(rows) + 0.35
    with open_drawing(WIDTH, height, Margins(LEFT, RIGHT, 0.05, 0.3)) as (axis, made):
        axis.grid(axis="x")
        axis.grid(visible=False, axis="y")
        for place, step in enumerate(rows):
            if step is not None:
                _draw_step(axis, place, step)
        _connect_rows(axis, rows)
        seen = [v for step in rows if step is not None for v in (step.start, step.end) if not step.level]
        ends = [*seen, diagnosis.baseline, diagnosis.observed]
        room = max(0.02, 0.06 * (max(ends) - min(ends)))
        # a waterfall is read by its steps: the axis need not begin at zero, and its numbers show that
        axis.set_xlim(max(0.0, min(ends) - 3 * room), min(1.0, max(ends) + room))
        axis.set_ylim(len(rows) - 0.4, -0.6)
        axis.set_yticks([])
        axis.xaxis.set_major_formatter(lambda value, _: f"{format_number(100 * value, 3)} %")
        axis.locator_params(axis="x", nbins=6)
    described = "; ".join(f"{step.name} {step.note}" for step in rows if step is not None)
    return make_responsive(made[0], described, WIDTH, min_width_in=7.0)


def compute_waterfall_steps(diagnosis: Diagnosis) -> tuple[list[Step], list[Step]]:
    """Divide the loss by kind of change, and by cause: both lead from the baseline to what was observed."""
    return list(_make_steps_between_levels(diagnosis, _list_kind_losses(diagnosis))), list(
        _make_steps_between_levels(diagnosis, _list_cause_losses(diagnosis))
    )


def _can_divide_loss(diagnosis: Diagnosis) -> bool:
    known = all(map(math.isfinite, (diagnosis.baseline, diagnosis.observed, diagnosis.loss)))
    if not known or diagnosis.loss <= NEGLIGIBLE or (diagnosis.status is Status.PASSED and not has_drop(diagnosis)):
        return False
    return bool(diagnosis.causes) or has_visible_kinds(diagnosis)


def _make_steps_between_levels(diagnosis: Diagnosis, parts: Sequence[tuple[str, float, str]]) -> Iterator[Step]:
    yield Step("Baseline", 0.0, diagnosis.baseline, percent(diagnosis.baseline), level=True)
    at = diagnosis.baseline
    for name, lost, beside in parts:
        yield Step(name, at, at - lost, beside or format_points(-lost))
        at -= lost
    yield Step("Observed in production", 0.0, diagnosis.observed, percent(diagnosis.observed), level=True)


def _list_kind_losses(diagnosis: Diagnosis) -> list[tuple[str, float, str]]:
    return [(kind.label[0].upper() + kind.label[1:], kind.lost, "") for kind in divide_loss_by_kind(diagnosis)]


def _list_cause_losses(diagnosis: Diagnosis) -> list[tuple[str, float, str]]:
    known = [c for c in diagnosis.causes if math.isfinite(c.share)]
    named = [c for c in known if c.gap is not Gap.UNKNOWN and abs(_compute_cause_loss(diagnosis, c)[0]) >= NEGLIGIBLE]
    parts = []
    for cause in named[:MOST_CAUSES]:
        lost, low, high = _compute_cause_loss(diagnosis, cause)
        name = _truncate(f"{cause.gap.value.capitalize()}: {stratum_in_words(cause.stratum)}")
        parts.append((name, lost, f"{format_points(-lost)} ({format_interval(-high, -low)})"))
    if smaller := named[MOST_CAUSES:]:
        label = write_sentence(note("diagnose.smaller_causes_step", causes=len(smaller)))
        parts.append((label, sum(_compute_cause_loss(diagnosis, c)[0] for c in smaller), ""))
    unexplained = diagnosis.loss - sum(lost for _, lost, _ in parts)
    if abs(unexplained) >= NEGLIGIBLE:
        parts.append((write_sentence(note(_choose_remainder_code(diagnosis, unexplained))), unexplained, ""))
    return parts


def _choose_remainder_code(diagnosis: Diagnosis, unexplained: float) -> str:
    """Return the code of the step that remains after all causes."""
    if unexplained < 0:
        return "diagnose.gained_step" if uses_points(diagnosis) else "diagnose.overlap_step"
    unknown = any(c.gap is Gap.UNKNOWN for c in diagnosis.causes if math.isfinite(c.share))
    return "diagnose.unexplained_step" if unknown else "diagnose.unassigned_step"


def _compute_cause_loss(diagnosis: Diagnosis, cause: Cause) -> tuple[float, float, float]:
    """Return what a cause costs, with its interval: its share of the loss, or its cost where shares mislead."""
    if uses_points(diagnosis):
        return cause.cost or 0.0, cause.cost_low or 0.0, cause.cost_high or 0.0
    return diagnosis.loss * cause.share, diagnosis.loss * cause.low, diagnosis.loss * cause.high


def _draw_step(axis: Any, row_index: int, step: Step) -> None:
    left = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
    weight = "bold" if step.level else "normal"
    axis.annotate(
        step.name, (0, row_index), (-6, 0), ha="right", color=INK if step.level else INK_2, weight=weight, **left
    )
    axis.annotate(step.note, (1, row_index), (6, 0), ha="left", color=INK, weight=weight, annotation_clip=False, **left)
    if step.level:
        axis.plot([step.end] * 2, [row_index - 0.42, row_index + 0.42], color=LEVEL, linewidth=3, solid_capstyle="butt")
        return
    low, high = sorted((step.start, step.end))
    axis.barh(row_index, high - low, left=low, height=0.62, color=LOST if step.end < step.start else WON)


def _connect_rows(axis: Any, rows: Sequence[Step | None]) -> None:
    """Connect each level to the next row with a hairline."""
    for place, (one, other) in enumerate(itertools.pairwise(rows)):
        if one is not None and other is not None:
            axis.plot([one.end] * 2, [place, place + 1], color=LINE_2, linewidth=0.8, zorder=0)


def _truncate(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
