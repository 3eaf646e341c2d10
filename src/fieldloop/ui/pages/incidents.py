"""The Incidents page: clocks from the alert, steps taken, and what the diagnosis found."""

from collections.abc import Sequence

from fieldloop.loop.home.incidents import show_incidents
from fieldloop.loop.run.incident import IncidentNow
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.finding import Status
from fieldloop.model.incident import Step
from fieldloop.report.diagnose.content import (
    name_remarks,
    write_cause_place,
    write_cause_start,
    write_main_cause,
    write_success_change,
    write_verdict,
)
from fieldloop.report.diagnose.kinds import write_kinds
from fieldloop.report.diagnose.parts import format_cause_size, uses_points
from fieldloop.report.diagnose.parts import get_size_headings as sized_columns
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_plural, format_time, shorten_ids
from fieldloop.ui.components import (
    Column,
    draw_action_button,
    draw_answer_card,
    draw_copyable_command,
    draw_empty_state,
    draw_incident_clocks,
    draw_interval_bar,
    draw_key_values,
    draw_panel,
    draw_table,
)
from fieldloop.ui.visit import Drawn, Visit


def draw(visit: Visit) -> Drawn:
    """Draw the incidents, open ones first, and the newest diagnosis."""
    now = show_incidents(visit.workspace)
    known, diagnosis_panel = now.incidents, (_draw_diagnosis(now.diagnosis),) if now.diagnosis else ()
    if not known:
        how = "An alarm opens an incident automatically. You can also open one by hand."
        return Drawn(
            escape("Incidents"),
            (
                draw_empty_state("No incident", how, draw_copyable_command("fieldloop incident open --help")),
                *diagnosis_panel,
            ),
        )
    kept = {scenario.source: scenario.name for scenario in now.kept}
    drawn = (_draw_incident(one, kept.get(one.incident.id, "")) for one in known)
    return Drawn(escape("Incidents"), (_draw_answer_card(known), *drawn, *diagnosis_panel))


def _draw_answer_card(incidents: Sequence[IncidentNow]) -> Markup:
    still = [now for now in incidents if now.incident.find_done_step(Step.REVIEWED) is None]
    if not still:
        asked = sum(d.demonstrations for now in incidents for d in now.demands)
        why = f"The incidents requested {format_plural(asked, 'demonstration')} from the plan."
        return draw_answer_card("good", f"All {format_plural(len(incidents), 'incident')} are reviewed", why)
    late = sum(c.met is False or (c.met is None and c.elapsed_s > c.limit_s) for now in still for c in now.clocks)
    why = f"{format_plural(late, 'deadline')} missed." if late else "No deadline has been missed."
    headline = f"{format_plural(len(still), 'incident')} open: {write_sentence(still[0].incident.what)}"
    return draw_answer_card("bad" if late else "warn", headline, why)


def _draw_incident(incident_now: IncidentNow, kept: str) -> Markup:
    """Draw an incident; `kept` names the scenario of every gate that it has become."""
    incident = incident_now.incident
    step = next((s for s in Step if incident.find_done_step(s) is None), None)
    facts = [
        ("Site", incident.site),
        ("Policy", shorten_ids(incident.policy)),
        ("Where", str(incident.stratum).replace(",", ", ") or "everywhere"),
        ("Scenario of every gate", kept or _draw_keep_button(incident.id)),
        ("Alerted", format_time(incident.alerted_ns)),
        (
            "Requested from the plan",
            "; ".join(f"{d.demonstrations} of {d.stratum}" for d in incident_now.demands) or "nothing yet",
        ),
    ]
    steps = [
        tag(
            "li",
            draw_level_mark("good"),
            tag("span", f"{s.step.value} by {s.actor}, {format_time(s.at_ns)}"),
            tag("p", s.note),
        )
        for s in incident.steps
    ]
    body = (
        draw_incident_clocks(incident_now.clocks),
        tag("div", draw_key_values(facts), class_="under"),
        tag("ul", *steps, class_="list under"),
    )
    return draw_panel(
        write_sentence(incident.what),
        *body,
        note=shorten_ids(incident.id),
        right=_draw_step_button(incident.id, step) if step else None,
    )


def _draw_keep_button(incident: str) -> Markup:
    sure = "Every later gate will try this. Keep it?"
    return draw_action_button("Keep as scenario", "/api/gate/keep", {"incident": incident}, confirm_text=sure)


def _draw_step_button(incident: str, step: Step) -> Markup:
    body = {"incident": incident, "step": step.value, "note": "Marked on the incidents page."}
    return draw_action_button(
        f"Mark {step.value}", "/api/incident/move", body, confirm_text=f"Mark the incident as {step.value}?"
    )


def _draw_diagnosis(diagnosis: Diagnosis) -> Markup:
    headline = tag(
        "p",
        tag("b", write_verdict(diagnosis)),
        f": {write_success_change(diagnosis)} {write_main_cause(diagnosis)} {write_kinds(diagnosis)}",
        class_="body",
    )
    rows = [
        (
            c.gap.value,
            format_cause_size(diagnosis, c)[0],
            "" if uses_points(diagnosis) else draw_interval_bar(c.low, c.share, c.high),
            format_cause_size(diagnosis, c)[1],
            write_cause_place(c),
            write_cause_start(c),
            write_sentence(c.evidence),
            write_sentence(c.fix),
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
        tag("p", f"{name_remarks(diagnosis)}: {write_sentence(reason)}", class_=look)
        for reason in diagnosis.cannot_tell
    ]
    causes = draw_table(columns, rows) if rows else None
    return draw_panel("Diagnosis", headline, causes, *unknown, note=format_time(diagnosis.made_ns), flush=True)
