"""Two annotators of simulated demonstrations: a tenth is compared, and where their standards differ it shows."""

import hashlib
import json

import pytest

from fieldloop.errors import BadInput
from fieldloop.loop.floor import picking
from fieldloop.loop.floor.annotated_twice import compare_two_annotators
from fieldloop.loop.floor.picking_story import read_orders
from fieldloop.loop.run.case_folder import plan_folder
from fieldloop.loop.work.case_files import read_case
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.protocol import default_operations
from fieldloop.simulate.picking.nouns import HANDLED_S

S = 10**9
APART_S = 0.2


def demonstration(number, light, apart_s):
    seen = (("grasp_seen_by_1_s", "0.0"), ("grasp_seen_by_2_s", f"{apart_s:.4f}"))
    return Episode(
        hashlib.sha256(str(number).encode()).hexdigest(), f"pick-{number}", "simulated", start_ns=0,
        end_ns=round((1 + HANDLED_S) * S), stratum=Stratum.of(lighting=light), facts=seen,
    )  # fmt: skip


def test_a_tenth_is_compared_in_all_and_by_condition():
    shown = [demonstration(n, "dim" if n % 2 else "bright", APART_S * (n % 2)) for n in range(600)]
    whole, *by = compare_two_annotators(shown, least_episodes=6)
    assert 30 <= whole.episodes <= 90
    assert {str(one.stratum): one.episodes for one in by}.keys() == {"lighting=bright", "lighting=dim"}
    apart = {str(one.stratum): one for one in by}
    assert apart["lighting=bright"].worst_frames == 0.0
    assert apart["lighting=dim"].worst_boundary == "approach → grasp"
    assert apart["lighting=dim"].worst_frames == pytest.approx(
        APART_S * default_operations()["agree"].number("frame_hz")
    )


def test_where_no_one_annotated_nothing_is_compared():
    plain = [Episode(f"{n:064x}", f"pick-{n}", "simulated", start_ns=0, end_ns=S) for n in range(0, 100, 10)]
    assert compare_two_annotators(plain, least_episodes=1) == ()
    assert compare_two_annotators([], least_episodes=1) == ()


def test_a_simulated_case_says_how_far_annotators_agree_and_takes_orders_as_json(tmp_path):
    floor = tmp_path / "floor"
    picking.simulate_case(floor, shown="production", demonstrations=150, episodes=40, fault=("label_noise=0.25",))
    told = json.loads((floor / "agreements.json").read_text(encoding="utf-8"))
    assert told[0]["stratum"] == ""
    assert told[0]["episodes"] == pytest.approx(15, abs=12)
    assert read_case(floor, default_operations()).agreements[0].worst_boundary == "approach → grasp"
    plan_folder(None, floor, budget=6, orders=floor / "orders.json")
    assert sum(count for _, count in read_orders(floor)) > 0
    (floor / "orders.csv").write_text("stratum\nbin=front\n")
    with pytest.raises(BadInput, match="keep one"):
        read_orders(floor)
    (floor / "orders.json").unlink()
    with pytest.raises(BadInput, match=r"orders\.csv, line 1: a column 'demonstrations' is required"):
        read_orders(floor)
