"""Projections: how each event changes the tables. Nothing else writes them, so they can be rebuilt by replay."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby
from typing import Any

from fieldloop.model import event as happened
from fieldloop.model import gate_event as gated
from fieldloop.model import labelling_event as labelled
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode, Session
from fieldloop.model.event import Event
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.labelling import SavedLabels
from fieldloop.model.person_event import OperatorEnrolled, ProviderContracted, TokenIssued
from fieldloop.model.response_event import AlarmRaised, DemandPlaced, DiagnosisMade, IncidentMoved, IncidentOpened
from fieldloop.model.serving import ServingMoved
from fieldloop.store.episodes import get_search_columns
from fieldloop.store.outcomes import make_outcome_row
from fieldloop.store.rows import Tables

Projection = Callable[[Tables, Any, int], None]
"""Takes the tables, an event and its sequence number."""


def apply_events(tables: Tables, events: Iterable[tuple[int, Event]]) -> None:
    """Apply events to the tables in order; consecutive outcomes are written as one batch."""
    for is_outcome, run in groupby(events, key=lambda each: type(each[1]) is happened.OutcomeRecorded):
        if is_outcome:
            recorded = ((seq, event) for seq, event in run if isinstance(event, happened.OutcomeRecorded))
            tables.put_outcomes([make_outcome_row(event.outcome, seq) for seq, event in recorded])
        else:
            for seq, event in run:
                PROJECTIONS[type(event)](tables, event, seq)


def _ignore_event(_tables: Tables, _event: Any, _seq: int) -> None:
    """The event has no projection."""


def _make_noun_projection(attribute: str) -> Projection:
    """The event holds one complete noun; a later one with the same key replaces it."""

    def put_noun(tables: Tables, event: Any, seq: int) -> None:
        tables.put(getattr(event, attribute), seq)

    return put_noun


def _project_event(tables: Tables, event: Any, seq: int) -> None:
    """The event is the noun."""
    tables.put(event, seq)


def _project_plan(tables: Tables, event: happened.PlanDrawn, seq: int) -> None:
    tables.put(event.plan, seq)
    for place, order in enumerate(event.plan.orders):
        tables.put(order, seq, place)


def _project_closed_session(tables: Tables, event: happened.SessionClosed, _seq: int) -> None:
    for session, stated in tables.find_with_place(Session, {"id": event.session}):
        tables.put(replace(session, closed_ns=event.at_ns), stated)


def _project_ingested_log(tables: Tables, event: happened.LogIngested, seq: int) -> None:
    tables.put(event.log, seq)
    for place, episode in enumerate(event.episodes):
        tables.put(episode, seq, place, log=event.log.blob, **get_search_columns(episode))


def _project_log_read_again(tables: Tables, event: happened.LogReadAgain, seq: int) -> None:
    """The log and its known episodes keep their place; an episode that was not in it before is new."""
    tables.overwrite_noun(event.log)
    known = {episode.id for episode in event.episodes_before}
    for place, episode in enumerate(event.episodes):
        columns = {"log": event.log.blob, **get_search_columns(episode)}
        if episode.id in known:
            tables.overwrite_noun(episode, **columns)
        else:
            tables.put(episode, seq, place, **columns)


def _project_relabelled_episode(tables: Tables, event: happened.EpisodeRelabelled, _seq: int) -> None:
    tables.overwrite_noun(event.episode, **get_search_columns(event.episode))


def _project_episode_set_aside(tables: Tables, event: happened.EpisodeSetAside, _seq: int) -> None:
    """An episode that is set aside has no status, so that no count of statuses includes it."""
    for episode in tables.find(Episode, {"id": event.episode}):
        aside = replace(episode, set_aside=event.reason)
        tables.overwrite_noun(aside, status=None, **get_search_columns(aside))


def _project_restored_episode(tables: Tables, event: happened.EpisodeRestored, _seq: int) -> None:
    last = tables.find(EpisodeReport, {"episode": event.episode}, newest=True, limit=1)
    for episode in tables.find(Episode, {"id": event.episode}):
        used = replace(episode, set_aside="")
        tables.overwrite_noun(used, status=last[0].status if last else None, **get_search_columns(used))


def _project_measurements(tables: Tables, event: happened.EpisodesMeasured, seq: int) -> None:
    for place, episode in enumerate(event.episodes):
        tables.put(replace(event, episodes=(episode,)), seq, place, episode=episode)


def _project_judgement(tables: Tables, event: happened.EpisodeJudged, seq: int) -> None:
    tables.put(event.report, seq, protocol=event.protocol)
    tables.set(Episode, {"id": event.report.episode, "set_aside": ""}, status=event.report.status)


def _project_calibration(tables: Tables, event: happened.CalibrationAttached, seq: int) -> None:
    """At most one calibration per robot, sensor and kind is valid at any time, in whatever order they arrive.

    A calibration that does not pass never replaces one that does: it is stored with an empty validity interval.
    """
    new = event.calibration
    same = {"robot": new.robot, "sensor": new.sensor, "kind": new.kind}
    others = [(c, stated) for c, stated in tables.find_with_place(Calibration, same) if c.id != new.id]
    for other, _ in others:
        new = replace(new, valid_to_ns=_compute_calibration_end(new, other, arrived_later=True))
    for other, stated in others:
        end = _compute_calibration_end(other, new, arrived_later=False)
        if end != other.valid_to_ns:
            tables.put(replace(other, valid_to_ns=end), stated)
    tables.put(new, seq)


def _compute_calibration_end(
    calibration: Calibration, other_calibration: Calibration, *, arrived_later: bool
) -> int | None:
    """Return when a calibration ends because of another. If two begin together, the later arrival is valid."""
    passed, passes = (c.status is Status.PASSED for c in (calibration, other_calibration))
    if passes and not passed and other_calibration.is_in_force_at(calibration.valid_from_ns):
        return calibration.valid_from_ns
    if passed and not passes:
        return calibration.valid_to_ns
    follows = calibration.valid_from_ns < other_calibration.valid_from_ns + (not arrived_later)
    return (
        other_calibration.valid_from_ns
        if follows and calibration.is_in_force_at(other_calibration.valid_from_ns)
        else calibration.valid_to_ns
    )


def _project_annotations(tables: Tables, event: happened.EpisodeAnnotated, seq: int) -> None:
    whose = {"episode": event.episode, "kind": event.kind, "author": event.author}
    tables.drop(Annotation, whose)
    for place, annotation in enumerate(event.annotations):
        tables.put(annotation, seq, place, **whose)


def _project_saved_labels(tables: Tables, event: labelled.LabelsSaved, seq: int) -> None:
    """Of drafts the newest stays; the ledger keeps the others, and `find_revisions` reads them there."""
    saved = event.saved
    whose = {"episode": saved.episode, "kind": saved.kind, "author": saved.author}
    tables.drop(SavedLabels, {**whose, "submitted": False})
    tables.put(saved, seq)


def _project_dealt_tasks(tables: Tables, event: labelled.LabelTasksDealt, seq: int) -> None:
    for place, task in enumerate(event.tasks):
        tables.put(task, seq, place)


def _project_moved_task(tables: Tables, event: labelled.LabelTaskMoved, _seq: int) -> None:
    """A task keeps its place in the queue."""
    tables.overwrite_noun(event.task)


def _project_closed_plan(tables: Tables, event: gated.PlanClosed, _seq: int) -> None:
    """A closed plan keeps its place in the order in which plans were made."""
    tables.overwrite_noun(event.plan)


def _project_corrected_trial(tables: Tables, event: gated.TrialCorrected, _seq: int) -> None:
    """A corrected result keeps its place in the order in which trials were recorded."""
    tables.overwrite_noun(event.result)


def _project_incident(tables: Tables, event: IncidentOpened | IncidentMoved, seq: int) -> None:
    steps = event.incident.steps
    tables.put(event.incident, seq, step=steps[-1].step if steps else None)


PROJECTIONS: dict[type[Event], Projection] = {
    happened.WorkspaceCreated: _ignore_event,
    TokenIssued: _make_noun_projection("token"),
    happened.ProtocolLocked: _project_event,
    OperatorEnrolled: _make_noun_projection("operator"),
    happened.RobotRegistered: _make_noun_projection("robot"),
    ProviderContracted: _make_noun_projection("provider"),
    happened.DeploymentMapped: _make_noun_projection("deployment"),
    happened.DeploymentAudited: _make_noun_projection("audit"),
    happened.PlanDrawn: _project_plan,
    happened.PlanScored: _make_noun_projection("score"),
    happened.SynchronisationVerified: _project_event,
    happened.SessionOpened: _make_noun_projection("session"),
    happened.SessionClosed: _project_closed_session,
    happened.LogIngested: _project_ingested_log,
    happened.LogReadAgain: _project_log_read_again,
    happened.EpisodeRelabelled: _project_relabelled_episode,
    happened.EpisodeSetAside: _project_episode_set_aside,
    happened.EpisodeRestored: _project_restored_episode,
    happened.EpisodesMeasured: _project_measurements,
    happened.EpisodeJudged: _project_judgement,
    happened.DatasetJudged: _make_noun_projection("report"),
    happened.DeliveryJudged: _ignore_event,
    happened.CalibrationAttached: _project_calibration,
    happened.IntrinsicsAttached: _make_noun_projection("intrinsics"),
    happened.SensorVerified: _make_noun_projection("verification"),
    happened.TaxonomyLocked: _project_event,
    happened.EpisodeAnnotated: _project_annotations,
    labelled.LabelsSaved: _project_saved_labels,
    labelled.LabelTasksDealt: _project_dealt_tasks,
    labelled.LabelTaskMoved: _project_moved_task,
    labelled.CalibrationSetChosen: _make_noun_projection("calibration"),
    labelled.AnnotatorJudged: _make_noun_projection("qualification"),
    labelled.LabelsSpotChecked: _make_noun_projection("check"),
    labelled.LabelsAdjudicated: _make_noun_projection("adjudication"),
    labelled.TaxonomyMigrated: _ignore_event,
    happened.ReleaseFrozen: _make_noun_projection("release"),
    happened.ReleaseExported: _ignore_event,
    happened.LagsMeasured: _project_event,
    happened.PolicyTrained: _make_noun_projection("policy"),
    happened.PolicyAdded: _make_noun_projection("policy"),
    happened.PolicyGated: _make_noun_projection("decision"),
    ServingMoved: _make_noun_projection("serving"),
    gated.TrialsPlanned: _make_noun_projection("plan"),
    gated.PlanClosed: _project_closed_plan,
    gated.TrialLeased: _make_noun_projection("taken"),
    gated.TrialJudged: _make_noun_projection("result"),
    gated.TrialCorrected: _project_corrected_trial,
    gated.ScenarioKept: _make_noun_projection("scenario"),
    happened.RolloutMoved: _make_noun_projection("rollout"),
    AlarmRaised: _make_noun_projection("alarm"),
    DiagnosisMade: _make_noun_projection("diagnosis"),
    IncidentOpened: _project_incident,
    IncidentMoved: _project_incident,
    DemandPlaced: _make_noun_projection("demand"),
}
"""One entry per event, except OutcomeRecorded, which is written in batches."""
