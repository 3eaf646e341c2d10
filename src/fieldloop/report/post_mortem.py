"""The post-mortem of an incident as Markdown: impact, cause, timeline, deadlines and prevention."""

from collections.abc import Iterable, Iterator, Sequence

from fieldloop.model.codec import format_iso_time
from fieldloop.model.diagnosis import Cause, Diagnosis
from fieldloop.model.incident import Incident, IncidentClock
from fieldloop.model.plan import Demand
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_duration, format_fixed, format_plural, percent, shorten_ids


def write_post_mortem(
    incident: Incident,
    clocks: Sequence[IncidentClock],
    diagnosis: Diagnosis | None = None,
    demands: Iterable[Demand] = (),
    failures: int | None = None,
) -> str:
    """Write a post-mortem from the record; what the record does not hold is marked as open."""
    asked = [d for d in demands if d.source in (incident.id, diagnosis.id if diagnosis else None)]
    parts = (
        *_write_head(incident),
        *_write_impact(incident, diagnosis, failures),
        *_write_causes(diagnosis, incident.site),
        *_write_timeline(incident),
        *_write_deadlines(clocks),
        *_write_prevention(diagnosis, asked),
    )
    return "\n".join((*parts, ""))


def _write_head(incident: Incident) -> Iterator[str]:
    yield f"# Post-mortem of {shorten_ids(incident.id)}\n"
    yield write_sentence(incident.what) + "\n"
    yield f"- Policy: {shorten_ids(incident.policy)}"
    yield f"- Site: {incident.site or 'not stated'}"
    yield f"- Conditions: {incident.stratum or 'not known'}"
    yield (
        f"- Alarm raised: "
        f"{format_iso_time(incident.alerted_ns)}{f' by {shorten_ids(incident.alarm)}' if incident.alarm else ''}"
    )


def _write_impact(incident: Incident, diagnosis: Diagnosis | None, failures: int | None) -> Iterator[str]:
    yield "\n## Impact\n"
    if diagnosis:
        yield (
            f"Success fell from {percent(diagnosis.baseline)} to {percent(diagnosis.observed)} "
            f"over {format_plural(diagnosis.episodes, 'episode')} "
            f"({format_fixed(100 * diagnosis.loss, 1)} points){_write_scope(diagnosis)}."
        )
    if failures is not None:
        begin = "the first day behind the alarm" if incident.alarm else "the alarm"
        yield f"{format_plural(failures, 'failed attempt')} from {begin} to the resolution."
    if diagnosis is None and failures is None:
        yield "**Open:** the number of failed attempts is not known."


def _write_scope(diagnosis: Diagnosis) -> str:
    return f" at {diagnosis.site}" if diagnosis.site else " at all sites together"


def _write_causes(diagnosis: Diagnosis | None, site: str) -> Iterator[str]:
    yield "\n## Cause\n"
    if diagnosis is None:
        yield "**Open:** the incident is not diagnosed."
        return
    elsewhere = [c for c in diagnosis.causes if site and c.stratum.level("site") not in (None, site)]
    here = [cause for cause in diagnosis.causes if cause not in elsewhere]
    if site and not diagnosis.site:
        yield f"The diagnosis covers all sites together. For {site} alone: fieldloop diagnose --site {site}\n"
    yield from map(_write_cause_line, here)
    if elsewhere:
        yield "\nCauses at other sites, in the same diagnosis:\n"
        yield from map(_write_cause_line, elsewhere)
    for reason in diagnosis.cannot_tell:
        yield f"- Cannot tell: {write_sentence(reason)}"
    if not diagnosis.causes and not diagnosis.cannot_tell:
        yield "**Open:** no cause was found."


def _write_cause_line(cause: Cause) -> str:
    named = f"{cause.gap.value} ({cause.stratum or 'everywhere'})"
    return f"- {named}: {percent(cause.share, 0)} of the loss. {write_sentence(cause.evidence)}"


def _write_timeline(incident: Incident) -> Iterator[str]:
    yield "\n## What was done\n"
    yield "| when | step | by | what |"
    yield "|---|---|---|---|"
    for done in incident.steps:
        note = done.note.replace("|", "/").replace("\n", " ")
        yield f"| {format_iso_time(done.at_ns)} | {done.step} | {done.actor} | {note} |"


def _write_deadlines(clocks: Sequence[IncidentClock]) -> Iterator[str]:
    yield "\n## Deadlines\n"
    yield "| step | owner | limit | took | |"
    yield "|---|---|---:|---:|---|"
    for clock in clocks:
        word = {True: "met", False: "**missed**", None: "running"}[clock.met]
        limit, elapsed = format_duration(clock.limit_s), format_duration(clock.elapsed_s)
        yield f"| {clock.step} | {clock.owner} | {limit} | {elapsed} | {word} |"


def _write_prevention(diagnosis: Diagnosis | None, demands: Sequence[Demand]) -> Iterator[str]:
    yield "\n## Fix and prevention\n"
    for cause in diagnosis.causes if diagnosis else ():
        yield f"- {write_sentence(cause.fix)}"
    for wanted in demands:
        count = format_plural(wanted.demonstrations, "demonstration")
        yield f"- {count} of {wanted.stratum} requested from the plan"
    if not demands and not (diagnosis and diagnosis.causes):
        yield "**Open:** no fix is recorded, so the incident can happen again."
