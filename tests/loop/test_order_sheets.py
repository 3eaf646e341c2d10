"""Work orders leave the house as CSV or JSON and come back in either, with counts that can be true."""

import dataclasses
import io
import json

import pytest

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.errors import BadInput
from fieldloop.loop.plan import plan
from fieldloop.loop.plan.order_sheets import read_sheet, write_orders
from fieldloop.model.condition import Stratum
from fieldloop.model.plan import QuotaKind, Returned, WorkOrder
from fieldloop.protocol import default_operations
from fieldloop.report.plan.sheet import make_order_row, make_order_sheets

SETTINGS = default_operations()["plan"]
ORDERS = [
    WorkOrder(f"order_{k}", "plan_1", "łódź", "r1", "op1", Stratum.of(bin="back", site="łódź"), 5, "pick v1")
    for k in range(3)
]


def returned(file, orders, **changed):
    """Fill in what a team would, by the place of the order."""
    write_orders(file, orders)
    told = json.loads(file.read_text(encoding="utf-8"))
    for place, cells in changed.items():
        told["orders"][int(place[1:])] |= cells
    file.write_text(json.dumps(told), encoding="utf-8")
    return file


def read(file, *, surplus=False):
    return read_sheet(file, ORDERS, SETTINGS, surplus=surplus)


def test_json_comes_back_as_it_went_with_counts_filled_in(tmp_path):
    file = returned(tmp_path / "o.json", ORDERS, o0={"collected": 5, "note": "two slipped"}, o2={"collected": 2.0})
    assert read(file) == (Returned("order_0", 5, "two slipped"), Returned("order_2", 2))
    assert json.loads(file.read_text(encoding="utf-8"))["orders"][1]["collected"] is None
    renamed = file.rename(tmp_path / "from the team.txt")
    assert len(read(renamed)) == 2, "the format is told by content"


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"collected": -1}, "order 1, collected: -1 is not a whole number"),
        ({"collected": "many"}, "'many' is not a whole number"),
        ({"collected": True}, "not a whole number"),
        ({"collected": 2.5}, "not a whole number"),
        ({"id": "order_7"}, "No order"),
        ({"id": "order_1"}, "occurs twice"),
        ({"collected": 99_999}, "asks for 5 but 99,999 were reported"),
    ],
)
def test_what_cannot_be_true_is_asked_about(tmp_path, cells, says):
    with pytest.raises(BadInput, match=says):
        read(returned(tmp_path / "o.json", ORDERS, o0=cells))


@pytest.mark.parametrize("text", ["{", "[]", '{"orders": 3}', '{"orders": [3]}'])
def test_a_file_that_is_not_a_sheet_is_refused(tmp_path, text):
    (tmp_path / "o.json").write_text(text)
    with pytest.raises(BadInput, match=r"not valid JSON|should be"):
        read(tmp_path / "o.json")


def test_a_count_far_above_the_order_is_accepted_with_surplus(tmp_path):
    file = tmp_path / "o.csv"
    file.write_text("order,collected\norder_0,99999\norder_1,15\norder_2,16\n")
    with pytest.raises(BadInput, match=r"order_0 asks for 5 .* The same holds for 1 more\..*--surplus"):
        read(file)
    assert [one.collected for one in read(file, surplus=True)] == [99_999, 15, 16]


def test_a_workspace_takes_its_orders_back_as_json(full_site, tmp_path):
    drawn = plan.plan(full_site, budget=24)
    plan.write_work_orders(full_site, tmp_path / "orders.json")
    file = returned(tmp_path / "orders.json", drawn.orders, o0={"collected": 1})
    back = {p.order: p for p in plan.compare_returned_sheet(full_site, file)}
    assert back[drawn.orders[0].id].reported == 1
    assert {p.reported for name, p in back.items() if name != drawn.orders[0].id} <= {None}


def test_the_terminal_prints_every_order_of_a_sheet(full_site):
    plan.plan(full_site, budget=40)
    sheets = plan.show_order_sheet(full_site)
    stream = io.StringIO()
    show_result(sheets, Screen(stream))
    shown = stream.getvalue()
    assert sheets
    assert all(order.name in shown for sheet in sheets for order in sheet.orders)


def test_an_order_that_is_no_demonstration_says_so_on_its_sheet():
    simulated = dataclasses.replace(ORDERS[0], id="order_9", kind=QuotaKind.SIMULATION)
    (sheet,) = make_order_sheets([ORDERS[0], simulated])
    what = [make_order_row(order)[4] for order in sheet.orders]
    assert what == ["bin back", "bin back (simulation)"]
