"""The diagnosis as one HTML page: is the drop real, its parts, its causes, what to do, then the evidence."""

from collections.abc import Sequence

from fieldloop.model.diagnosis import Cause, Diagnosis, FailureExplained, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.report.bars import draw_share_bar
from fieldloop.report.diagnose.content import (
    ANSWERS,
    COLUMNS,
    DOUBT,
    DiagnosisReport,
    format_doubt,
    sort_slices_by_loss,
    write_cause_place,
    write_cause_start,
    write_explained_failures,
    write_headline,
    write_main_cause,
    write_remarks_title,
)
from fieldloop.report.diagnose.days_drawing import draw_daily_rates
from fieldloop.report.diagnose.kinds import write_kinds
from fieldloop.report.diagnose.parts import format_cause_size, format_causes_cost, uses_points
from fieldloop.report.diagnose.parts import get_size_headings as sized_columns
from fieldloop.report.diagnose.waterfall import draw_waterfall
from fieldloop.report.markup import draw_figure, draw_folded, draw_panel, draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, join
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import (
    format_count,
    format_plural,
    format_points,
    format_time,
    percent,
    shorten_ids,
    stratum_in_words,
)

MOST_SLICES = 40
FIRST_FAILURES, MOST_FAILURES = 8, 40
WATERFALL = (
    "The loss is divided twice: by kind of change, then by cause. Each bar begins where the last one ended. Orange is "
    "success lost, blue success gained; intervals in brackets."
)
BY_KIND = (
    "The loss is divided by kind of change. Each bar begins where the last one ended. Orange is success lost, blue "
    "success gained."
)
DAYS = (
    "Success by day with its 95 % interval. The dashed line is the baseline; a dotted line marks the day a cause began."
)


def render_diagnosis_page(report: DiagnosisReport) -> str:
    """Return the page."""
    diagnosis = report.diagnosis
    blocks: list[object] = [draw_paragraph(write_headline(diagnosis), "lead")]
    if cause := write_main_cause(diagnosis):
        blocks.append(draw_paragraph(cause))
    blocks.append(_draw_diagnosis_identity(report))
    if drawn := draw_waterfall(diagnosis):
        caption = WATERFALL if diagnosis.causes else BY_KIND
        blocks.append(
            draw_panel(
                "Where the loss comes from", [_wrap_in_scrollable_div(draw_figure(drawn, caption))], anchor="loss"
            )
        )
    elif parts := write_kinds(diagnosis):
        blocks.append(draw_paragraph(parts))
    if diagnosis.causes:
        blocks.append(_draw_causes_table(diagnosis))
    if diagnosis.cannot_tell:
        blocks.append(_draw_open_questions(diagnosis))
    if drawn := draw_daily_rates(report.days, diagnosis):
        blocks.append(
            draw_panel("Success over the days", [_wrap_in_scrollable_div(draw_figure(drawn, DAYS))], anchor="days")
        )
    if diagnosis.slices:
        blocks.append(_draw_slices_table(diagnosis.slices))
    if diagnosis.failures:
        blocks.append(_draw_failures_table(diagnosis))
    if diagnosis.columns:
        blocks.append(_draw_columns_table(diagnosis))
    title = f"Diagnosis of {report.policy or shorten_ids(diagnosis.policy)}" + (
        f" at {diagnosis.site}" if diagnosis.site else ""
    )
    return render_page(title, blocks, kind="fieldloop diagnose", foot=f"Judged by operations {diagnosis.operations}.")


def _draw_diagnosis_identity(report: DiagnosisReport) -> Markup:
    diagnosis = report.diagnosis
    policy = report.policy or shorten_ids(diagnosis.policy)
    return draw_paragraph(
        f"{shorten_ids(diagnosis.id)}, made {format_time(diagnosis.made_ns)}, policy {policy}.", "dim"
    )


def _draw_causes_table(diagnosis: Diagnosis) -> Markup:
    rows = [_make_cause_row(diagnosis, cause) for cause in diagnosis.causes]
    columns = ("cause", sized_columns(diagnosis)[0], "where", "evidence", "fix")
    note = f"together {format_causes_cost(diagnosis, diagnosis.causes)}"
    return draw_panel("Causes of the loss", [draw_table(columns, rows, (), columns[3:], columns[2:3])], note, "causes")


def _make_cause_row(diagnosis: Diagnosis, cause: Cause) -> tuple[object, ...]:
    drawn = "" if uses_points(diagnosis) else draw_share_bar(cause.share, cause.low, cause.high)
    written = "{} ({})".format(*format_cause_size(diagnosis, cause))
    share = Markup(f'<span class="bars">{drawn}{escape(written)}</span>')
    seen = f" ({format_count(cause.episodes)} outcomes)" if cause.episodes else ""
    acts = join(
        write_cause_place(cause), Markup("<br>"), Markup(f'<span class="dim">{escape(write_cause_start(cause))}</span>')
    )
    return cause.gap.value, share, acts, f"{write_sentence(cause.evidence)}{seen}", write_sentence(cause.fix)


def _draw_open_questions(diagnosis: Diagnosis) -> Markup:
    lines = join(*(Markup(f"<li>{escape(write_sentence(reason))}</li>") for reason in diagnosis.cannot_tell))
    more = draw_paragraph("Each of these items lets the next diagnosis explain more.", "dim")
    lead = [] if diagnosis.status is Status.PASSED else [more]
    return draw_panel(write_remarks_title(diagnosis), [*lead, Markup(f"<ul>{lines}</ul>")], anchor="log")


def _draw_slices_table(slices: Sequence[LostSlice]) -> Markup:
    order = sort_slices_by_loss(slices)
    rows = [
        (
            stratum_in_words(s.stratum),
            format_count(s.episodes),
            percent(s.expected, 0),
            percent(s.observed, 0),
            format_points(s.observed - s.expected),
            format_doubt(s),
        )
        for s in order[:MOST_SLICES]
    ]
    columns = ("where", "episodes", "success expected", "observed", "difference, points", "doubt")
    note = "success under each condition, and what the baseline predicts"
    below = [draw_paragraph(DOUBT, "dim")]
    if len(order) > MOST_SLICES:
        below.append(draw_paragraph(f"{len(order) - MOST_SLICES} more are in the JSON.", "dim"))
    return draw_panel("Conditions with lost success", [draw_table(columns, rows, columns[1:]), *below], note, "slices")


def _draw_failures_table(diagnosis: Diagnosis) -> Markup:
    failures = diagnosis.failures
    questions = list(dict.fromkeys(asked.question for failure in failures for asked in failure.asked))
    columns = ("failure", *map(write_sentence, questions))
    rows = [(_draw_failure_cell(one), *_draw_answers(one, questions)) for one in failures[:MOST_FAILURES]]
    body = [_wrap_in_stacked_div(draw_table(columns, rows[:FIRST_FAILURES], medium_columns=columns))]
    if rest := rows[FIRST_FAILURES:]:
        body.append(
            draw_folded(
                format_plural(len(rest), "more failure"),
                [_wrap_in_stacked_div(draw_table(columns, rest, medium_columns=columns))],
            )
        )
    if len(failures) > MOST_FAILURES:
        body.append(draw_paragraph(f"{len(failures) - MOST_FAILURES} more are in the JSON.", "dim"))
    return draw_panel("Four questions about failures", body, write_explained_failures(diagnosis), "failures")


def _draw_columns_table(diagnosis: Diagnosis) -> Markup:
    rows = [(one.name, one.role.value, write_sentence(one.why)) for one in diagnosis.columns]
    body = draw_folded(format_plural(len(rows), "column"), [draw_table(("column", "role", "why"), rows)])
    return draw_panel("What each column is", [draw_paragraph(COLUMNS, "dim"), body], anchor="columns")


def _draw_failure_cell(failure: FailureExplained) -> Markup:
    """Write where it happened, and under that its id, which may break anywhere."""
    return join(stratum_in_words(failure.stratum), Markup(f'<div class="dim id">{escape(failure.outcome)}</div>'))


def _draw_answers(failure: FailureExplained, questions: Sequence[Note]) -> list[object]:
    answers = {
        asked.question: join(
            draw_status(asked.status, ANSWERS.get(asked.status, "")), Markup("<br>"), write_sentence(asked.answer)
        )
        for asked in failure.asked
    }
    return [join(_draw_question_label(write_sentence(q)), answers.get(q, "not asked")) for q in questions]


def _draw_question_label(question: str) -> Markup:
    """Repeat the question over its answer, for screens too narrow to show the table head."""
    return Markup(f'<span class="asked dim">{escape(question)}</span>')


def _wrap_in_stacked_div(drawing: Markup) -> Markup:
    return Markup(f'<div class="stack">{drawing}</div>')


def _wrap_in_scrollable_div(drawing: Markup) -> Markup:
    return Markup(f'<div class="scroll">{drawing}</div>')
