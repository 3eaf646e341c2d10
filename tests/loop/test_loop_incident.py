"""An alarm opens one incident, nobody's step is lost, and the post-mortem counts what raised the alarm."""

import dataclasses

import pytest
from tests.doors.story import DAY, NOW

from fieldloop.errors import Refused, StoreBusy
from fieldloop.loop.run import incident
from fieldloop.model.alarm import Alarm
from fieldloop.model.incident import Incident, Step, StepDone
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.response_event import AlarmRaised, IncidentMoved


def raise_alarm(workspace, name):
    (known, *_) = workspace.store.find(Alarm)
    workspace.write(AlarmRaised(dataclasses.replace(known, id=name)))


def test_an_alarm_opens_one_incident(full_site):
    with pytest.raises(Refused, match="alarm_1 already has an incident: incident_01"):
        incident.open_incident(full_site, alarm="alarm_1")
    raise_alarm(full_site, "other_alarm")
    opened = incident.open_incident(full_site, alarm="other").incident
    with pytest.raises(Refused, match=opened.id):
        incident.open_incident(full_site, alarm="other")
    assert full_site.store.count(Incident) == 2


def test_a_report_by_a_person_may_repeat(full_site):
    for _ in range(2):
        incident.open_incident(full_site, "It drops items.", policy="p1", site="leipzig-b")
    assert full_site.store.count(Incident, {"alarm": None}) == 2


def test_a_step_that_someone_else_took_meanwhile_is_not_lost(full_site, monkeypatch):
    known = full_site.store.get(Incident, "incident_01")
    theirs = dataclasses.replace(known, steps=(*known.steps, StepDone(Step.CLASSIFIED, NOW, "eva", "Grasps.")))
    write = type(full_site).write

    def late(self, *events, **more):
        self.store.append([IncidentMoved(theirs)], actor="eva", at_ns=NOW)
        return write(self, *events, **more)

    with monkeypatch.context() as patch:
        patch.setattr(type(full_site), "write", late)
        with pytest.raises(StoreBusy, match="The incident changed meanwhile"):
            incident.record_incident_step(full_site, "incident_01", Step.RESOLVED, note="Done.")
    assert full_site.store.get(Incident, "incident_01") == theirs
    moved = incident.record_incident_step(full_site, "incident_01", Step.RESOLVED, note="Done.").incident
    assert [s.step for s in moved.steps][-2:] == [Step.CLASSIFIED, Step.RESOLVED]


def test_another_incident_does_not_stand_in_the_way(full_site, monkeypatch):
    mine = incident.open_incident(full_site, "It drops items.", policy="p1").incident
    other = full_site.store.get(Incident, "incident_01")
    write = type(full_site).write

    def late(self, *events, **more):
        self.store.append([IncidentMoved(other)], actor="eva", at_ns=NOW)
        return write(self, *events, **more)

    monkeypatch.setattr(type(full_site), "write", late)
    assert incident.record_incident_step(full_site, mine.id, Step.CONTAINED, note="Stopped.").incident.find_done_step(
        Step.CONTAINED
    )


def test_the_post_mortem_counts_from_where_the_alarm_looked(full_site):
    start = full_site.store.get(Alarm, "alarm_1").rate.start_ns
    assert start < NOW - 16 * DAY
    failed = [
        o for o in full_site.store.find(Outcome, {"stage": Stage.PRODUCTION, "succeeded": False}) if o.at_ns >= start
    ]
    after_the_alert = [o for o in failed if o.at_ns >= full_site.store.get(Incident, "incident_01").alerted_ns]
    assert len(failed) > 50 > len(after_the_alert)
    assert f"{len(failed)} failed attempts from the first day behind the alarm" in incident.write_incident_report(
        full_site, "incident_01"
    )
