"""Explanations by time: days are those of each site, and evidence sets times beside times."""

import dataclasses
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from tests.diagnose.planted import DAY, SETTINGS, SITES, World, draw, explain
from tests.diagnose.test_diagnose import many, outcome

from fieldloop.diagnose import Evidence
from fieldloop.diagnose.changed import of_times
from fieldloop.diagnose.explanation import Kind
from fieldloop.diagnose.inquiry import inquire
from fieldloop.diagnose.table import tabulate
from fieldloop.diagnose.wording import of_explanation
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
    table = around_the_clock()
    found = [
        one
        for one in of_times(tabulate(many(9, 10, stage=Stage.LAB)), table, None, SETTINGS)
        if one.kind is kind and one.since is not None
    ]
    assert len(found) >= 9
    for one in found:
        inside = one.inside
        place = [all(row[c.factor] == c.level for c in one.where.conditions) for row in table.rows]
        assert inside.tolist() == (np.array(place) & (table.days >= one.since.day.toordinal())).tolist()
        assert one.since.at_ns == table.at_ns[inside].min()


def test_what_everything_lost_since_a_day_stands_beside_what_it_lost_before():
    inquiry = inquire(Evidence("p", "", many(90, 100, stage=Stage.GATE), many(300, 400)), SETTINGS)
    for one in inquiry.sets.options:
        told = of_explanation(inquiry, one, 0.9)
        if one.kind is Kind.DAY:
            assert told.startswith(f"Everything since {one.since.day}: ")
            assert "; before " in told
        if one.kind in (Kind.DAY, Kind.GROWTH):
            assert "elsewhere" not in told


def test_what_grows_is_told_by_its_first_and_its_last_third():
    after = tuple(outcome(k, succeeded=k < 200 or k % 2 == 0) for k in range(600))
    inquiry = inquire(Evidence("p", "", many(90, 100, stage=Stage.GATE), after), SETTINGS)
    (one,) = [o for o in inquiry.sets.options if o.kind is Kind.GROWTH]
    told = of_explanation(inquiry, one, 0.9)
    assert "in the first third of the time 200 of 200 succeeded" in told
    assert "in the last 100 of 200 succeeded" in told
    assert one.inside.all()


def test_a_cause_says_its_day_as_the_site_has_it_and_its_evidence_the_same():
    evidence = draw(World((Gap.ENVIRONMENT,), strength=2.5, changed=True, episodes=600), 3)
    zones = dict.fromkeys(SITES, "Pacific/Auckland")
    cause = explain(dataclasses.replace(evidence, time_zones=zones)).causes[0]
    local = datetime.fromtimestamp(cause.since_ns // 10**9, ZoneInfo("Pacific/Auckland"))
    assert cause.since_day == local.date().isoformat()
    assert f" since {cause.since_day}: " in cause.evidence
