"""The Incidents page: clocks from the alert, steps taken, and what the diagnosis found."""

from collections.abc import Sequence

from fieldloop.loop.home.incidents import show_incidents
from fieldloop.loop.run.incident import IncidentNow
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.finding import Status
from fieldloop.model.incident import Step
from fieldloop.report.diagnose.content import change_text, main_cause, place_in_words, remark_word, since, verdict
from fieldloop.report.diagnose.kinds import kinds_text
from fieldloop.report.diagnose.parts import columns as sized_columns
from fieldloop.report.diagnose.parts import in_points, size
from fieldloop.say import sentence
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import shape
from fieldloop.say.numbers import format_time, plural, shorten_ids
from fieldloop.ui.components import (
    Column,
    action,
    clocks,
    command,
    dense_table,
    empty_state,
    interval_bar,
    key_value,
    next_card,
    panel,
)
from fieldloop.ui.visit import Drawn, Visit


def draw(visit: Visit) -> Drawn:
    """Draw the incidents, open ones first, and the newest diagnosis."""
    now = show_incidents(visit.workspace)
    known, diagnosis_panel = now.incidents, (_diagnosis(now.diagnosis),) if now.diagnosis else ()
    if not known:
        how = "An alarm opens an incident automatically. You can also open one by hand."
        return Drawn(
            escape("Incidents"),
            (empty_state("No incident", how, command("fieldloop incident open --help")), *diagnosis_panel),
        )
    return Drawn(escape("Incidents"), (_draw_answer_card(known), *map(_incident, known), *diagnosis_panel))


def _draw_answer_card(known: Sequence[IncidentNow]) -> Markup:
    still = [now for now in known if now.incident.done(Step.REVIEWED) is None]
    if not still:
        asked = sum(d.demonstrations for now in known for d in now.demands)
        why = f"The incidents requested {plural(asked, 'demonstration')} from the plan."
        return next_card("good", f"All {plural(len(known), 'incident')} are reviewed", why)
    late = sum(c.met is False or (c.met is None and c.elapsed_s > c.limit_s) for now in still for c in now.clocks)
    why = f"{plural(late, 'deadline')} missed." if late else "No deadline has been missed."
    headline = f"{plural(len(still), 'incident')} open: {sentence(still[0].incident.what)}"
    return next_card("bad" if late else "warn", headline, why)


def _incident(now: IncidentNow) -> Markup:
    incident = now.incident
    step = next((s for s in Step if incident.done(s) is None), None)
    facts = [
        ("Site", incident.site),
        ("Policy", shorten_ids(incident.policy)),
        ("Where", str(incident.stratum).replace(",", ", ") or "everywhere"),
        ("Alerted", format_time(incident.alerted_ns)),
        (
            "Requested from the plan",
            "; ".join(f"{d.demonstrations} of {d.stratum}" for d in now.demands) or "nothing yet",
        ),
    ]
    steps = [
        tag("li", shape("good"), tag("span", f"{s.step.value} by {s.actor}, {format_time(s.at_ns)}"), tag("p", s.note))
        for s in incident.steps
    ]
    body = (clocks(now.clocks), tag("div", key_value(facts), class_="under"), tag("ul", *steps, class_="list under"))
    return panel(
        sentence(incident.what),
        *body,
        note=shorten_ids(incident.id),
        right=_step_button(incident.id, step) if step else None,
    )


def _step_button(incident: str, step: Step) -> Markup:
    body = {"incident": incident, "step": step.value, "note": "Marked on the incidents page."}
    return action(f"Mark {step.value}", "/api/incident/move", body, sure=f"Mark the incident as {step.value}?")


def _diagnosis(diagnosis: Diagnosis) -> Markup:
    headline = tag(
        "p",
        tag("b", verdict(diagnosis)),
        f": {change_text(diagnosis)} {main_cause(diagnosis)} {kinds_text(diagnosis)}",
        class_="body",
    )
    rows = [
        (
            c.gap.value,
            size(diagnosis, c)[0],
            "" if in_points(diagnosis) else interval_bar(c.low, c.share, c.high),
            size(diagnosis, c)[1],
            place_in_words(c),
            since(c),
            sentence(c.evidence),
            sentence(c.fix),
        )
        for c in diagnosis.causes
    ]
    columns = (
        "Cause",
        Column(sized_columns(diagnosis)[0].capitalize(), "num"),
        Column("", "slim"),
        "Interval",
        "Where",
        "Data",
        Column("Evidence", "text"),
        Column("Fix", "text"),
    )
    look = "body" if diagnosis.status is Status.PASSED else "body warn"
    unknown = [
        tag("p", f"{remark_word(diagnosis)}: {sentence(reason)}", class_=look) for reason in diagnosis.cannot_tell
    ]
    causes = dense_table(columns, rows) if rows else None
    return panel("Diagnosis", headline, causes, *unknown, note=format_time(diagnosis.made_ns), flush=True)
