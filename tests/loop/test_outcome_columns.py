"""A table read column by column: the outcomes, refusals and diagnosis of the same table read row by row."""

import dataclasses

import numpy as np
import pytest
from bench.diagnose_scale import write_case
from tests.loop.test_case_folder import picks, table

from fieldloop.diagnose import Evidence, diagnose
from fieldloop.errors import BadInput
from fieldloop.ingest.tables import outcome_columns
from fieldloop.ingest.tables.attempt_files import find_telemetry_columns, read_outcomes
from fieldloop.ingest.tables.doubled_rows import find_doubled_rows
from fieldloop.ingest.tables.outcome_columns import parse_outcome_columns
from fieldloop.ingest.tables.text_columns import read_text_table
from fieldloop.loop.work.case_files import read_case
from fieldloop.model.attempts import settle
from fieldloop.model.deployment import add_tier_to_outcomes, add_tier_to_table
from fieldloop.model.identity import Ids
from fieldloop.model.outcome_columns import OutcomeColumns, list_texts, mark_texts
from fieldloop.model.policy import Stage
from fieldloop.protocol import default_operations
from fieldloop.simulate.arm.catalogue import get_item_master_csv
from fieldloop.simulate.arm.mix import get_deployment_toml

ZONES = {"leipzig": "Europe/Berlin", "gdansk": "America/New_York"}
WIDE = """\
id,policy,stage,succeeded,at,site,robot,judged_by,attempt,sku,item,failure,cycle_s,confidence,interventions,bin,lux
a1,p,production,yes,2026-05-04T09:30:00Z,leipzig,r1,ada,,s1,,,3.5,0.9,1,front,700
a2,p,production, no ,2026-05-04T09:31:00,leipzig,r1,ada,,,t2,grasp,,,,back,
a3,p,production,unknown,1777622400,gdansk,r2,bo,,s1,t9,,4,,2,,650.5
a4,p,production,?,,,,,,,,,,,,back,1e2
a5,,,1,2026-05-04 23:59:59+02:00,gdansk,r2,,n7,s3,,timeout,0,0,0,front,0.25
"""
PLAIN = table(picks(60, 4))
TABLES = {
    "plain": PLAIN,
    "wide": WIDE,
    "quoted": PLAIN.replace("leipzig", '"leipzig"').replace("bright", '"very ""bright"""'),
    "examples": PLAIN.replace("\n", "\n# yes,,,,,\n\n", 3),
    "returns": PLAIN.replace("\n", "\r\n"),
    "semicolons": PLAIN.replace(",", ";"),
    "spaces": PLAIN.replace("leipzig", " leipzig  ").replace("yes", " Yes"),
    "mark": "\ufeff" + PLAIN,
    "nameless": PLAIN.replace("lighting", ""),
}
REFUSED = {
    "result": PLAIN.replace("yes", "perhaps", 9),
    "number": PLAIN.replace(",22\n", ",fast\n", 2),
    "negative": PLAIN.replace(",22\n", ",-22\n", 2),
    "time": PLAIN.replace("2026-05-07", "2026-02-31", 1),
    "future": PLAIN.replace("2026-05-07", "2999-02-01", 1),
    "cells": PLAIN.replace(",22\n", ",22,1\n", 2),
    "quote": PLAIN.replace("bright", '"bright', 1),
    "comma": PLAIN.replace("bright", '"a,b"', 1),
    "twice": WIDE.replace("a3", "a2"),
    "class": WIDE.replace("grasp", "sneeze"),
    "stage": WIDE.replace("a3,p,production", "a3,p,moon"),
    "column": PLAIN.replace("succeeded", "worked"),
    "columns": PLAIN.replace("lighting", "site"),
    "empty": "succeeded,site\n",
    "nothing": "",
    "only examples": "succeeded,site\n# yes,a\n",
}


def both_ways(file):
    telemetry = find_telemetry_columns([file], 8)
    rows = read_outcomes(file, "p", Stage.PRODUCTION, telemetry, ZONES)
    return parse_outcome_columns(read_text_table(file), "p", Stage.PRODUCTION, telemetry, ZONES), rows


@pytest.mark.parametrize("name", TABLES)
def test_columns_hold_the_outcomes_of_the_rows(tmp_path, name):
    file = tmp_path / "production.csv"
    file.write_bytes(TABLES[name].encode())
    columns, rows = both_ways(file)
    assert isinstance(columns, OutcomeColumns)
    assert list(columns) == rows
    assert [columns[at] for at in range(len(rows))] == rows
    assert columns[-1] == rows[-1]
    assert list(columns[2:4]) == rows[2:4]
    for field in ("site", "robot", "item", "policy"):
        assert list_texts(columns, field) == list_texts(rows, field)
    assert mark_texts(columns, "item", "s1".__eq__).tolist() == mark_texts(rows, "item", "s1".__eq__).tolist()
    assert [list(side) for side in settle(columns)] == [list(side) for side in settle(rows)]


@pytest.mark.parametrize("name", REFUSED)
def test_what_rows_refuse_columns_refuse_in_the_same_words(tmp_path, name):
    file = tmp_path / "production.csv"
    file.write_bytes(REFUSED[name].encode())
    with pytest.raises(BadInput) as by_row:
        read_outcomes(file, "p", Stage.PRODUCTION, frozenset({"lux"}), ZONES)
    with pytest.raises(BadInput) as by_column:
        parse_outcome_columns(read_text_table(file), "p", Stage.PRODUCTION, frozenset({"lux"}), ZONES)
    assert str(by_column.value) == str(by_row.value)


def test_other_encodings_are_named_by_their_line(tmp_path):
    file = tmp_path / "production.csv"
    file.write_bytes("succeeded,site\nyes,K\u00f6ln\n".encode("latin-1"))
    with pytest.raises(BadInput, match="line 2 is not UTF-8"):
        read_text_table(file)


def test_parquet_is_read_by_columns_too(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    file = tmp_path / "production.parquet"
    cells = {"succeeded": [True, False, None], "bin": ["a", None, " b "], "lux": [1.5, float("nan"), 3.0]}
    parquet.write_table(pa.table(cells), file)
    columns, rows = both_ways(file)
    assert list(columns) == rows


def test_repeated_rows_are_found_in_columns(tmp_path):
    file, settings = tmp_path / "production.csv", default_operations()["audit"]
    lines = [f"{line},s{at % 11}" for at, line in enumerate(picks(60, 4))]
    header = "succeeded,at,site,lighting,lux,latency_ms,sku"
    file.write_text(table([*lines, *lines[3:20]], header), encoding="utf-8")
    columns, rows = both_ways(file)
    found = list(find_doubled_rows(columns, file.name, settings))
    assert found == list(find_doubled_rows(rows, file.name, settings))
    assert found[0]["repeated"] == 17


def test_tiers_of_the_map_are_added_to_columns(tmp_path):
    (tmp_path / "deployment.toml").write_text(get_deployment_toml(), encoding="utf-8")
    catalogue = get_item_master_csv()
    (tmp_path / "skus.csv").write_text(catalogue, encoding="utf-8")
    known = [line.split(",")[0] for line in catalogue.splitlines()[1:4]]
    lines = [f"yes,{sku},{tier}" for sku in (*known, "other", "") for tier in ("", "own")]
    file = tmp_path / "production.csv"
    file.write_text("\n".join(["succeeded,sku,tier", *lines]) + "\n", encoding="utf-8")
    columns, rows = both_ways(file)
    deployment = read_case(tmp_path, default_operations()).deployment
    assert deployment.tier_of[known[0]]
    assert list(add_tier_to_table(columns, deployment)) == list(add_tier_to_outcomes(rows, deployment))


@pytest.mark.parametrize("site", ["", "porto"])
def test_a_diagnosis_of_columns_is_that_of_rows(tmp_path, site):
    write_case(tmp_path, 2500, seed=4)
    case = read_case(tmp_path, default_operations())
    assert isinstance(case.production, OutcomeColumns)

    def explain(baseline, production):
        evidence = Evidence(case.policy, site, baseline, production, time_zones={"porto": "Asia/Tokyo"})
        settings = default_operations()["diagnose"]
        made = diagnose(evidence, settings, Ids(lambda: 0, lambda _: 1), 0, np.random.default_rng(0))
        return evidence, dataclasses.replace(made, id="")

    (by_column, one), (by_row, other) = (
        explain(case.baseline, case.production),
        explain(tuple(case.baseline), tuple(case.production)),
    )
    assert one == other
    assert list(by_column.after) == list(by_row.after)
    assert by_column.unknown == by_row.unknown


def test_columns_are_never_read_row_by_row(tmp_path, monkeypatch):
    monkeypatch.setattr(outcome_columns, "read_outcomes", None)
    write_case(tmp_path, 300)
    assert len(read_case(tmp_path, default_operations()).production) == 300


def test_the_setting_of_an_attempt_is_read_in_full_and_others_are_refused_with_the_choices(tmp_path):
    file = tmp_path / "trials.csv"
    file.write_text("succeeded,stage\nyes,laboratory\nno,Gate\nyes,\n")
    assert [one.stage for one in both_ways(file)[0]] == [Stage.LAB, Stage.GATE, Stage.PRODUCTION]
    lines = tmp_path / "trials.jsonl"
    lines.write_text('{"succeeded": true, "stage": "laboratory"}\n')
    assert read_outcomes(lines, "p", Stage.PRODUCTION, frozenset())[0].stage is Stage.LAB
    file.write_text("succeeded,stage\nyes,field\n")
    with pytest.raises(BadInput, match="line 2: stage = 'field'; write one of lab, gate, shadow, production"):
        both_ways(file)
