"""Diagnosis page: is the drop real, its parts, its causes, and what to log."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from fieldloop.loop.home.diagnoses import show_diagnosis
from fieldloop.model.diagnosis import Cause, Diagnosis, LostSlice
from fieldloop.model.finding import Status
from fieldloop.report.diagnose.content import (
    ANSWERS,
    DOUBT,
    format_doubt,
    name_first_cause,
    sort_slices_by_loss,
    write_cause_place,
    write_cause_start,
    write_explained_failures,
    write_main_cause,
    write_remarks_title,
    write_success_change,
    write_verdict,
)
from fieldloop.report.diagnose.days_drawing import draw_daily_rates
from fieldloop.report.diagnose.parts import format_cause_size, uses_points
from fieldloop.report.diagnose.parts import get_size_headings as sized_columns
from fieldloop.report.diagnose.waterfall import draw_waterfall
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_status, get_status_level
from fieldloop.say.numbers import format_count, format_plural, format_time, percent, shorten_ids, stratum_in_words
from fieldloop.ui.components import (
    Column,
    draw_answer_card,
    draw_copyable_command,
    draw_empty_state,
    draw_panel,
    draw_share_bar,
    draw_table,
)
from fieldloop.ui.visit import Drawn, Visit

MOST_ROWS = 40


def draw(visit: Visit) -> Drawn:
    """Draw the newest diagnosis, or the one in the address, above the list of all."""
    now = show_diagnosis(visit.workspace, diagnosis=visit.query.get("id", ""))
    diagnosis, known = now.diagnosis, now.diagnoses
    if diagnosis is None:
        how = "A diagnosis compares production with gate and laboratory trials, and names the causes of lost success."
        return Drawn(
            escape("Diagnosis"),
            (draw_empty_state("No diagnosis yet", how, draw_copyable_command("fieldloop diagnose")),),
        )
    parts = [
        _draw_answer_card(diagnosis),
        _draw_picture_panel("Where the loss comes from", draw_waterfall(diagnosis)),
        _draw_causes(diagnosis),
        _draw_open_questions(diagnosis),
    ]
    parts += [
        _draw_picture_panel(
            "Success over the days", draw_daily_rates(now.days, diagnosis), "band: 95 % interval; dashed line: baseline"
        )
    ]
    parts += [_draw_slices(diagnosis.slices), _draw_failures(diagnosis), _draw_all_diagnoses(known, now.policies)]
    return Drawn(escape("Diagnosis"), tuple(part for part in parts if part is not None))


def _draw_answer_card(diagnosis: Diagnosis) -> Markup:
    why = join(write_success_change(diagnosis), " ", write_main_cause(diagnosis))
    card = {Status.FAILED: "fieldloop plan", Status.CANNOT_TELL: "fieldloop diagnose"}.get(diagnosis.status)
    return draw_answer_card(
        get_status_level(diagnosis.status),
        write_verdict(diagnosis),
        why,
        *([draw_copyable_command(card)] if card else []),
    )


def _draw_picture_panel(title: str, drawing: Markup | None, note: str = "") -> Markup | None:
    return draw_panel(title, tag("div", Markup(drawing), class_="drawn"), note=note) if drawing else None


def _draw_causes(diagnosis: Diagnosis) -> Markup | None:
    rows = [_make_cause_row(diagnosis, cause) for cause in diagnosis.causes]
    columns = (
        Column("Cause", "short"),
        Column(sized_columns(diagnosis)[0].capitalize(), "slim"),
        Column("Where", "wrap"),
        Column("Evidence", "text"),
        Column("Fix", "wrap"),
    )
    return draw_panel("Causes of the loss", draw_table(columns, rows), flush=True) if rows else None


def _make_cause_row(diagnosis: Diagnosis, cause: Cause) -> tuple[object, ...]:
    drawn = [] if uses_points(diagnosis) else [draw_share_bar(cause.share, cause.low, cause.high)]
    share = join(tag("div", "{} ({})".format(*format_cause_size(diagnosis, cause))), *drawn)
    return (
        cause.gap.value,
        share,
        join(write_cause_place(cause), tag("small", write_cause_start(cause))),
        write_sentence(cause.evidence),
        write_sentence(cause.fix),
    )


def _draw_open_questions(diagnosis: Diagnosis) -> Markup | None:
    lines = [tag("p", write_sentence(reason)) for reason in diagnosis.cannot_tell]
    return draw_panel(write_remarks_title(diagnosis), *lines) if lines else None


def _draw_slices(slices: Sequence[LostSlice]) -> Markup | None:
    rows = [
        (
            stratum_in_words(s.stratum),
            format_count(s.episodes),
            percent(s.expected, 0),
            percent(s.observed, 0),
            format_doubt(s),
        )
        for s in sort_slices_by_loss(slices)[:MOST_ROWS]
    ]
    names = ("Episodes", "Success expected", "Observed", "Doubt")
    columns = [Column("Where"), *(Column(name, "num") for name in names)]
    return (
        draw_panel("Conditions with lost success", draw_table(columns, rows), note=DOUBT, flush=True) if rows else None
    )


def _draw_failures(diagnosis: Diagnosis) -> Markup | None:
    failures = diagnosis.failures
    questions = list(dict.fromkeys(asked.question for failure in failures for asked in failure.asked))
    rows = []
    for failure in failures[:MOST_ROWS]:
        answers = {
            a.question: join(draw_status(a.status, ANSWERS.get(a.status, "")), tag("small", write_sentence(a.answer)))
            for a in failure.asked
        }
        rows.append(
            (
                shorten_ids(failure.outcome),
                stratum_in_words(failure.stratum),
                *(answers.get(q, "not asked") for q in questions),
            )
        )
    columns = [
        Column("Failure"),
        Column("Where", "wrap"),
        *(Column(write_sentence(question), "wrap") for question in questions),
    ]
    note = write_explained_failures(diagnosis)
    return (
        draw_panel("Four questions about failures", draw_table(columns, rows), note=note, flush=True) if rows else None
    )


def _draw_all_diagnoses(diagnoses: Sequence[Diagnosis], names: Mapping[str, str]) -> Markup:
    rows = [
        (
            tag("a", format_time(one.made_ns), href=f"/diagnose?{urlencode({'id': one.id})}"),
            draw_status(one.status, write_verdict(one)),
            names.get(one.policy, shorten_ids(one.policy)),
            one.site or "all sites",
            percent(one.baseline),
            percent(one.observed),
            name_first_cause(one) if one.causes else "none named",
        )
        for one in diagnoses[:MOST_ROWS]
    ]
    columns = (
        "Made",
        "Verdict",
        "Policy",
        "Site",
        Column("Baseline", "num"),
        Column("Observed", "num"),
        "Largest cause",
    )
    return draw_panel(
        "All diagnoses",
        draw_table(columns, rows),
        note=format_plural(len(diagnoses), "diagnosis", "diagnoses"),
        flush=True,
    )
