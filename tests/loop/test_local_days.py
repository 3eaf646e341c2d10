"""In the corridor a day is the site's own: in a forecast, and in the success of several sites side by side."""

import dataclasses

import pytest
from tests.doors.story import NOW

from fieldloop.loop.audit import audit
from fieldloop.loop.home.pages import read_daily_rates
from fieldloop.loop.plan import plan
from fieldloop.model.condition import Stratum
from fieldloop.model.days import get_day_span_ns, get_local_day
from fieldloop.model.event import DeploymentMapped, OutcomeRecorded, PlanDrawn
from fieldloop.model.note import note
from fieldloop.model.plan import Plan, Quota, WorkOrder
from fieldloop.model.policy import Outcome, Stage

HOUR = 3600 * 10**9
EAST, WEST = "Pacific/Kiritimati", "America/Los_Angeles"
"""At the story's end it is past midnight in the first, and still the night before in the second."""


@pytest.fixture
def two_zones(full_site):
    mapped = audit.require_latest_deployment(full_site)
    east = dataclasses.replace(mapped.sites[0], id="east", share=0.5, time_zone=EAST)
    west = dataclasses.replace(mapped.sites[0], id="west", share=0.5, time_zone=WEST)
    full_site.write(DeploymentMapped(dataclasses.replace(mapped, sites=(east, west))))
    return full_site


@pytest.mark.parametrize(("at_east", "days"), [(30, 2), (10, 1)])
def test_a_forecast_counts_the_days_of_the_site_where_most_is_to_be_done(two_zones, at_east, days):
    quota = Quota(Stratum.of(bin="back"), 50, 0.1, 0.0, 0.2, note("plan.quota"))
    work = tuple(
        WorkOrder(f"order_{site}", "plan_9", site, "", "", quota.stratum, count, "")
        for site, count in (("west", 50 - at_east), ("east", at_east))
    )
    two_zones.write(PlanDrawn(Plan("plan_9", 50, "marginal", (quota,), work, 0.0, NOW - 2 * HOUR, "")))
    message = plan.show_plan(two_zones).forecast.message
    assert (message.code, message["days"]) == ("plan.no_pace", days)


def test_several_sites_have_each_their_own_days(two_zones):
    tried = [
        Outcome(f"{site}{n}", "p", Stratum(), Stage.PRODUCTION, site, "r", NOW - n * 5 * HOUR, n % 2 == 0, "sensor")
        for site in ("east", "west", "unmapped")
        for n in reversed(range(12))
    ]
    two_zones.write(*map(OutcomeRecorded, tried))
    days = read_daily_rates(two_zones, "p", "", NOW + HOUR)
    assert sum(day.episodes for day in days) == len(tried)
    assert sum(day.successes for day in days) == sum(one.succeeded for one in tried)
    zones = {"east": EAST, "west": WEST, "unmapped": "UTC"}
    for day in days:
        zone = zones[day.site]
        assert (day.start_ns, day.end_ns) == get_day_span_ns(get_local_day(day.start_ns, zone), zone)
        inside = [one for one in tried if one.site == day.site and day.start_ns <= one.at_ns < day.end_ns]
        assert day.episodes == len(inside)
    assert {day.site for day in read_daily_rates(two_zones, "p", "west", NOW)} == {"west"}
    assert read_daily_rates(two_zones, "p", "west", NOW) == tuple(day for day in days if day.site == "west")
