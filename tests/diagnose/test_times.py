"""Explanations by time: days are those of each site, and evidence sets times beside times."""

import dataclasses
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from tests.diagnose.planted import DAY, SETTINGS, SITES, World, detail, draw, explain, roles, stated
from tests.diagnose.test_diagnose import many, outcome

from fieldloop.diagnose import Evidence
from fieldloop.diagnose.answers.evidence_notes import evidence_of
from fieldloop.diagnose.explanations.changed import time_explanations
from fieldloop.diagnose.explanations.explanation import Kind
from fieldloop.diagnose.inference.table import tabulate
from fieldloop.diagnose.inquiry import inquire
from fieldloop.model.diagnosis import Gap
from fieldloop.model.policy import Stage

ZONES = {"tokyo": "Asia/Tokyo", "seattle": "America/Los_Angeles"}
HOUR = DAY // 24


def around_the_clock(days=10):
    """Both sites try something every hour."""
    return tabulate(
        [
            dataclasses.replace(outcome(hour, succeeded=hour % 5 > 0, site=site), at_ns=hour * HOUR)
            for hour in range(24 * days)
            for site in ZONES
        ],
        ZONES,
    )


@pytest.mark.parametrize("kind", [Kind.LATER, Kind.DAY])
def test_a_change_on_a_day_reaches_no_site_on_its_evening_before(kind):
    table, lab = around_the_clock(), tabulate(many(9, 10, stage=Stage.LAB))
    found = [
        one
        for one in time_explanations(lab, table, None, roles(lab, table), SETTINGS)
        if one.kind is kind and one.since is not None
    ]
    assert len(found) >= 9
    for one in found:
        inside = one.inside
        rows = map(table.row, range(len(table)))
        place = [all(row[c.factor] == c.level for c in one.where.conditions) for row in rows]
        assert inside.tolist() == (np.array(place) & (table.days >= one.since.day.toordinal())).tolist()
        assert one.since.at_ns == table.at_ns[inside].min()


def test_what_everything_lost_since_a_day_stands_beside_what_it_lost_before():
    inquiry = inquire(Evidence("p", "", many(90, 100, stage=Stage.GATE), many(300, 400)), SETTINGS)
    for one in inquiry.sets.explanations:
        evidence = evidence_of(inquiry, one, 0.9)
        if one.kind is Kind.DAY:
            assert stated(evidence)[:2] == ["lost_in_all", "before"]
            assert evidence["since"] == str(one.since.day)
        if one.kind in (Kind.DAY, Kind.GROWTH):
            assert not any("elsewhere" in code for code in stated(evidence))


def test_growth_is_stated_by_its_first_and_its_last_third():
    after = tuple(outcome(k, succeeded=k < 200 or k % 2 == 0) for k in range(600))
    inquiry = inquire(Evidence("p", "", many(90, 100, stage=Stage.GATE), after), SETTINGS)
    (one,) = [o for o in inquiry.sets.explanations if o.kind is Kind.GROWTH]
    evidence = evidence_of(inquiry, one, 0.9)
    first, last = (detail(evidence, code) for code in ("first_third", "last_third"))
    assert (first["succeeded"], first["attempts"]) == (200, 200)
    assert (last["succeeded"], last["attempts"]) == (100, 200)
    assert one.inside.all()


def test_a_cause_states_the_local_day_of_its_site_and_its_evidence_the_same():
    evidence = draw(World((Gap.ENVIRONMENT,), strength=2.5, changed=True), 3)
    zones = dict.fromkeys(SITES, "Pacific/Auckland")
    cause = explain(dataclasses.replace(evidence, time_zones=zones)).causes[0]
    local = datetime.fromtimestamp(cause.since_ns // 10**9, ZoneInfo("Pacific/Auckland"))
    assert cause.since_day == local.date().isoformat()
    assert detail(cause.evidence, "lost_there")["since"] == cause.since_day
