"""Work orders carry a number, hours, a cost where an hour has one, and a day that operator and robot can keep."""

import pytest

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.plan import QuotaKind, WorkOrder
from fieldloop.plan import schedule_orders, write_orders_csv
from fieldloop.protocol import default_operations
from fieldloop.report.plan.sheet import make_order_sheets, render_order_sheets, write_sheet_summary

SETTINGS = default_operations()["plan"].replace_values(
    demonstration_s=60.0, reset_s=30.0, order_setup_s=0.0, hours_per_day=6.0
)
FRIDAY_NS = 1_795_780_800_000_000_000  # 2026-11-27, noon in UTC


def order(count, operator="ann", robot="", kind=QuotaKind.DEMONSTRATION):
    return WorkOrder(f"o{count}{operator}", "p", "north", robot, operator, Stratum.of(bin="back"), count, "v1", kind)


def test_hours_follow_from_demonstrations_resets_and_tries():
    (done,) = schedule_orders([order(40)], SETTINGS, FRIDAY_NS)
    assert done.hours == pytest.approx(1.0)
    (twice,) = schedule_orders([order(40)], SETTINGS, FRIDAY_NS, tries=lambda _: 2.0)
    assert twice.hours == pytest.approx(2.0)
    (prepared,) = schedule_orders([order(40)], SETTINGS.replace_values(order_setup_s=1800.0), FRIDAY_NS)
    assert prepared.hours == pytest.approx(1.5)


def test_a_cost_is_stated_only_where_an_hour_has_one():
    assert schedule_orders([order(40)], SETTINGS, FRIDAY_NS)[0].cost is None
    assert schedule_orders([order(40)], SETTINGS.replace_values(hour_cost=50.0), FRIDAY_NS)[0].cost == pytest.approx(
        50.0
    )


def test_days_are_working_days_after_the_plan_and_one_order_waits_for_another():
    first, second, other = schedule_orders([order(240), order(40), order(40, "bob")], SETTINGS, FRIDAY_NS)
    assert (first.due, second.due, other.due) == ("2026-11-30", "2026-12-01", "2026-11-30")
    shared = schedule_orders([order(240, robot="r"), order(40, "bob", "r")], SETTINGS, FRIDAY_NS)
    assert shared[1].due == "2026-12-01"


def test_numbers_go_on_from_plan_to_plan_and_the_simulator_has_no_hours():
    made = schedule_orders([order(1), order(2, "", kind=QuotaKind.SIMULATION)], SETTINGS, FRIDAY_NS, first=14)
    assert [o.name for o in made] == ["order 14", "order 15"]
    assert (made[1].hours, made[1].due) == (0.0, "")


def test_an_unknown_day_of_the_week_is_refused():
    with pytest.raises(BadInput, match="working_days"):
        schedule_orders([order(1)], SETTINGS.replace_values(working_days=("Someday",)), FRIDAY_NS)


def test_each_operator_has_a_sheet_that_adds_up():
    made = schedule_orders(
        [order(240), order(40), order(40, "bob")], SETTINGS.replace_values(hour_cost=10.0), FRIDAY_NS
    )
    ann, bob = make_order_sheets(made, "EUR")
    assert (ann.operator, ann.demonstrations, ann.due) == ("ann", 280, "2026-12-01")
    assert (bob.hours, bob.cost) == (pytest.approx(1.0), pytest.approx(10.0))
    assert "70 EUR" in write_sheet_summary(ann)
    page = render_order_sheets((ann, bob))
    assert page.count("break-after:page") == 2
    assert "order 3" in page
    header, *rows = write_orders_csv(made).splitlines()
    assert header.endswith("number,hours,cost,due,collected,note")
    assert "2026-11-30" in rows[0]
