"""Work leaves the house as a sheet and comes back with counts; templates are read from TOML."""

import csv
import io
import json
import random

import pytest

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.hardware import Robot
from fieldloop.model.identity import Ids
from fieldloop.model.person import Operator
from fieldloop.model.plan import QuotaKind, Returned, WorkOrder
from fieldloop.plan import (
    Crew,
    fill_templates,
    read_order_list,
    read_returned_counts,
    read_templates,
    write_orders_csv,
    write_orders_json,
)
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"]
ORDERS = [
    WorkOrder(
        f"order_{k}", "plan_1", "łódź, hall 2", "r1", "op1", Stratum.of(bin="back", site="łódź"), 5, "pick v1",
        skus=("A-1", "B-2"), start=(("yaw", "0 to 360 °"),),
    )
    for k in range(3)
]  # fmt: skip


def filled(counts, delimiter=","):
    rows = list(csv.reader(io.StringIO(write_orders_csv(ORDERS))))
    at = rows[0].index("collected")
    for row, count in zip(rows[1:], counts, strict=True):
        row[at] = count
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue()


def test_a_sheet_says_everything_that_an_order_says():
    rows = list(csv.DictReader(io.StringIO(write_orders_csv(ORDERS))))
    assert len(rows) == 3
    assert rows[0]["site"] == "łódź, hall 2"
    assert rows[0]["stratum"] == "bin=back,site=łódź"
    assert (rows[0]["articles"], rows[0]["start"]) == ("A-1 B-2", "yaw: 0 to 360 °")
    assert (rows[0]["demonstrations"], rows[0]["protocol"], rows[0]["collected"]) == ("5", "pick v1", "")


def test_the_same_for_machines():
    plain = json.loads(write_orders_json(ORDERS))
    assert plain["schema"] == "orders/1"
    assert plain["orders"][0]["stratum"] == "bin=back,site=łódź"
    assert plain["orders"][0]["skus"] == ["A-1", "B-2"]
    assert (plain["orders"][0]["collected"], plain["orders"][0]["note"]) == (None, "")


@pytest.mark.parametrize("write", [write_orders_csv, write_orders_json])
def test_what_was_asked_for_is_read_from_either(write):
    assert read_order_list(write(ORDERS)) == ((Stratum.of(bin="back", site="łódź"), 5),) * 3
    assert read_returned_counts(write(ORDERS), ORDERS) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("stratum\nbin=back\n", "line 1: a column 'demonstrations' is required"),
        ("stratum;demonstrations\nbin=back;\n", "line 2: the number of demonstrations is missing"),
        ("stratum,demonstrations\nbin=back,few\n", "line 2, demonstrations: 'few' is not a whole number"),
        ("stratum,demonstrations\nback,3\n", "line 2: 'back' is not a condition"),
        ('{"orders": [{"stratum": "bin=back"}]}', "order 1: the number of demonstrations is missing"),
    ],
)
def test_a_sheet_without_amounts_is_refused(text, says):
    with pytest.raises(BadInput, match=r"orders\.csv") as refused:
        read_order_list(text)
    assert says in str(refused.value)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_what_comes_back_is_read_and_an_empty_row_is_not_reported(delimiter):
    found = read_returned_counts("\ufeff" + filled(["5", "", "2.0"], delimiter), ORDERS)
    assert found == (Returned("order_0", 5), Returned("order_2", 2))


def test_a_sheet_may_be_sorted_and_left_empty():
    assert read_returned_counts("Note, collected ,order\nlate, 4, order_1\n\n", ORDERS) == (
        Returned("order_1", 4, "late"),
    )
    assert read_returned_counts("order,collected\norder_1,\n", ORDERS) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: a column 'order' is required"),
        ("order\norder_1\n", "a column 'collected' is required"),
        ("order,collected,collected\n", "a column 'collected' is required exactly once"),
        ("order,collected,note\norder_1,1\n", "line 2: 2 cells under 3 columns. Is the sheet cut off?"),
        ("order,collected\norder_9,1\n", "line 2: No order called 'order_9'"),
        ("order,collected\norder_1,1\norder_1,2\n", "line 3: the order order_1 occurs twice"),
        ("order,collected\norder_1,-1\n", "line 2, collected: '-1'"),
        ("order,collected\norder_1,1.5\n", "is not a whole number"),
        ("order,collected\norder_1,nan\n", "is not a whole number"),
        ("order,collected\norder_1,inf\n", "is not a whole number"),
        ("order,collected\norder_1,five\n", "is not a whole number"),
        ("order,collected\norder_1,1,2,3\n", "4 cells under 2 columns"),
        ("order,collected\norder_1,\0\n", "line 2"),
    ],
)
def test_a_sheet_that_cannot_be_read_says_where(text, says):
    with pytest.raises(BadInput, match=r"orders\.csv") as refused:
        read_returned_counts(text, ORDERS)
    assert says in str(refused.value)


TEMPLATES = """
["night shift"]
stratum = "bin=back,lighting=dim,site=north"
demonstrations = 12
protocol = "pick v2"
slots = 3
skus = ["A-1"]
start = { yaw = "0 to 360 °" }

[tail]
stratum = "tier=long_tail"
demonstrations = 40
kind = "simulation"
"""


def test_templates_are_read_and_filled_again_and_again():
    templates = read_templates(TEMPLATES)
    assert (templates[0].site, templates[0].slots, templates[1].kind) == ("north", 3, QuotaKind.SIMULATION)
    crew = Crew(tuple(Operator(f"o{k}") for k in range(6)), (Robot("r", "arm", "north"),), "pick v1")
    ids = Ids(lambda: 0, random.Random(1).getrandbits)
    made, _ = fill_templates(templates, crew, SETTINGS, "plan_1", ids)
    night = [o for o in made if o.kind is QuotaKind.DEMONSTRATION]
    assert [(o.robot, o.demonstrations, o.protocol) for o in night] == [("r", 4, "pick v2")] * 3
    again, _ = fill_templates(templates, crew, SETTINGS, "plan_2", ids)
    assert not {o.id for o in made} & {o.id for o in again}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[a", "is not TOML"),
        ("a = 1", "a template must be a table"),
        ("[a]\nstratum = 'bin'\ndemonstrations = 1", "is not a condition"),
        ("[a]\nstratum = 'bin=b'", "demonstrations = None should be a whole number"),
        ("[a]\nstratum = 'bin=b'\ndemonstrations = 0", "demonstrations = 0"),
        ("[a]\nstratum = 'bin=b'\ndemonstrations = true", "demonstrations = True"),
        ("[a]\nstratum = 7\ndemonstrations = 1", "should be text in quotes"),
        ("[a]\nstratum = 'bin=b'\ndemonstrations = 1\nslot = 2", "Did you mean 'slots'"),
        ("[a]\nstratum = 'bin=b'\ndemonstrations = 1\nkind = 'simulated'", "Did you mean 'simulation'"),
        ("[a]\nstratum = 'bin=b'\ndemonstrations = 1\nskus = 'A'", "should be a list of articles"),
        ("[a]\nstratum = 'bin=b'\ndemonstrations = 1\nstart = 'yaw'", "should be a table"),
    ],
)
def test_a_template_that_cannot_be_read_says_what(text, says):
    with pytest.raises(BadInput, match=r"templates|factor=level") as refused:
        read_templates(text)
    assert says in str(refused.value)
