"""What changed last: the newest events in a few words; kinds that come in numbers are summed up."""

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass

from fieldloop.loop.workspace import Workspace
from fieldloop.model import event as happened
from fieldloop.model.alarm import Alarm
from fieldloop.model.event import Event, Recorded
from fieldloop.model.finding import Status
from fieldloop.model.incident import Incident
from fieldloop.model.note import Note, note
from fieldloop.model.person_event import TokenIssued
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.model.verification import Verification
from fieldloop.say.marks import BAD, GOOD, MARKS, RUN, WARN
from fieldloop.store import EventSpan

SUMMED_UP: dict[type[Event], str] = {
    happened.LogIngested: "home.logs_ingested",
    happened.EpisodeJudged: "home.episodes_judged",
    happened.EpisodeAnnotated: "home.episodes_annotated",
    happened.OutcomeRecorded: "home.outcomes_recorded",
    happened.SynchronisationVerified: "home.clocks_verified",
}
LEFT_OUT = (happened.EpisodesMeasured, TokenIssued, happened.SessionClosed)
CHANGES, LOOK_BACK = 8, 300


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened, in a few words."""

    at_ns: int
    mark: str
    text: Note
    detail: Note | str = ""
    seq: int = 0
    actor: str = ""


def list_recent_changes(workspace: Workspace, last_seq: int) -> Iterator[Change]:
    """Yield the newest changes; frequent events are counted by kind over the last 24 hours."""
    recent = workspace.store.read_tail(max(0, last_seq - LOOK_BACK))
    listed = [_describe_change(r) for r in recent if not isinstance(r.event, (*SUMMED_UP, *LEFT_OUT))]
    last_of = {type(r.event): r for r in recent if isinstance(r.event, tuple(SUMMED_UP))}
    spans = [EventSpan(kind, last.seq, last.at_ns - NS_PER_DAY) for kind, last in last_of.items()]
    for (kind, last), events in zip(last_of.items(), workspace.store.views.count_events(spans), strict=True):
        text = note(SUMMED_UP[kind], events=events)
        listed.append(Change(last.at_ns, RUN, text, note("home.within_a_day"), last.seq, last.actor))
    yield from sorted(listed, key=lambda c: -c.seq)[:CHANGES]


def _describe_change(recorded: Recorded[Event]) -> Change:
    """Describe an event by its own name, which is in the past tense: `PlanDrawn` becomes 'Plan drawn'."""
    noun = getattr(recorded.event, dataclasses.fields(recorded.event)[0].name)
    if isinstance(noun, Verification):
        return _describe_verification(recorded, noun)
    named = [noun, *(getattr(noun, name, "") for name in ("name", "site", "deployment", "provider", "rung", "status"))]
    which = next((name for name in named if name and isinstance(name, str)), "")
    which = MARKS[which].word if isinstance(which, Status) else which
    more = [getattr(noun, name, "") for name in ("message", "what", "reason", "why", "strategy", "trainer")]
    detail = next((one for one in more if one and isinstance(one, str | Note)), "")
    status = getattr(noun, "status", getattr(noun, "verdict", Status.PASSED))
    mark = BAD if isinstance(noun, Alarm | Incident) else MARKS[status].level if status in MARKS else GOOD
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(recorded.event).__name__).capitalize()
    text = note("home.happened", event=name, which=which)
    return Change(recorded.at_ns, mark, text, detail, recorded.seq, recorded.actor)


def _describe_verification(recorded: Recorded[Event], seen: Verification) -> Change:
    """Describe the result of a verification; that it was made is not good news by itself."""
    sensor, robot = seen.sensor, seen.robot
    mark, text, detail = WARN, note("home.sensor_warned", sensor=sensor, robot=robot), note("home.sensor_warned_do")
    if seen.halts_collection:
        mark, text, detail = BAD, note("home.sensor_failed", sensor=sensor, robot=robot), note("home.sensor_failed_do")
    elif seen.is_good:
        good = note("home.sensor_good", sensor=sensor, robot=robot)
        return Change(recorded.at_ns, GOOD, good, "", recorded.seq, recorded.actor)
    return Change(recorded.at_ns, mark, text, detail, recorded.seq, recorded.actor)
