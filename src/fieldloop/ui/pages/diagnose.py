"""Diagnosis page: is the drop real, its parts, its causes, and what to log."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from fieldloop.loop.home.diagnoses import show_diagnosis
from fieldloop.model.diagnosis import Cause, Diagnosis, LostSlice
from fieldloop.model.finding import Status
from fieldloop.report.diagnose.content import (
    ANSWERS,
    DOUBT,
    by_loss,
    change,
    doubt,
    in_short,
    main_cause,
    place,
    remarks_title,
    sampled,
    since,
    verdict,
)
from fieldloop.report.diagnose.days_drawing import draw_days
from fieldloop.report.diagnose.parts import columns as sized_columns
from fieldloop.report.diagnose.parts import in_points, size
from fieldloop.report.diagnose.waterfall import draw_waterfall
from fieldloop.say import sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import level_of, status
from fieldloop.say.numbers import moment, percent, plural, short, where, whole
from fieldloop.ui.components import Column, command, dense_table, empty_state, next_card, panel, share_bar
from fieldloop.ui.visit import Drawn, Visit

MOST_ROWS = 40


def draw(visit: Visit) -> Drawn:
    """Draw the newest diagnosis, or the one in the address, above the list of all."""
    now = show_diagnosis(visit.workspace, diagnosis=visit.query.get("id", ""))
    found, known = now.diagnosis, now.diagnoses
    if found is None:
        how = "A diagnosis compares production with gate and laboratory trials, and names the causes of lost success."
        return Drawn(escape("Diagnosis"), (empty_state("No diagnosis yet", how, command("fieldloop diagnose")),))
    parts = [_answer(found), _picture("Where the loss comes from", draw_waterfall(found)), _causes(found), _log(found)]
    parts += [
        _picture("Success over the days", draw_days(now.days, found), "band: 95 % interval; dashed line: baseline")
    ]
    parts += [_slices(found.slices), _failures(found), _earlier(known, now.policies)]
    return Drawn(escape("Diagnosis"), tuple(part for part in parts if part is not None))


def _answer(found: Diagnosis) -> Markup:
    why = join(change(found), " ", main_cause(found))
    card = {Status.FAILED: "fieldloop plan", Status.CANNOT_TELL: "fieldloop diagnose"}.get(found.status)
    return next_card(level_of(found.status), verdict(found), why, *([command(card)] if card else []))


def _picture(title: str, drawn: Markup | None, note: str = "") -> Markup | None:
    return panel(title, tag("div", Markup(drawn), class_="drawn"), note=note) if drawn else None


def _causes(found: Diagnosis) -> Markup | None:
    rows = [_cause(found, cause) for cause in found.causes]
    columns = (
        Column("Cause", "short"),
        Column(sized_columns(found)[0].capitalize(), "slim"),
        Column("Where", "wrap"),
        Column("Evidence", "text"),
        Column("Fix", "wrap"),
    )
    return panel("Causes of the loss", dense_table(columns, rows), flush=True) if rows else None


def _cause(found: Diagnosis, cause: Cause) -> tuple[object, ...]:
    drawn = [] if in_points(found) else [share_bar(cause.share, cause.low, cause.high)]
    share = join(tag("div", "{} ({})".format(*size(found, cause))), *drawn)
    return (
        cause.gap.value,
        share,
        join(place(cause), tag("small", since(cause))),
        sentence(cause.evidence),
        sentence(cause.fix),
    )


def _log(found: Diagnosis) -> Markup | None:
    lines = [tag("p", sentence(reason)) for reason in found.cannot_tell]
    return panel(remarks_title(found), *lines) if lines else None


def _slices(slices: Sequence[LostSlice]) -> Markup | None:
    rows = [
        (where(s.stratum), whole(s.episodes), percent(s.expected, 0), percent(s.observed, 0), doubt(s))
        for s in by_loss(slices)[:MOST_ROWS]
    ]
    names = ("Episodes", "Success expected", "Observed", "Doubt")
    columns = [Column("Where"), *(Column(name, "num") for name in names)]
    return panel("Conditions with lost success", dense_table(columns, rows), note=DOUBT, flush=True) if rows else None


def _failures(found: Diagnosis) -> Markup | None:
    failures = found.failures
    questions = list(dict.fromkeys(asked.question for one in failures for asked in one.asked))
    rows = []
    for one in failures[:MOST_ROWS]:
        answers = {
            a.question: join(status(a.status, ANSWERS.get(a.status, "")), tag("small", sentence(a.answer)))
            for a in one.asked
        }
        rows.append((short(one.outcome), where(one.stratum), *(answers.get(q, "not asked") for q in questions)))
    columns = [
        Column("Failure"),
        Column("Where", "wrap"),
        *(Column(sentence(question), "wrap") for question in questions),
    ]
    note = sampled(found)
    return panel("Four questions about failures", dense_table(columns, rows), note=note, flush=True) if rows else None


def _earlier(known: Sequence[Diagnosis], names: Mapping[str, str]) -> Markup:
    rows = [
        (
            tag("a", moment(one.made_ns), href=f"/diagnose?{urlencode({'id': one.id})}"),
            status(one.status, verdict(one)),
            names.get(one.policy, short(one.policy)),
            one.site or "all sites",
            percent(one.baseline),
            percent(one.observed),
            in_short(one) if one.causes else "none named",
        )
        for one in known[:MOST_ROWS]
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
    return panel(
        "All diagnoses", dense_table(columns, rows), note=plural(len(known), "diagnosis", "diagnoses"), flush=True
    )
