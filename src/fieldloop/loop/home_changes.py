"""What changed last: the newest events in a few words, what comes by the hundred summed up."""

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass

from fieldloop.loop.home_marks import BAD, GOOD, MARK, RUN, WARN
from fieldloop.loop.workspace import Workspace
from fieldloop.model import event as happened
from fieldloop.model.alarm import Alarm
from fieldloop.model.event import Event, Recorded
from fieldloop.model.finding import Status
from fieldloop.model.incident import Incident
from fieldloop.model.verification import Verification

BY_THE_HUNDRED: dict[type[Event], str] = {
    happened.LogIngested: "logs taken in", happened.EpisodeJudged: "episodes judged",
    happened.EpisodeAnnotated: "episodes annotated", happened.OutcomeRecorded: "outcomes recorded",
    happened.SynchronisationVerified: "clocks verified",
}  # fmt: skip
NOT_TOLD = (happened.EpisodesMeasured, happened.TokenIssued, happened.SessionClosed)
CHANGES, LOOK_BACK = 8, 300


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened, in a few words."""

    at_ns: int
    mark: str
    text: str
    detail: str = ""
    seq: int = 0
    actor: str = ""


def changes(workspace: Workspace) -> Iterator[Change]:
    """The newest things worth a line; what comes by the hundred is summed up by kind."""
    recent = workspace.store.tail(max(0, workspace.store.last() - LOOK_BACK))
    told = [_sentence(r) for r in recent if not isinstance(r.event, (*BY_THE_HUNDRED, *NOT_TOLD))]
    for kind, plural in BY_THE_HUNDRED.items():
        if same := [r for r in recent if isinstance(r.event, kind)]:
            told.append(Change(same[-1].at_ns, RUN, f"{len(same):,} {plural}", "", same[-1].seq, same[-1].actor))
    yield from sorted(told, key=lambda c: -c.seq)[:CHANGES]


def _sentence(recorded: Recorded[Event]) -> Change:
    """Events are in the past tense already: `PlanDrawn` reads 'Plan drawn'; the noun inside says the rest."""
    noun = getattr(recorded.event, dataclasses.fields(recorded.event)[0].name)
    if isinstance(noun, Verification):
        return _look_at_a_sensor(recorded, noun)
    named = [noun, *(getattr(noun, name, "") for name in ("name", "site", "deployment", "provider", "rung", "status"))]
    which = next((name for name in named if name and isinstance(name, str)), "")
    more = [getattr(noun, name, "") for name in ("message", "what", "reason", "why", "strategy", "trainer")]
    status = getattr(noun, "status", getattr(noun, "verdict", Status.PASSED))
    mark = BAD if isinstance(noun, Alarm | Incident) else MARK.get(status, GOOD)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(recorded.event).__name__).capitalize()
    detail = next((said for said in more if said and isinstance(said, str)), "")
    return Change(recorded.at_ns, mark, f"{text}: {which}" if which else text, detail, recorded.seq, recorded.actor)


def _look_at_a_sensor(recorded: Recorded[Event], seen: Verification) -> Change:
    """Say what came of looking: that somebody looked is no good news by itself."""
    which = f"{seen.sensor} of {seen.robot}"
    mark, said, detail = GOOD, "Sensor verified", ""
    if seen.halts:
        mark, said, detail = BAD, "Sensor failed its verification", "Stop collecting until it is calibrated again."
    elif not seen.good:
        mark, said, detail = WARN, "Sensor verified with a warning", "Calibrate it again soon."
    return Change(recorded.at_ns, mark, f"{said}: {which}", detail, recorded.seq, recorded.actor)
