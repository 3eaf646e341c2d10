"""Plans in a workspace: drawn, handed out, followed, returned, scored; orders from templates."""

import csv
import json

import pytest

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.data.ingest import ingest_logs
from fieldloop.loop.floor import simulate
from fieldloop.loop.home.names import Names, find_numbered
from fieldloop.loop.plan import known as plan_known
from fieldloop.loop.plan import plan
from fieldloop.loop.plan import work as plan_work
from fieldloop.loop.plan.order_counts import assign_unnamed_episodes
from fieldloop.loop.run.diagnose import collect_evidence, diagnose
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.plan import Progress, WorkOrder
from fieldloop.model.policy import Outcome, PolicyVersion
from fieldloop.report.plan.orders import format_progress_counts, write_progress_line

TEMPLATES = """
[dim-back]
stratum = "bin=back,lighting=dim,site=gdansk,tier=high"
demonstrations = 6
protocol = "pick@1"
site = "gdansk"
slots = 3
start = { yaw = "0 to 360 °" }
"""


def test_a_plan_is_drawn_shown_and_written_as_a_page(full_site, tmp_path):
    drawn = plan.plan(full_site, budget=24, html=tmp_path / "plan.html")
    assert drawn.cost <= 24
    assert drawn.policy == "", "nothing is on the whole fleet in this story"
    shown = plan.show_plan(full_site)
    assert shown.plan == drawn
    assert shown.forecast is not None
    assert "<html" in (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert plan.write_plan_page(full_site, tmp_path / "again.html").html.endswith("again.html")


def test_orders_leave_as_a_file_and_come_back_counted(full_site, tmp_path):
    drawn = plan.plan(full_site, budget=24)
    sent = plan.write_work_orders(full_site, tmp_path / "orders.csv")
    assert sent.orders == len(drawn.orders)
    plan.write_work_orders(full_site, tmp_path / "orders.json")
    assert len(json.loads((tmp_path / "orders.json").read_text(encoding="utf-8"))["orders"]) == sent.orders
    rows = list(csv.DictReader((tmp_path / "orders.csv").read_text(encoding="utf-8").splitlines()))
    rows[0]["collected"] = "1"
    with (tmp_path / "back.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    back = plan.compare_returned_sheet(full_site, tmp_path / "back.csv")
    assert {p.order for p in back} == {o.id for o in drawn.orders}
    with pytest.raises(BadInput, match="no known format"):
        plan.write_work_orders(full_site, tmp_path / "orders.txt")
    with pytest.raises(BadInput, match="no such work order"):
        plan.write_work_orders(full_site, tmp_path / "orders.csv", site="nowhere")


def test_orders_and_quotas_add_up_alike():
    here, there = Stratum.of(cell="a"), Stratum.of(cell="b")
    orders = [Progress(here, 4, 1, 1, 0, order="o1", reported=9), Progress(here, 2, 0, 0, 0, order="o2")]
    quotas = [Progress(here, 6, 11, 8, 2), Progress(there, 3, 5, 5, 0)]
    one, two = assign_unnamed_episodes(orders, quotas)
    assert (one.done, one.accepted, one.rejected, one.left, one.reported) == (9, 6, 2, 0, 9)
    assert (two.done, two.accepted, two.left) == (2, 2, 0)
    assert write_progress_line([one, two, *quotas], None) == "9 of 9 accepted, 4 more than ordered, 2 rejected."
    assert format_progress_counts([one, two]) == "6 of 6 accepted, 2 more than ordered, 2 rejected."


def test_what_came_in_since_counts_whenever_it_was_recorded(full_site, tmp_path):
    file = tmp_path / "templates.toml"
    file.write_text(TEMPLATES, encoding="utf-8")
    drawn = plan_work.make_plan_from_templates(full_site, file)
    assert plan_known.find_collected_since(full_site, drawn) == ([], {}), "what was there is no news"
    asked = str(drawn.quotas[0].stratum)
    logs = simulate.write_demonstration_logs(tmp_path / "logs", count=1, stratum=asked, session="late")
    ingest_logs(full_site, (tmp_path / "logs",))
    episodes, statuses = plan_known.find_collected_since(full_site, drawn)
    assert len(episodes) == len(statuses) == logs.logs
    shown = plan.show_plan(full_site).progress
    assert sum(p.done for p in shown) == 1
    plan.write_work_orders(full_site, tmp_path / "orders.csv")
    back = plan.compare_returned_sheet(full_site, tmp_path / "orders.csv")
    for figure in ("done", "accepted", "rejected"):
        assert sum(getattr(p, figure) for p in back) == sum(getattr(p, figure) for p in shown)


def test_a_budget_of_nothing_is_only_a_look(full_site, tmp_path):
    drawn, before = plan.plan(full_site, budget=24), full_site.store.get_last_seq()
    look = plan.plan(full_site, budget=0, html=tmp_path / "look.html")
    assert look.quotas == ()
    assert look.warnings[0].code == "plan.only_names_gaps"
    assert look.warnings[0].details[0]["plan"] == drawn.id
    assert "only names what is missing" in (tmp_path / "look.html").read_text(encoding="utf-8")
    assert plan.show_plan(full_site).plan == drawn
    assert full_site.store.get_last_seq() == before, "nothing is written"
    with pytest.raises(BadInput, match="not valid"):
        plan.plan(full_site, budget=-1)


def test_a_plan_is_scored_only_once_a_later_version_works(full_site):
    plan.plan(full_site, budget=24)
    with pytest.raises(Refused, match="scored once"):
        plan.score_earlier_plan(full_site, full_site.store.find(PolicyVersion)[0].id)


def test_work_that_comes_again_is_ordered_from_templates(full_site, tmp_path):
    file = tmp_path / "templates.toml"
    file.write_text(TEMPLATES, encoding="utf-8")
    made = plan_work.make_plan_from_templates(full_site, file)
    assert sum(o.demonstrations for o in made.orders) == 6
    assert plan.show_plan(full_site).plan == made
    first = plan_work.draw_start_conditions(full_site, made.orders[0].id)
    assert len(first) == made.orders[0].demonstrations
    assert all(0.0 <= dict(one.conditions)["yaw"] <= 360.0 for one in first)
    with pytest.raises(BadInput, match="work order"):
        plan_work.draw_start_conditions(full_site, "order_nothing")


def test_an_order_has_one_number_wherever_it_is_named(full_site, tmp_path):
    file = tmp_path / "templates.toml"
    file.write_text(TEMPLATES, encoding="utf-8")
    order = plan_work.make_plan_from_templates(full_site, file).orders[-1]
    assert Names(full_site)(order.id) == order.name == f"order {order.number}"
    for text in (str(order.number), f"order {order.number}", f"order-{order.number}"):
        assert plan_work.draw_start_conditions(full_site, text) == plan_work.draw_start_conditions(full_site, order.id)
        assert find_numbered(full_site, WorkOrder, text) == order


def test_a_version_is_held_against_what_it_learnt_from(full_site):
    version = full_site.store.find(PolicyVersion)[0]
    met = plan_known.compute_coverage_for_policy(full_site, version.id)
    assert (
        sum(c.demonstrations for c in met)
        <= len(plan_known.find_training_demonstrations(full_site, version.id))
        <= version.episodes
    )
    assert sum(c.attempts for c in met) <= full_site.store.count(Outcome, {"policy": version.id})


def test_a_diagnosis_sees_all_the_workspace_knows(full_site, tmp_path):
    version = full_site.store.find(PolicyVersion)[0]
    found = collect_evidence(full_site, version)
    assert found.production
    assert found.exposures
    made = diagnose(full_site, version.id, html=tmp_path / "why.html")
    assert made.status in Status
    assert "<html" in (tmp_path / "why.html").read_text(encoding="utf-8")
    with pytest.raises(BadInput, match="no site"):
        collect_evidence(full_site, version, "nowhere")
