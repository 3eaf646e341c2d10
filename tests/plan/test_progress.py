"""Progress counts what passed; the forecast's interval holds as often as it says, and without pace it cannot tell."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.plan import Plan, Quota, QuotaKind, Returned, WorkOrder
from fieldloop.plan import compute_order_progress, compute_quota_progress, forecast_completion, measure_pace
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"]
DAY = 86_400 * 10**9


def quota(count, kind=QuotaKind.DEMONSTRATION, **levels):
    return Quota(Stratum.of(levels), count, 0.1, 0.0, 0.2, "", kind)


def plan(*quotas, orders=()):
    return Plan("plan_1", 40, "marginal", quotas, orders, 0.0, 0, "")


def episode(name, simulated=None, session="", site="north", **levels):
    return Episode(name, name, "mcap", site=site, session=session, simulated=simulated, stratum=Stratum.of(levels))


def test_only_passed_is_accepted_and_none_yet_is_only_done():
    drawn = plan(quota(4, cell="a", site="north"), quota(4, cell="b", site="north"))
    episodes = [episode(str(k), cell="a", sku="1") for k in range(5)] + [episode("9", cell="z")]
    statuses = {"0": Status.PASSED, "1": Status.PASSED, "2": Status.CANNOT_TELL, "3": Status.FAILED, "9": Status.PASSED}
    a, b = compute_quota_progress(drawn, episodes, statuses)
    assert (a.done, a.accepted, a.rejected, a.left) == (5, 2, 2, 2)
    assert (b.done, b.left) == (0, 4)


def test_the_site_may_stand_beside_the_conditions():
    (found,) = compute_quota_progress(
        plan(quota(4, cell="a", site="north")), [episode("1", cell="a", site="south")], {}
    )
    assert found.done == 0


def test_an_episode_counts_for_the_narrowest_quota_and_its_own_kind():
    drawn = plan(
        quota(9, cell="a"), quota(3, QuotaKind.RECOVERY, cell="a", recovery="slipped grasp"),
        quota(5, QuotaKind.SIMULATION, cell="a"),
    )  # fmt: skip
    episodes = [episode("1", cell="a"), episode("2", cell="a", recovery="slipped grasp"), episode("3", True, cell="a")]
    found = compute_quota_progress(drawn, episodes, {})
    assert [(p.kind, p.done) for p in found] == [
        (QuotaKind.DEMONSTRATION, 1), (QuotaKind.RECOVERY, 1), (QuotaKind.SIMULATION, 1)
    ]  # fmt: skip


def test_on_a_simulated_floor_what_simulation_does_not_need_counts_for_the_others():
    drawn = plan(quota(4, cell="a"), quota(1, QuotaKind.SIMULATION, cell="a"), quota(2, cell="b"))
    floor = [episode(str(k), True, cell="a") for k in range(4)] + [episode("b", True, cell="b")]
    assert [p.done for p in compute_quota_progress(drawn, floor, {})] == [3, 1, 1]
    assert [p.done for p in compute_quota_progress(drawn, [*floor, episode("real", cell="a")], {})] == [1, 4, 0]


def test_the_pace_counts_only_what_brings_the_end_nearer():
    drawn = plan(quota(3, cell="a"), quota(5, QuotaKind.SIMULATION, cell="a"), quota(40, cell="b"))
    came = [
        *(episode(f"a{k}", cell="a") for k in range(200)), *(episode(f"s{k}", True, cell="a") for k in range(9)),
        episode("elsewhere", cell="z"), *(episode(f"b{k}", cell="b") for k in range(10)),
    ]  # fmt: skip
    came = [replace(one, start_ns=k * DAY // 44) for k, one in enumerate(came)]
    statuses = {e.id: Status.FAILED if e.id in ("a0", "b0") else Status.PASSED for e in came}
    left, times = measure_pace(drawn, reversed(came), statuses)
    assert left == 31
    counted = [e.start_ns for e in came if e.id in ("a1", "a2", "a3", *(f"b{k}" for k in range(1, 10)))]
    assert list(times) == counted
    assert forecast_completion(left, times, 0, 5 * DAY - 1, SETTINGS).days == pytest.approx(31 / (12 / 5))
    assert measure_pace(drawn, (), {}) == (43, ())


def test_orders_count_the_episodes_of_their_sessions_beside_what_was_reported():
    work = [WorkOrder(f"order_{k}", "plan_1", "north", "r", "o", Stratum.of(cell="a"), 3, "v1") for k in range(2)]
    episodes = [episode("1", session="s1", cell="a"), episode("2", session="other", cell="a"), episode("3", cell="a")]
    found = compute_order_progress(
        plan(orders=tuple(work)), episodes, {"1": Status.PASSED}, {"s1": "order_0"}, [Returned("order_0", 3)]
    )
    assert [(p.order, p.done, p.accepted, p.left, p.reported) for p in found] == [
        ("order_0", 1, 1, 2, 3), ("order_1", 0, 0, 3, None)
    ]  # fmt: skip


def accepted(counts, rng):
    return [int(DAY * (day + part)) for day, count in enumerate(counts) for part in np.sort(rng.random(count))]


@pytest.mark.parametrize("dispersion", [1.0, 4.0])
@pytest.mark.parametrize("days", [3, 10])
def test_the_interval_holds_about_as_often_as_it_says(dispersion, days):
    """Days by a gamma-Poisson law; 90 % intervals against the day on which the last one really came in."""
    rng, pace, left, held, worlds = np.random.default_rng(days), 12.0, 150, 0, 400
    for _ in range(worlds):
        size = 400
        rate = rng.gamma(pace / (dispersion - 1.0), dispersion - 1.0, size) if dispersion > 1.0 else np.full(size, pace)
        counts = rng.poisson(rate)
        if not counts[:days].sum():
            continue
        said = forecast_completion(left, accepted(counts[:days], rng), 0, days * DAY - 1, SETTINGS)
        done = int(np.searchsorted(np.cumsum(counts[days:]), left)) + 1
        held += said.days_low <= done and (said.days_high is None or done - 1 <= said.days_high)
    assert held / worlds >= 0.86


def test_a_steady_pace_gives_the_obvious_answer():
    rng = np.random.default_rng(0)
    said = forecast_completion(100, accepted([10] * 20, rng), 0, 20 * DAY - 1, SETTINGS)
    assert (said.per_day, said.days) == (10.0, 10.0)
    assert said.days_low < 10.0 < said.days_high < 15.0
    assert (said.message.code, said.message["left"], said.message["days"]) == ("plan.forecast", 100, 10.0)
    assert (said.message["per_day"], said.message["days_so_far"]) == (10.0, 20)


def test_idle_days_slow_the_pace_and_widen_it():
    rng = np.random.default_rng(0)
    busy = forecast_completion(100, accepted([10] * 10, rng), 0, 10 * DAY - 1, SETTINGS)
    idle = forecast_completion(100, accepted([20, 0] * 5, rng), 0, 10 * DAY - 1, SETTINGS)
    assert idle.per_day == busy.per_day
    assert idle.days_high - idle.days_low > busy.days_high - busy.days_low


def test_without_a_pace_there_is_no_forecast():
    said = forecast_completion(7, [], 0, 3 * DAY, SETTINGS)
    assert (said.left, said.per_day, said.days, said.days_low, said.days_high) == (7, None, None, None, None)
    assert (said.message.code, said.message["days"]) == ("plan.no_pace", 4)


def test_one_lone_demonstration_leaves_the_end_open():
    said = forecast_completion(500, [0], 0, 30 * DAY, SETTINGS)
    assert said.days_high is None
    assert said.message.code == "plan.forecast_open"
    assert said.days_low < said.days


def test_a_complete_plan_needs_no_days():
    assert forecast_completion(0, [], 0, DAY, SETTINGS).days == 0.0
    assert forecast_completion(-3, [], 0, DAY, SETTINGS).message.code == "plan.complete"


def test_a_day_is_a_day_at_the_site():
    moments = [int(DAY * 0.95), int(DAY * 1.05)]  # 22:48 and 01:12 UTC: one evening in New York
    assert forecast_completion(10, moments, moments[0], moments[1], SETTINGS, "America/New_York").per_day == 2.0
    assert forecast_completion(10, moments, moments[0], moments[1], SETTINGS).per_day == 1.0
