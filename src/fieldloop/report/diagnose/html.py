"""The diagnosis as one HTML page: is the drop real, its parts, its causes, what to do, then the evidence."""

from collections.abc import Sequence

from fieldloop.model.diagnosis import Cause, Diagnosis, FailureExplained, LostSlice
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.report.bars import share_bar
from fieldloop.report.diagnose.content import (
    ANSWERS,
    DOUBT,
    DiagnosisReport,
    by_loss,
    doubt_text,
    explained_failures_text,
    headline,
    main_cause,
    place_in_words,
    remarks_title,
    since,
)
from fieldloop.report.diagnose.days_drawing import draw_days
from fieldloop.report.diagnose.kinds import kinds_text
from fieldloop.report.diagnose.parts import columns as sized_columns
from fieldloop.report.diagnose.parts import cost_text, in_points, size
from fieldloop.report.diagnose.waterfall import draw_waterfall
from fieldloop.report.markup import figure, folded, panel, paragraph, table
from fieldloop.report.page import page
from fieldloop.say import sentence
from fieldloop.say.html import Markup, escape, join
from fieldloop.say.marks import status
from fieldloop.say.numbers import format_time, percent, plural, points, shorten_ids, stratum_in_words, whole

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


def html(report: DiagnosisReport) -> str:
    """Return the page."""
    diagnosis = report.diagnosis
    blocks: list[object] = [paragraph(headline(diagnosis), "lead")]
    if cause := main_cause(diagnosis):
        blocks.append(paragraph(cause))
    blocks.append(_identity(report))
    if drawn := draw_waterfall(diagnosis):
        caption = WATERFALL if diagnosis.causes else BY_KIND
        blocks.append(panel("Where the loss comes from", [_scrollable_div(figure(drawn, caption))], anchor="loss"))
    elif parts := kinds_text(diagnosis):
        blocks.append(paragraph(parts))
    if diagnosis.causes:
        blocks.append(_causes(diagnosis))
    if diagnosis.cannot_tell:
        blocks.append(_open_questions_panel(diagnosis))
    if drawn := draw_days(report.days, diagnosis):
        blocks.append(panel("Success over the days", [_scrollable_div(figure(drawn, DAYS))], anchor="days"))
    if diagnosis.slices:
        blocks.append(_slices(diagnosis.slices))
    if diagnosis.failures:
        blocks.append(_failures(diagnosis))
    title = f"Diagnosis of {report.policy or shorten_ids(diagnosis.policy)}" + (
        f" at {diagnosis.site}" if diagnosis.site else ""
    )
    return page(title, blocks, kind="fieldloop diagnose", foot=f"Judged by operations {diagnosis.operations}.")


def _identity(report: DiagnosisReport) -> Markup:
    diagnosis = report.diagnosis
    policy = report.policy or shorten_ids(diagnosis.policy)
    return paragraph(f"{shorten_ids(diagnosis.id)}, made {format_time(diagnosis.made_ns)}, policy {policy}.", "dim")


def _causes(diagnosis: Diagnosis) -> Markup:
    rows = [_cause(diagnosis, cause) for cause in diagnosis.causes]
    columns = ("cause", sized_columns(diagnosis)[0], "where", "evidence", "fix")
    note = f"together {cost_text(diagnosis, diagnosis.causes)}"
    return panel("Causes of the loss", [table(columns, rows, (), columns[3:], columns[2:3])], note, "causes")


def _cause(diagnosis: Diagnosis, cause: Cause) -> tuple[object, ...]:
    drawn = "" if in_points(diagnosis) else share_bar(cause.share, cause.low, cause.high)
    written = "{} ({})".format(*size(diagnosis, cause))
    share = Markup(f'<span class="bars">{drawn}{escape(written)}</span>')
    seen = f" ({whole(cause.episodes)} outcomes)" if cause.episodes else ""
    acts = join(place_in_words(cause), Markup("<br>"), Markup(f'<span class="dim">{escape(since(cause))}</span>'))
    return cause.gap.value, share, acts, f"{sentence(cause.evidence)}{seen}", sentence(cause.fix)


def _open_questions_panel(diagnosis: Diagnosis) -> Markup:
    lines = join(*(Markup(f"<li>{escape(sentence(reason))}</li>") for reason in diagnosis.cannot_tell))
    more = paragraph("Each of these items lets the next diagnosis explain more.", "dim")
    lead = [] if diagnosis.status is Status.PASSED else [more]
    return panel(remarks_title(diagnosis), [*lead, Markup(f"<ul>{lines}</ul>")], anchor="log")


def _slices(slices: Sequence[LostSlice]) -> Markup:
    order = by_loss(slices)
    rows = [
        (
            stratum_in_words(s.stratum),
            whole(s.episodes),
            percent(s.expected, 0),
            percent(s.observed, 0),
            points(s.observed - s.expected),
            doubt_text(s),
        )
        for s in order[:MOST_SLICES]
    ]
    columns = ("where", "episodes", "success expected", "observed", "difference, points", "doubt")
    note = "success under each condition, and what the baseline predicts"
    below = [paragraph(DOUBT, "dim")]
    if len(order) > MOST_SLICES:
        below.append(paragraph(f"{len(order) - MOST_SLICES} more are in the JSON.", "dim"))
    return panel("Conditions with lost success", [table(columns, rows, columns[1:]), *below], note, "slices")


def _failures(diagnosis: Diagnosis) -> Markup:
    failures = diagnosis.failures
    questions = list(dict.fromkeys(asked.question for failure in failures for asked in failure.asked))
    columns = ("failure", *map(sentence, questions))
    rows = [(_failure_cell(one), *_answers(one, questions)) for one in failures[:MOST_FAILURES]]
    body = [_stacked_div(table(columns, rows[:FIRST_FAILURES], medium=columns))]
    if rest := rows[FIRST_FAILURES:]:
        body.append(folded(plural(len(rest), "more failure"), [_stacked_div(table(columns, rest, medium=columns))]))
    if len(failures) > MOST_FAILURES:
        body.append(paragraph(f"{len(failures) - MOST_FAILURES} more are in the JSON.", "dim"))
    return panel("Four questions about failures", body, explained_failures_text(diagnosis), "failures")


def _failure_cell(failure: FailureExplained) -> Markup:
    """Write where it happened, and under that its id, which may break anywhere."""
    return join(stratum_in_words(failure.stratum), Markup(f'<div class="dim id">{escape(failure.outcome)}</div>'))


def _answers(failure: FailureExplained, questions: Sequence[Note]) -> list[object]:
    answers = {
        asked.question: join(
            status(asked.status, ANSWERS.get(asked.status, "")), Markup("<br>"), sentence(asked.answer)
        )
        for asked in failure.asked
    }
    return [join(_question_label(sentence(q)), answers.get(q, "not asked")) for q in questions]


def _question_label(question: str) -> Markup:
    """Repeat the question over its answer, for screens too narrow to show the table head."""
    return Markup(f'<span class="asked dim">{escape(question)}</span>')


def _stacked_div(drawn: Markup) -> Markup:
    return Markup(f'<div class="stack">{drawn}</div>')


def _scrollable_div(drawn: Markup) -> Markup:
    return Markup(f'<div class="scroll">{drawn}</div>')
