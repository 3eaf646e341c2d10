"""Deliveries: accepted, returned with reasons, or undecided; and what they add up to."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.model.delivery import Acceptance
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.person import Provider
from fieldloop.protocol import default_operations
from fieldloop.supply import judge_delivery, make_scorecard

SETTINGS = default_operations()["supply"]
PROVIDER = Provider("p1", "Acme", 0.9, cost_per_episode=10.0)


def report(number, status, check="timing.longest_gap"):
    finding = Finding(check, Subject("camera"), status, 3.0, None, 1.0, "periods")
    return EpisodeReport(f"e{number}", f"log {number}", status, (finding,))


def delivery(passed, failed=0, unknown=0):
    statuses = [Status.PASSED] * passed + [Status.FAILED] * failed + [Status.CANNOT_TELL] * unknown
    return [report(k, s) for k, s in enumerate(statuses)]


@pytest.mark.parametrize(
    ("passed", "failed", "unknown", "status"),
    [
        (90, 10, 0, Status.PASSED),
        (89, 11, 0, Status.FAILED),
        (89, 10, 1, Status.CANNOT_TELL),
        (80, 0, 20, Status.CANNOT_TELL),
        (0, 0, 5, Status.CANNOT_TELL),
        (0, 0, 0, Status.CANNOT_TELL),
    ],
)
def test_a_delivery_is_judged_by_what_passed_and_what_could_not_be_judged(passed, failed, unknown, status):
    assert judge_delivery(delivery(passed, failed, unknown), PROVIDER, SETTINGS).status is status


def test_the_contracts_bar_holds_where_it_is_higher():
    strict = Provider("p1", "Acme", 0.99)
    assert judge_delivery(delivery(95, 5), strict, SETTINGS).status is Status.FAILED
    assert judge_delivery(delivery(85, 15), Provider("p1", "Acme", 0.5), SETTINGS).status is Status.FAILED


def test_reasons_name_checks_most_frequent_first_with_an_example():
    judged = [
        report(0, Status.PASSED),
        report(1, Status.FAILED, "timing.jitter"),
        *(report(k, Status.FAILED) for k in (2, 3)),
    ]
    found = judge_delivery(judged, PROVIDER, SETTINGS)
    first, second = found.reasons[:2]
    assert (first["check"], first["count"], first["episodes"], first["episode"]) == (
        "timing.longest_gap",
        2,
        4,
        "log 2",
    )
    assert (second["check"], second["count"]) == ("timing.jitter", 1)
    assert found.returned == ("e1", "e2", "e3")


def test_an_empty_delivery_and_an_empty_report_are_no_pass():
    assert judge_delivery([], PROVIDER, SETTINGS).reasons == (note("supply.nothing_delivered"),)
    found = judge_delivery([EpisodeReport("e", "log", Status.CANNOT_TELL, ())], PROVIDER, SETTINGS)
    assert found.status is Status.CANNOT_TELL
    assert found.reasons[0]["example"].code == "supply.nothing_measured"


def test_the_same_episode_twice_counts_once():
    assert judge_delivery(delivery(5) + delivery(5), PROVIDER, SETTINGS).episodes == 5


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 20), st.integers(0, 20))
def test_more_passes_never_make_it_worse(passed, failed, unknown):
    rank = [Status.FAILED, Status.CANNOT_TELL, Status.PASSED]
    before, after = (
        judge_delivery(delivery(n, failed, unknown), PROVIDER, SETTINGS).status for n in (passed, passed + 1)
    )
    assert rank.index(after) >= rank.index(before) or passed + failed + unknown == 0


def acceptance(accepted, episodes, provider="p1"):
    status = Status.PASSED if accepted >= 0.9 * episodes else Status.FAILED
    return Acceptance(provider, status, episodes, accepted, 0, 0.9, (), ())


def test_a_scorecard_adds_up():
    card = make_scorecard([acceptance(95, 100), acceptance(45, 50), acceptance(1, 50, "other")], PROVIDER)
    assert (card.deliveries, card.deliveries_accepted, card.episodes, card.accepted) == (2, 2, 150, 140)
    assert card.share == pytest.approx(140 / 150)
    assert card.share_low < card.share < card.share_high
    assert card.cost_per_accepted == pytest.approx(1500 / 140)


def test_quality_that_jumps_between_deliveries_shows():
    assert make_scorecard([acceptance(95, 100), acceptance(94, 100)], PROVIDER).between_deliveries > 0.5
    assert make_scorecard([acceptance(99, 100), acceptance(60, 100)], PROVIDER).between_deliveries < 0.001


def test_a_provider_without_deliveries_has_no_figures():
    card = make_scorecard([], Provider("new", "New", 0.9))
    assert (card.deliveries, card.cost_per_accepted, card.between_deliveries) == (0, None, None)
    assert (card.share_low, card.share_high) == (0.0, 1.0)
