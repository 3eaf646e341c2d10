"""Projections: how each event changes the tables. Nothing else writes them, so they can be rebuilt by replay."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby
from typing import Any

from fieldloop.model import event as happened
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode, Session
from fieldloop.model.event import Event
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.store.episodes import search_columns
from fieldloop.store.outcomes import row_of
from fieldloop.store.rows import Tables

Projection = Callable[[Tables, Any, int], None]
"""Takes the tables, an event and its sequence number."""


def project(tables: Tables, events: Iterable[tuple[int, Event]]) -> None:
    """Apply events to the tables in order; consecutive outcomes are written as one batch."""
    for is_outcome, run in groupby(events, key=lambda each: type(each[1]) is happened.OutcomeRecorded):
        if is_outcome:
            recorded = ((seq, event) for seq, event in run if isinstance(event, happened.OutcomeRecorded))
            tables.put_outcomes([row_of(event.outcome, seq) for seq, event in recorded])
        else:
            for seq, event in run:
                PROJECTIONS[type(event)](tables, event, seq)


def _ignore(_tables: Tables, _event: Any, _seq: int) -> None:
    """The event has no projection."""


def _put_noun_of_event(attribute: str) -> Projection:
    """The event holds one complete noun; a later one with the same key replaces it."""

    def put(tables: Tables, event: Any, seq: int) -> None:
        tables.put(getattr(event, attribute), seq)

    return put


def _put_event(tables: Tables, event: Any, seq: int) -> None:
    """The event is the noun."""
    tables.put(event, seq)


def _plan(tables: Tables, event: happened.PlanDrawn, seq: int) -> None:
    tables.put(event.plan, seq)
    for place, order in enumerate(event.plan.orders):
        tables.put(order, seq, place)


def _close_session(tables: Tables, event: happened.SessionClosed, _seq: int) -> None:
    for session, stated in tables.find_with_place(Session, {"id": event.session}):
        tables.put(replace(session, closed_ns=event.at_ns), stated)


def _ingest(tables: Tables, event: happened.LogIngested, seq: int) -> None:
    tables.put(event.log, seq)
    for place, episode in enumerate(event.episodes):
        tables.put(episode, seq, place, log=event.log.blob, **search_columns(episode))


def _read_again(tables: Tables, event: happened.LogReadAgain, seq: int) -> None:
    """The log and its known episodes keep their place; an episode that was not in it before is new."""
    tables.restate(event.log)
    known = {episode.id for episode in event.episodes_before}
    for place, episode in enumerate(event.episodes):
        columns = {"log": event.log.blob, **search_columns(episode)}
        if episode.id in known:
            tables.restate(episode, **columns)
        else:
            tables.put(episode, seq, place, **columns)


def _relabel(tables: Tables, event: happened.EpisodeRelabelled, _seq: int) -> None:
    tables.restate(event.episode, **search_columns(event.episode))


def _set_aside(tables: Tables, event: happened.EpisodeSetAside, _seq: int) -> None:
    """An episode that is set aside has no status, so that no count of statuses includes it."""
    for episode in tables.find(Episode, {"id": event.episode}):
        aside = replace(episode, set_aside=event.reason)
        tables.restate(aside, status=None, **search_columns(aside))


def _restore(tables: Tables, event: happened.EpisodeRestored, _seq: int) -> None:
    last = tables.find(EpisodeReport, {"episode": event.episode}, newest=True, limit=1)
    for episode in tables.find(Episode, {"id": event.episode}):
        used = replace(episode, set_aside="")
        tables.restate(used, status=last[0].status if last else None, **search_columns(used))


def _measure(tables: Tables, event: happened.EpisodesMeasured, seq: int) -> None:
    for place, episode in enumerate(event.episodes):
        tables.put(replace(event, episodes=(episode,)), seq, place, episode=episode)


def _judge(tables: Tables, event: happened.EpisodeJudged, seq: int) -> None:
    tables.put(event.report, seq, protocol=event.protocol)
    tables.set(Episode, {"id": event.report.episode, "set_aside": ""}, status=event.report.status)


def _calibrate(tables: Tables, event: happened.CalibrationAttached, seq: int) -> None:
    """At most one calibration per robot, sensor and kind is valid at any time, in whatever order they arrive.

    A calibration that does not pass never replaces one that does: it is stored with an empty validity interval.
    """
    new = event.calibration
    same = {"robot": new.robot, "sensor": new.sensor, "kind": new.kind}
    others = [(c, stated) for c, stated in tables.find_with_place(Calibration, same) if c.id != new.id]
    for other, _ in others:
        new = replace(new, valid_to_ns=_end_because_of(new, other, arrived_later=True))
    for other, stated in others:
        end = _end_because_of(other, new, arrived_later=False)
        if end != other.valid_to_ns:
            tables.put(replace(other, valid_to_ns=end), stated)
    tables.put(new, seq)


def _end_because_of(calibration: Calibration, other: Calibration, *, arrived_later: bool) -> int | None:
    """Return when a calibration ends because of another. If two begin together, the later arrival is valid."""
    passed, passes = (c.status is Status.PASSED for c in (calibration, other))
    if passes and not passed and other.holds_at(calibration.valid_from_ns):
        return calibration.valid_from_ns
    if passed and not passes:
        return calibration.valid_to_ns
    follows = calibration.valid_from_ns < other.valid_from_ns + (not arrived_later)
    return other.valid_from_ns if follows and calibration.holds_at(other.valid_from_ns) else calibration.valid_to_ns


def _annotate(tables: Tables, event: happened.EpisodeAnnotated, seq: int) -> None:
    whose = {"episode": event.episode, "kind": event.kind, "author": event.author}
    tables.drop(Annotation, whose)
    for place, annotation in enumerate(event.annotations):
        tables.put(annotation, seq, place, **whose)


def _incident(tables: Tables, event: happened.IncidentOpened | happened.IncidentMoved, seq: int) -> None:
    steps = event.incident.steps
    tables.put(event.incident, seq, step=steps[-1].step if steps else None)


PROJECTIONS: dict[type[Event], Projection] = {
    happened.WorkspaceCreated: _ignore,
    happened.TokenIssued: _put_noun_of_event("token"),
    happened.ProtocolLocked: _put_event,
    happened.OperatorEnrolled: _put_noun_of_event("operator"),
    happened.RobotRegistered: _put_noun_of_event("robot"),
    happened.ProviderContracted: _put_noun_of_event("provider"),
    happened.DeploymentMapped: _put_noun_of_event("deployment"),
    happened.DeploymentAudited: _put_noun_of_event("audit"),
    happened.PlanDrawn: _plan,
    happened.PlanScored: _put_noun_of_event("score"),
    happened.SynchronisationVerified: _put_event,
    happened.SessionOpened: _put_noun_of_event("session"),
    happened.SessionClosed: _close_session,
    happened.LogIngested: _ingest,
    happened.LogReadAgain: _read_again,
    happened.EpisodeRelabelled: _relabel,
    happened.EpisodeSetAside: _set_aside,
    happened.EpisodeRestored: _restore,
    happened.EpisodesMeasured: _measure,
    happened.EpisodeJudged: _judge,
    happened.DatasetJudged: _put_noun_of_event("report"),
    happened.DeliveryJudged: _ignore,
    happened.CalibrationAttached: _calibrate,
    happened.IntrinsicsAttached: _put_noun_of_event("intrinsics"),
    happened.SensorVerified: _put_noun_of_event("verification"),
    happened.TaxonomyLocked: _put_event,
    happened.EpisodeAnnotated: _annotate,
    happened.ReleaseFrozen: _put_noun_of_event("release"),
    happened.ReleaseExported: _ignore,
    happened.LagsMeasured: _put_event,
    happened.PolicyTrained: _put_noun_of_event("policy"),
    happened.PolicyAdded: _put_noun_of_event("policy"),
    happened.PolicyGated: _put_noun_of_event("decision"),
    happened.RolloutMoved: _put_noun_of_event("rollout"),
    happened.AlarmRaised: _put_noun_of_event("alarm"),
    happened.DiagnosisMade: _put_noun_of_event("diagnosis"),
    happened.IncidentOpened: _incident,
    happened.IncidentMoved: _incident,
    happened.DemandPlaced: _put_noun_of_event("demand"),
}
"""One entry per event, except OutcomeRecorded, which is written in batches."""
