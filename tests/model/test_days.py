"""A day is the site's own: told by its clocks, whole when they are changed, and the same wherever it is asked for."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.model.days import get_day_span_ns, get_local_day

S = 10**9
ZONES = ["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana",
         "Asia/Beirut", "America/Sao_Paulo", "Pacific/Apia", "Atlantic/Azores"]  # fmt: skip
FROM_S, UNTIL_S = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1990, 2200))


@given(at_ns=st.integers(FROM_S * S, UNTIL_S * S), zone=st.sampled_from(ZONES))
def test_a_moment_lies_in_its_day_and_the_day_is_what_the_clock_shows(at_ns, zone):
    day = get_local_day(at_ns, zone)
    assert date.fromordinal(day) == datetime.fromtimestamp(at_ns // S, ZoneInfo(zone)).date()
    begin, end = get_day_span_ns(day, zone)
    assert begin <= at_ns < end


@given(day=st.integers(date(1990, 1, 1).toordinal(), date(2199, 1, 1).toordinal()), zone=st.sampled_from(ZONES))
def test_days_follow_each_other_without_a_gap(day, zone):
    assert get_day_span_ns(day, zone)[1] == get_day_span_ns(day + 1, zone)[0]


@pytest.mark.parametrize(("day", "hours"), [((2026, 3, 29), 23), ((2026, 10, 25), 25), ((2026, 10, 26), 24)])
def test_a_day_on_which_clocks_are_changed_is_whole(day, hours):
    begin, end = get_day_span_ns(date(*day).toordinal(), "Europe/Berlin")
    assert end - begin == hours * 3600 * S
    assert get_local_day(begin, "Europe/Berlin") == get_local_day(end - 1, "Europe/Berlin") == date(*day).toordinal()
