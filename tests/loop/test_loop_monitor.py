"""Outcomes come in once each, from those who may say so, and only if they can have happened."""

import dataclasses
import json
import re

import pytest
from pyarrow import csv, parquet

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audit.audit import audit
from fieldloop.loop.house import setup
from fieldloop.loop.plan import known as plan_known
from fieldloop.loop.run import outcomes
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.codec import to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.event import PlanDrawn, PolicyAdded, PolicyTrained
from fieldloop.model.note import note
from fieldloop.model.person import Actor, Role
from fieldloop.model.plan import Demand, Plan
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.response_event import DemandPlaced
from fieldloop.store import open_shelf, open_store

NOW_NS = 1_760_000_000 * 10**9
POLICY = PolicyVersion("a" * 64, "p1", "r", "reference", "b", 10, 0, 0.01, 5.0)


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path)
    opened = open_workspace(
        tmp_path, store=open_store("sqlite://"), shelf=open_shelf("memory://"), clock=lambda: NOW_NS
    )
    opened.write(PolicyTrained(POLICY))
    yield opened
    opened.close()


def make_outcome(**changed):
    usual = Outcome(
        "o1", POLICY.id, Stratum.of(site="x"), Stage.PRODUCTION, "x", "r", NOW_NS, succeeded=True, judged_by="arm"
    )
    return dataclasses.replace(usual, **changed)


def written(folder, *reported):
    file = folder / "spool.jsonl"
    file.write_text("\n".join(json.dumps(to_plain(o)) for o in reported))
    return file


def test_an_outcome_counts_once_however_often_it_is_delivered(here, tmp_path):
    file = written(tmp_path, make_outcome(), make_outcome(id="o2", succeeded=False))
    assert outcomes.record_outcome_table(here, file) == outcomes.RecordedOutcomes(2, 0)
    assert outcomes.record_outcome_table(here, file) == outcomes.RecordedOutcomes(0, 2)
    assert outcomes.record_one_outcome(here, "p1", "failure", outcome="o2", site="x").succeeded is False
    assert here.store.count(Outcome) == 2


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"policy": "unknown"}, "No policy"),
        ({"interventions": -3}, "must be 0 or more"),
        ({"cycle_s": -1.0}, "must be 0 or more"),
        ({"at_ns": NOW_NS + 3600 * 10**9}, "from the future"),
        ({"stage": Stage.GATE, "scenario": "whatever"}, "'whatever' is not a scenario of a gate"),
        ({"stage": Stage.GATE}, "names no scenario. A row of stage 'gate' states in the column 'scenario' which trial"),
    ],
)
def test_what_cannot_have_happened_is_refused_and_nothing_is_written(here, tmp_path, changed, says):
    with pytest.raises(BadInput, match=says):
        outcomes.record_outcome_table(here, written(tmp_path, make_outcome(id="fine"), make_outcome(**changed)))
    assert here.store.count(Outcome) == 0


def test_a_robot_does_not_gate_itself(here):
    robot = here.acting_as(Actor("arm-1", Role.ROBOT))
    assert outcomes.record_one_outcome(robot, "p1", "success", site="x").judged_by == "arm-1"
    with pytest.raises(Refused, match="Only engineers may record"):
        outcomes.record_one_outcome(robot, "p1", "success", stage=Stage.GATE, scenario="consecutive")


def test_a_demand_waits_until_a_plan_has_answered_all_of_it(here):
    why = note("respond.reported", what="cold")
    here.write(DemandPlaced(Demand("d1", Stratum.of(site="x"), 30, why, "incident_1", NOW_NS)))
    drawn = Plan("plan_1", 40, "marginal", (), (), 0.0, NOW_NS, "", answered=(("d1", 20),))
    assert [d.demonstrations for d in plan_known.find_open_demands(here)] == [30]
    here.write(PlanDrawn(drawn))
    assert [d.demonstrations for d in plan_known.find_open_demands(here)] == [10]
    here.write(PlanDrawn(dataclasses.replace(drawn, id="plan_2", answered=(("d1", 10),))))
    assert plan_known.find_open_demands(here) == []


TABLE = """at,policy,site,robot,succeeded,lighting,cycle_s,shift
2025-10-08T09:00:00Z,p1,gdansk,arm-1,yes,dim,6.1,early
2025-10-08T09:01:00Z,p1,gdansk,arm-1,no,dim,8.0,early
2025-10-08T09:01:00Z,p1,gdansk,arm-1,no,dim,8.0,early
2025-10-08T09:02:00Z,p1,leipzig,arm-2,unknown,bright,,late
"""


@pytest.fixture
def mapped(here):
    audit(here, example=True)
    audit(here)
    return here


def test_a_growing_table_counts_each_row_once_and_keeps_the_unknown_unknown(mapped, tmp_path):
    file = tmp_path / "outcomes.csv"
    file.write_text(TABLE)
    first = outcomes.record_outcome_table(mapped, file)
    assert (first.recorded, first.known, first.without_result) == (4, 0, 1)
    assert [n.code for n in first.notes] == ["monitor.without_result", "monitor.further_conditions"]
    file.write_text(TABLE + "2025-10-08T09:03:00Z,p1,leipzig,arm-2,yes,bright,5.9,late\n")
    again = outcomes.record_outcome_table(mapped, file)
    assert (again.recorded, again.known, again.without_result) == (1, 4, 1)
    kept = mapped.store.find(Outcome)
    assert {o.policy for o in kept} == {POLICY.id}
    assert {o.stratum.level("shift") for o in kept} == {"early", "late"}


def test_the_same_rows_of_another_policy_or_stage_are_other_attempts(mapped, tmp_path):
    mapped.write(PolicyAdded(dataclasses.replace(POLICY, id="d" * 64, name="p2")))
    file = tmp_path / "outcomes.csv"
    file.write_text(TABLE.replace(",p1,", ",,"))
    counted = [
        outcomes.record_outcome_table(mapped, file, policy=policy, stage=stage).recorded
        for policy, stage in [("p1", Stage.LAB), ("p2", Stage.LAB), ("p2", Stage.PRODUCTION), ("p2", Stage.LAB)]
    ]
    assert counted == [4, 4, 4, 0]


def test_a_row_on_record_without_its_policy_filled_in_is_still_known(here):
    kept = make_outcome(id="row_before")
    outcomes.record_outcomes(here, [kept])
    same, other = make_outcome(id="row_now"), make_outcome(id="row_other", stage=Stage.LAB)
    earlier = {"row_now": ("row_before",), "row_other": ("row_before",)}
    assert outcomes.record_outcomes(here, [same, other], earlier) == outcomes.RecordedOutcomes(1, 1)


def test_a_parquet_table_reads_like_its_csv(mapped, tmp_path):
    (tmp_path / "outcomes.csv").write_text(TABLE)
    rows = csv.read_csv(tmp_path / "outcomes.csv")
    parquet.write_table(rows, tmp_path / "outcomes.parquet")
    done = outcomes.record_outcome_table(mapped, tmp_path / "outcomes.parquet")
    assert (done.recorded, done.without_result) == (4, 1)
    assert {o.cycle_s for o in mapped.store.find(Outcome) if o.succeeded is not None} == {6.1, 8.0}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("gdansk", "gdanks", "Did you mean 'gdansk'"),
        ("gdansk", "mars", "No site of the deployment map called 'mars'.*Known: gdansk, leipzig"),
        ("dim,6.1", "dimm,6.1", "Did you mean 'dim'"),
        ("lighting", "ligthing", "Did you mean 'lighting'"),
        ("2025-10-08T09:00:00Z", "", "line 2: The time of the attempt is not stated. State when"),
        (",p1,", ",p7,", "No policy"),
    ],
)
def test_misspelt_names_and_missing_times_are_refused_and_nothing_is_recorded(mapped, tmp_path, old, new, says):
    file = tmp_path / "outcomes.csv"
    file.write_text(TABLE.replace(old, new))
    with pytest.raises(BadInput, match=says):
        outcomes.record_outcome_table(mapped, file)
    assert mapped.store.count(Outcome) == 0


def test_the_only_column_of_times_is_the_time_of_the_attempt(mapped, tmp_path):
    file = tmp_path / "outcomes.csv"
    file.write_text(TABLE.replace("at,policy", "when,policy"))
    done = outcomes.record_outcome_table(mapped, file)
    assert (done.notes[0].code, done.notes[0]["column"]) == ("monitor.time_column", "when")
    assert {o.stratum.level("when") for o in mapped.store.find(Outcome)} == {None}
    file.write_text(TABLE)
    assert outcomes.record_outcome_table(mapped, file).known == 4, "a row is known by its cells, not by its header"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("at,policy", "when,policy,ended", "column 'at' .* 'when' and 'ended' hold times; rename one of them"),
        ("at,policy", "day,policy", r"column 'at' \(time of the attempt\) is missing. Columns: day, policy"),
        ("succeeded", "outcome", r"column 'succeeded' \(yes or no\) is missing. Is it 'outcome'\? Rename"),
        ("succeeded", "outcome", "Columns: at, policy, site, robot, outcome"),
    ],
)
def test_a_missing_column_is_named_once_with_the_column_that_looks_like_it(mapped, tmp_path, old, new, says):
    table = TABLE.replace(old, new)
    if "ended" in new:
        table = "\n".join(re.sub(",p1,", ",p1,2025-10-08T09:00:30Z,", line) for line in table.splitlines())
    if "day" in new:
        table = re.sub(r"T\d\d:\d\d:00Z", "", table)
    (tmp_path / "outcomes.csv").write_text(table)
    with pytest.raises(BadInput, match=says):
        outcomes.record_outcome_table(mapped, tmp_path / "outcomes.csv")
    assert mapped.store.count(Outcome) == 0


def test_the_examples_of_a_template_are_never_recorded(mapped, tmp_path):
    file = tmp_path / "outcomes.csv"
    assert "monitor record" in outcomes.write_outcome_template(mapped, out=file)
    with pytest.raises(BadInput, match="already exists"):
        outcomes.write_outcome_template(mapped, out=file)
    with pytest.raises(BadInput, match="no rows but examples"):
        outcomes.record_outcome_table(mapped, file)
    with pytest.raises(BadInput, match="no rows but examples"):
        outcomes.record_pasted_outcomes(mapped, file.read_text())
    own = file.read_text().splitlines()[1].removeprefix("# ")
    file.write_text(f"{file.read_text()}{own}\n")
    assert outcomes.record_outcome_table(mapped, file).recorded == 1
    file.write_text(file.read_text().replace("# ", ""))  # the examples are valid rows themselves
    done = outcomes.record_outcome_table(mapped, file)
    assert (done.recorded, done.without_result, done.notes[1:]) == (3, 1, ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("arm-2,unknown", "arm-2,maybe"),
        ("leipzig", "leipzgi"),
        ("p1,leipzig", "p7,leipzig"),
        ("p1,leipzig", ",leipzig"),
        ("2025-10-08T09:02:00Z", "2125-10-08T09:02:00Z"),
        ("unknown,bright,", "yes,bright,-3"),
        ("bright", "birght"),
    ],
)
def test_every_wrong_row_is_named_by_file_and_line(mapped, tmp_path, old, new):
    file = tmp_path / "outcomes.csv"
    file.write_text(TABLE.replace(old, new))
    with pytest.raises(BadInput, match=r"(?s)^outcomes\.csv.*\nline 5[ :]"):
        outcomes.record_outcome_table(mapped, file)


def test_rows_with_the_same_id_are_named_by_line(here, tmp_path):
    file = tmp_path / "outcomes.csv"
    file.write_text("id,at,policy,succeeded\n" + "a,2025-10-08T09:00:00Z,p1,yes\n" * 2)
    with pytest.raises(BadInput, match="lines 2 and 3"):
        outcomes.record_outcome_table(here, file)


def test_a_table_without_a_policy_names_it_by_option(here, tmp_path):
    file = tmp_path / "outcomes.csv"
    file.write_text("at,succeeded\n2025-10-08T09:00:00Z,yes\n")
    with pytest.raises(BadInput, match="--policy"):
        outcomes.record_outcome_table(here, file)
    assert outcomes.record_outcome_table(here, file, policy="p1", stage=Stage.LAB).recorded == 1
    assert here.store.find(Outcome)[0].stage is Stage.LAB


def test_all_wrong_rows_are_named_at_once(mapped, tmp_path):
    file = tmp_path / "outcomes.csv"
    good = TABLE.splitlines()[1]
    wrong = [good.replace("gdansk", "gdanks"), good.replace("p1", "p7"), good.replace("yes", "maybe")]
    file.write_text("\n".join([TABLE.splitlines()[0], *wrong, good, *[good.replace("6.1", "x")] * 9]))
    with pytest.raises(BadInput) as refused:
        outcomes.record_outcome_table(mapped, file)
    lines = str(refused.value).splitlines()
    assert [line.partition(":")[0] for line in lines[1:-1]] == [f"line {n}" for n in (2, 3, 4, *range(6, 13))]
    assert "12 of 13 rows" in lines[0]
    assert "2 more" in lines[-1]
    assert not mapped.store.count(Outcome)


def test_a_missing_column_is_named_beside_the_columns_of_the_file_only(mapped, tmp_path):
    file = tmp_path / "outcomes.csv"
    file.write_text("at,policy\n2025-10-08T09:00:00Z,p1\n")
    with pytest.raises(BadInput, match=r"'succeeded'.*Columns: at, policy\.$"):
        outcomes.record_outcome_table(mapped, file)


def test_an_empty_text_in_json_states_nothing(mapped, tmp_path):
    file = tmp_path / "outcomes.jsonl"
    row = {"at": "2025-10-08T09:00:00Z", "policy": "p1", "site": "gdansk", "robot": "arm-1", "succeeded": True}
    file.write_text(json.dumps({**row, "failure": "", "cycle_s": "", "interventions": ""}) + "\n")
    assert outcomes.record_outcome_table(mapped, file).recorded == 1
    (recorded,) = mapped.store.find(Outcome)
    assert (recorded.failure, recorded.cycle_s, recorded.interventions) == (None, None, 0)
