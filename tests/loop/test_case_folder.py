"""A case from files alone: what is read, what is refused, and what comes out."""

import json
from typing import get_args

import pytest

from fieldloop.errors import BadInput, UnknownName
from fieldloop.ingest.tables.attempt_files import find_telemetry_columns, read_demonstrations, read_outcomes
from fieldloop.loop.floor.picking import Preset, simulate_case
from fieldloop.loop.run.case_folder import diagnose_folder, plan_folder
from fieldloop.loop.work.case_files import read_case
from fieldloop.model.codec import to_plain
from fieldloop.model.finding import Status
from fieldloop.model.policy import Stage
from fieldloop.protocol import default_operations
from fieldloop.simulate.arm.catalogue import get_item_master_csv
from fieldloop.simulate.arm.mix import get_deployment_toml
from fieldloop.simulate.picking.presets import get_preset


def table(rows, header="succeeded,at,site,lighting,lux,latency_ms"):
    return "\n".join([header, *rows]) + "\n"


def picks(count, fails, lighting="bright", lux=700.0):
    """Every `fails`-th pick fails, over twenty days."""
    return [
        f"{'no' if fails and i % fails == 0 else 'yes'},2026-05-{1 + i % 20:02d}T08:{i % 60:02d}:00Z,leipzig,"
        f"{lighting},{lux + i % 37},{20 + i % 5}"
        for i in range(count)
    ]


LUX = frozenset({"lux"})


def test_a_table_with_any_columns_becomes_outcomes(tmp_path):
    file = tmp_path / "production.csv"
    file.write_text(table(picks(40, 4)), encoding="utf-8")
    first, *others = read_outcomes(file, "p1", Stage.PRODUCTION, find_telemetry_columns([file], 8))
    assert (first.succeeded, others[0].succeeded, first.site, first.policy) == (False, True, "leipzig", "p1")
    assert first.stratum.levels == {"lighting": "bright"}
    assert first.get_fact("lux") == 700.0, "a column of many different numbers is telemetry"
    assert first.latency_ms == 20.0
    assert first.at_ns == 1_777_622_400_000_000_000
    assert len({o.id for o in (first, *others)}) == 40


def test_semicolons_are_read_and_other_encodings_named(tmp_path):
    file = _written(tmp_path / "production.csv", "succeeded;site\nyes;a\nno;b\n")
    assert [o.site for o in read_outcomes(file, "p", Stage.PRODUCTION, LUX)] == ["a", "b"]
    file.write_bytes("succeeded,site\nyes,K\u00f6ln\n".encode("latin-1"))
    with pytest.raises(BadInput, match="line 2 is not UTF-8"):
        read_outcomes(file, "p", Stage.PRODUCTION, LUX)


def test_a_simulated_case_writes_over_nothing(tmp_path):
    _written(tmp_path / "deployment.toml", "mine")
    with pytest.raises(BadInput, match="other files"):
        simulate_case(tmp_path)
    assert (tmp_path / "deployment.toml").read_text(encoding="utf-8") == "mine"
    _written(tmp_path / "story.json", "{}")
    with pytest.raises(BadInput, match="a case in it already"):
        simulate_case(tmp_path, seed=9)
    with pytest.raises(BadInput, match="cannot be made"):
        simulate_case(tmp_path / "deployment.toml" / "below")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("worn=unknown", "robot of the picking floor"),
        ("mount=nowhere@1", "site of the picking floor"),
        ("worn=home-1", "extra_cycles"),
        ("rust=3", "No fault called"),
        ("latency_s=late", "not a number"),
    ],
)
def test_a_fault_without_effect_is_refused(tmp_path, fault, says):
    with pytest.raises((BadInput, UnknownName), match=says):
        simulate_case(tmp_path / "new", fault=(fault,))


def test_every_preset_that_is_offered_is_there():
    for name in get_args(Preset):
        assert get_preset(name).name == name


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("succeeded,site\nperhaps,a\n", "succeeded = 'perhaps'"),
        ("site\na\n", "'succeeded' \\(yes or no\\) is missing"),
        ("id,succeeded\na,yes\na,no\n", "more than once"),
        ("succeeded,at\nyes,tomorrow\n", "not a valid time"),
        ("succeeded,latency_ms\nyes,fast\n", "not a number"),
        ("succeeded,site\n", "no rows"),
        ('succeeded,site\nyes,"a\n', "quotation mark"),
        ("succeeded,site\nyes,a\n\nno,b,c\n", "production.csv, line 4: 3 cells under 2 columns"),
        ("succeeded,site\nyes\n", "line 2: 1 cells under 2 columns"),
        ("succeeded,site,site\nyes,a,b\n", "column 'site' appears twice"),
        ("succeeded,latency_ms\nyes,-3\n", "line 2: latency_ms = -3"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, text, says):
    file = tmp_path / "production.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        read_outcomes(file, "p", Stage.PRODUCTION, LUX)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not valid JSON"),
        ("[1]", "one object a line"),
        ('{"succeeded": 3}', "true or false"),
        ('{"succeeded": true, "latency_ms": -3}', "line 1: latency_ms = -3; it must be 0 or more"),
        ('{"succeeded": true, "cycle_s": "quick"}', "cycle_s = 'quick'"),
    ],
)
def test_a_bad_line_of_json_is_named(tmp_path, line, says):
    file = tmp_path / "production.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        read_outcomes(file, "p", Stage.PRODUCTION, LUX)


def test_json_lines_are_our_own_nouns(tmp_path):
    told = read_outcomes(_written(tmp_path / "a.csv", table(picks(5, 2))), "p", Stage.PRODUCTION, LUX)
    lines = "\n".join(json.dumps(to_plain(o)) for o in told)
    assert read_outcomes(_written(tmp_path / "b.jsonl", lines), "q", Stage.LAB, LUX) == told


def test_a_column_is_telemetry_in_all_tables_or_in_none(tmp_path):
    many = _written(
        tmp_path / "production.csv", "succeeded,aisle,sku\n" + "".join(f"yes,{i},s{i}\n" for i in range(12))
    )
    few = _written(tmp_path / "demonstrations.csv", "aisle,sku\n3,s1\n4,s2\n")
    telemetry = find_telemetry_columns([many, few], 8)
    assert read_outcomes(many, "p", Stage.PRODUCTION, telemetry)[3].get_fact("aisle") == 3.0
    shown = read_demonstrations(few, telemetry)[0]
    assert (shown.get_fact("aisle"), shown.handled, shown.stratum.levels) == ("3", "s1", {})
    assert read_outcomes(many, "p", Stage.PRODUCTION, telemetry)[3].item == "s3"


def test_demonstrations_come_from_a_table_too(tmp_path):
    text = "operator,site,lighting,simulated,succeeded,lux\n" + "".join(
        f"op-{i % 3},lab,bright,no,yes,{700 + i}\n" for i in range(12)
    )
    first = read_demonstrations(_written(tmp_path / "demonstrations.csv", text), LUX)[0]
    assert (first.operator, first.simulated, first.succeeded) == ("op-0", False, True)
    assert first.stratum_with_site.levels == {"lighting": "bright", "site": "lab"}
    assert first.get_fact("lux") == "700"


def test_a_folder_is_diagnosed_and_planned_for(tmp_path):
    _written(tmp_path / "baseline.csv", table(picks(300, 10)))
    _written(tmp_path / "production.csv", table(picks(600, 10) + picks(400, 2, "dim", 90.0)))
    shown = "operator,site,lighting,tier,bin\n" + "op-1,leipzig,bright,high,front\n" * 40
    _written(tmp_path / "demonstrations.csv", shown)
    made = diagnose_folder(None, tmp_path, html=tmp_path / "why.html")
    assert made.status is Status.FAILED
    assert "dim" in str(made.causes[0].stratum) or "lux" in made.causes[0].evidence
    assert "<html" in (tmp_path / "why.html").read_text(encoding="utf-8")
    with pytest.raises(BadInput, match="which a plan needs"):
        plan_folder(None, tmp_path)
    _written(tmp_path / "deployment.toml", get_deployment_toml())
    _written(tmp_path / "skus.csv", get_item_master_csv())
    drawn = plan_folder(None, tmp_path, budget=20, html=tmp_path / "plan.html", orders=tmp_path / "orders.csv")
    assert 0 < sum(q.demonstrations for q in drawn.quotas) <= 20
    assert (tmp_path / "orders.csv").read_text(encoding="utf-8").startswith("order")


def test_what_a_folder_lacks_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"neither production\.jsonl"):
        read_case(tmp_path, default_operations())
    with pytest.raises(BadInput, match="is not a folder"):
        read_case(tmp_path / "nowhere", default_operations())
    for ending in ("csv", "jsonl"):
        _written(tmp_path / f"production.{ending}", table(picks(3, 2)))
    with pytest.raises(BadInput, match="keep one"):
        read_case(tmp_path, default_operations())


@pytest.mark.parametrize("use", [diagnose_folder, plan_folder])
@pytest.mark.parametrize(
    ("baseline", "production", "says"),
    [
        ("yes,a,lab", "yes,a,production\nno,b,production", "production.csv has attempts of a, b. A case holds one"),
        ("yes,a,lab", "yes,a,\nno,,", "attempts of a, policy"),
        ("yes,a,lab", "yes,a,production\nno,a,lab", "1 of 2 attempts were not made in production; .*stage = lab"),
        ("yes,a,lab", "yes,a,shadow", "1 of 1 attempts were not made in production"),
        ("yes,b,lab", "yes,a,production", "baseline.csv has trials of b, but production.csv is of a"),
    ],
)
def test_rows_of_another_policy_or_setting_are_refused_by_both(tmp_path, use, baseline, production, says):
    for name, rows in (("baseline", baseline), ("production", production)):
        _written(tmp_path / f"{name}.csv", f"succeeded,policy,stage\n{rows}\n")
    with pytest.raises(BadInput, match=says):
        use(None, tmp_path)


def test_times_without_a_zone_are_read_by_the_clocks_of_the_map(tmp_path):
    _written(tmp_path / "production.csv", "succeeded,at,site\nyes,2026-05-01T10:00:00,leipzig\n")
    _written(tmp_path / "deployment.toml", get_deployment_toml())
    (only,) = read_case(tmp_path, default_operations()).production
    assert only.at_ns == 1_777_622_400_000_000_000, "ten in Leipzig is eight in UTC"


def test_a_site_without_attempts_is_refused_and_those_with_are_named(tmp_path):
    _written(tmp_path / "production.csv", table(picks(3, 2)))
    with pytest.raises(BadInput, match=r"no attempts at site 'mars'\. Sites: leipzig"):
        diagnose_folder(None, tmp_path, site="mars")


def _written(file, text):
    file.write_text(text, encoding="utf-8")
    return file
