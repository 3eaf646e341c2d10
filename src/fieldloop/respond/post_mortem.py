"""Write an incident up from its record: what happened, when, why, what it cost, what was done, what prevents it."""

from collections.abc import Iterable, Iterator, Sequence

from fieldloop.model.codec import iso
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.incident import Incident, IncidentClock
from fieldloop.model.plan import Demand
from fieldloop.protocol import Section
from fieldloop.respond.incident import HOUR_S, MINUTE_S, clocks


def post_mortem(
    incident: Incident,
    settings: Section,
    at_ns: int,
    diagnosis: Diagnosis | None = None,
    demands: Iterable[Demand] = (),
    failures: int | None = None,
) -> str:
    """Write a post-mortem as Markdown; what the record does not hold is marked as open, never made up."""
    asked = [d for d in demands if d.source in (incident.id, diagnosis.id if diagnosis else None)]
    parts = (
        *_head(incident),
        *_impact(incident, diagnosis, failures),
        *_cause(diagnosis),
        *_timeline(incident),
        *_clock_table(clocks(incident, settings, at_ns)),
        *_prevention(diagnosis, asked),
    )
    return "\n".join((*parts, ""))


def _head(incident: Incident) -> Iterator[str]:
    yield f"# Post-mortem of {incident.id}\n"
    yield incident.what + "\n"
    yield f"- policy: {incident.policy}"
    yield f"- site: {incident.site or 'not said'}"
    yield f"- conditions: {incident.stratum or 'not narrowed down'}"
    yield f"- alerted: {iso(incident.alerted_ns)}{f' by {incident.alarm}' if incident.alarm else ''}"


def _impact(incident: Incident, diagnosis: Diagnosis | None, failures: int | None) -> Iterator[str]:
    yield "\n## Impact\n"
    if diagnosis:
        yield (
            f"Success fell from {diagnosis.baseline:.1%} to {diagnosis.observed:.1%} "
            f"over {diagnosis.episodes} episodes ({100 * diagnosis.loss:.1f} points)."
        )
    if failures is not None:
        begin = "the days the alarm looked at" if incident.alarm else "the alert"
        yield f"{failures} failed attempts from {begin} to the resolution."
    if diagnosis is None and failures is None:
        yield "**Open:** nobody has said what it cost."


def _cause(diagnosis: Diagnosis | None) -> Iterator[str]:
    yield "\n## Cause\n"
    if diagnosis is None:
        yield "**Open:** not diagnosed."
        return
    for cause in diagnosis.causes:
        yield f"- {cause.gap.value} ({cause.stratum or 'everywhere'}): {cause.share:.0%} of the loss. {cause.evidence}"
    for reason in diagnosis.cannot_tell:
        yield f"- cannot tell: {reason}"
    if not diagnosis.causes and not diagnosis.cannot_tell:
        yield "**Open:** no cause was named."


def _timeline(incident: Incident) -> Iterator[str]:
    yield "\n## What was done\n"
    yield "| when | step | by | what |"
    yield "|---|---|---|---|"
    for done in incident.steps:
        note = done.note.replace("|", "/").replace("\n", " ")
        yield f"| {iso(done.at_ns)} | {done.step} | {done.actor} | {note} |"


def _clock_table(read: Sequence[IncidentClock]) -> Iterator[str]:
    yield "\n## Clocks\n"
    yield "| step | owner | limit | took | |"
    yield "|---|---|---:|---:|---|"
    for clock in read:
        word = {True: "met", False: "**missed**", None: "running"}[clock.met]
        yield f"| {clock.step} | {clock.owner} | {_span(clock.limit_s)} | {_span(clock.elapsed_s)} | {word} |"


def _prevention(diagnosis: Diagnosis | None, asked: Sequence[Demand]) -> Iterator[str]:
    yield "\n## Fix and prevention\n"
    for cause in diagnosis.causes if diagnosis else ():
        yield f"- {cause.fix}"
    for one in asked:
        yield f"- {one.demonstrations} demonstrations of {one.stratum} asked of the plan ({one.id})"
    if not asked and not (diagnosis and diagnosis.causes):
        yield "**Open:** nothing prevents this from happening again."


def _span(seconds: float) -> str:
    if seconds < HOUR_S:
        return f"{seconds / MINUTE_S:.0f} min"
    return f"{seconds / HOUR_S:.1f} h"
