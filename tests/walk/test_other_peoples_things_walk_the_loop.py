"""The loop on other people's things: a foreign dataset, a policy known by name alone, tables of outcomes."""

import csv
import random

import numpy as np
import pytest
from tests.walk.foreign_lerobot import TASK, write_foreign_set

from fieldloop.errors import Refused
from fieldloop.loop.annotate.compare import annotators
from fieldloop.loop.annotate.exchange import import_labels
from fieldloop.loop.audit import audit
from fieldloop.loop.data import check, ingest, read_again, relabel
from fieldloop.loop.data.as_frozen import find_release_episodes
from fieldloop.loop.house import setup
from fieldloop.loop.plan import plan
from fieldloop.loop.run import diagnose, monitor, outcomes, rollout, trust
from fieldloop.loop.ship import gate, gate_plan, policy, release
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.codec import format_iso_time
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.rollout import Rung
from fieldloop.simulate.clock import SimulatedClock
from fieldloop.store import open_shelf, open_store
from fieldloop.testing.shared import find_shared_data

START_NS = 1_760_000_000 * 10**9
DAY_NS, MINUTE_NS = 86_400 * 10**9, 60 * 10**9
# 40 base trials: from 8, a drop cannot be told from luck, and diagnosis or alarm failed for one seed in three
SMALL = """
[gate.base_trials]
value = 40
[gate.consecutive_trials]
value = 12
[gate.lighting_trials]
value = 4
[gate.position_trials]
value = 2
[gate.distractor_trials]
value = 8
"""


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path / "site")
    (tmp_path / "site" / "operations.toml").write_text(SMALL)
    opened = open_workspace(
        tmp_path / "site",
        store=open_store("sqlite://"),
        shelf=open_shelf("memory://"),
        clock=SimulatedClock(START_NS),
        random_bits=random.Random(7).getrandbits,
    )
    audit.audit(opened, example=True)
    audit.audit(opened)  # an example comes into force only by an audit of its own
    yield opened
    opened.close()


def table(file, rows):
    """Write rows as CSV, as a spreadsheet does."""
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return file


def test_walk(here, tmp_path):  # noqa: PLR0915 - a walk is one long way
    folder = write_foreign_set(tmp_path / "parts")

    # ingest: a fact that contradicts the log is refused with both named; one the log does not state is added
    (refused,) = ingest.ingest_logs(here, (folder,), set_=("site=lab", "task=pick")).logs
    assert refused.status is Status.ERRORED
    assert TASK in refused.message
    assert not here.store.count(Episode)
    facts = ("site=lab", "operator=anna", "task=pick")
    (taken,) = ingest.ingest_logs(here, (folder,), set_=facts, overrule=True).logs
    assert taken.status is Status.PASSED
    first = here.store.find(Episode)[0]
    assert (first.site, first.operator, first.task) == ("lab", "anna", "pick")
    assert {one.name: one.instead_of for one in first.stated} == {"site": "", "operator": "", "task": TASK}
    assert {one.by for one in first.stated} == {"local"}

    # one episode was recorded by someone else, another one is of no use
    relabel.relabel_episodes(here, ("episode_000001",), set_=("operator=bert", "outcome=success"))
    relabel.set_episodes_aside(here, ("episode_000005",), reason="The part was glued to the table.")

    # check and release: the protocol of the task judges, what is set aside stays out
    report = check.check(here)
    assert {e.judged_by for e in report.episodes} == {"pick v1"}
    assert "episode_000005" not in {e.name for e in report.episodes}
    with pytest.raises(Refused, match="no device is declared for pick"):
        release.freeze_release(here, "r1")
    r1 = release.freeze_release(here, "r1", override="The set states no clock of any device.")
    assert len(r1.episodes) == 5

    # labels of an annotation tool come as a table; two people who annotated the same can be compared
    spans = [
        {"episode": "episode_000000", "label": label, "start_s": start, "end_s": start + 1.0, "annotator": who}
        for who, shift in (("anna", 0.0), ("bert", 0.1))
        for label, start in (("reach", shift), ("grasp", 1.0 + shift))
    ]
    brought = import_labels.import_labels(here, table(tmp_path / "labels.csv", spans), label=("reach=approach",))
    assert (brought.annotators, brought.annotations) == (("anna", "bert"), 4)
    assert annotators.compare_annotators(here, ("anna", "bert")).report.episodes == 1

    # policy: only its name and the release it was trained on are known
    version = policy.register_policy(here, "pi0-v3", release="r1", control_hz=10.0)
    assert version.bundle == ""

    # gate: trials recorded by hand; a trial without a result is kept and counts for nothing
    wanted = gate_plan.list_trials(here, "pi0-v3")
    chance = np.random.default_rng(1)
    rows = [
        {"at": format_iso_time(START_NS - DAY_NS + n * MINUTE_NS), "policy": "pi0-v3", "stage": "gate",
        "scenario": trial.scenario,
         "succeeded": "unknown" if n == 0 else "yes" if chance.random() < 0.9 else "no", "cycle_s": 6.0,
         "latency_ms": 40, "site": trial.stratum.level("site") or "",
         **{name: level for name, level in trial.stratum.levels.items() if name in ("lighting", "bin")}}
        for n, trial in enumerate(wanted)
    ]  # fmt: skip
    names = list(dict.fromkeys(name for row in rows for name in row))
    recorded = outcomes.record_outcome_table(
        here, table(tmp_path / "gate.csv", [dict.fromkeys(names, "") | row for row in rows])
    )
    assert (recorded.recorded, recorded.without_result) == (len(rows), 1)
    decided = gate.decide_gate(here, "pi0-v3")
    assert (decided.trials, decided.unknown) == (len(rows) - 1, 1)
    assert decided.status is not Status.PASSED

    # rollout: overriding the gate puts the first version ever on the first rung, not on the fleet
    with pytest.raises(Refused, match="must pass its own gate"):
        rollout.start_policy_rollout(here, "pi0-v3")
    with pytest.raises(Refused, match="must pass its own gate"):
        rollout.start_policy_rollout(here, "pi0-v3", rung="fleet")
    assert rollout.start_policy_rollout(here, "pi0-v3", override="The customer waits.").rung is Rung.TRIAL

    # monitor: production falls in one condition; what is unknown stays unknown until it is known
    here.clock.pass_days(14)
    rows = []
    for n in range(400):
        lighting = "dim" if n % 2 else "bright"
        won = chance.random() < (0.35 if lighting == "dim" else 0.9)
        rows.append({
            "at": format_iso_time(START_NS + DAY_NS + n * 45 * MINUTE_NS), "policy": "pi0-v3", "site": "gdansk",
            "robot": "arm-1",
            "succeeded": "unknown" if n < 3 else "yes" if won else "no", "lighting": lighting, "cycle_s": 6.0,
        })  # fmt: skip
    assert outcomes.record_outcome_table(here, table(tmp_path / "floor.csv", rows)).without_result == 3
    seen = monitor.monitor(here)
    assert [rate.episodes for rate in seen.rates if rate.site == "gdansk"]
    assert [note["attempts"] for note in seen.unknown] == [3]
    rows[0]["succeeded"] = "no"
    again = outcomes.record_outcome_table(here, table(tmp_path / "floor.csv", rows))
    assert (again.recorded, again.resolved, again.known) == (1, 1, 399)
    assert here.store.count(Outcome, {"succeeded": None, "stage": Stage.PRODUCTION}) == 2
    assert seen.alarms
    moved = rollout.advance_current_rollout(here)
    assert moved.candidate_episodes == 398

    # diagnose, and the next plan
    made = diagnose.diagnose(here, "pi0-v3")
    assert made.episodes == 398
    assert made.causes
    assert plan.plan(here, budget=30).quotas

    # back through the record, and the tables are only a view of the ledger
    assert {origin.operator for origin in trust.trace_policy(here, "pi0-v3").origins} == {"anna", "bert"}
    before = here.store.find(Episode), here.store.find(Outcome)
    here.store.rebuild_tables()
    assert (here.store.find(Episode), here.store.find(Outcome)) == before


def test_a_release_keeps_the_reading_it_was_frozen_with(here, tmp_path):
    folder = write_foreign_set(tmp_path / "parts", episodes=3)
    ingest.ingest_logs(here, (folder,), set_=("site=lab", "task=pick"), overrule=True)
    r1 = release.freeze_release(here, "r1", override="The set states no clock of any device.")
    before = release.write_release_datasheet(here, "r1")
    mapping = tmp_path / "mapping.toml"
    mapping.write_text('schema = "mapping/1"\n[streams."camera/front"]\nname = "camera/wrist"\n')
    result = read_again.read_logs_again(here, mapping=mapping, set_=("operator=carla",))
    assert [note.code for note in result.logs[0].changes] == ["ingest.mapping_changed", "ingest.fact_changed"]
    (now,) = {e.operator for e in here.store.find(Episode)}
    assert now == "carla"
    assert release.write_release_datasheet(here, "r1") == before
    frozen = find_release_episodes(here, r1)
    assert {e.operator for e in frozen} == {""}
    as_frozen = next(iter(Reopened(here, frozen, release=r1)))
    assert "camera/front" in as_frozen.streams
    assert "camera/wrist" in next(iter(Reopened(here, here.store.find(Episode)))).streams
    assert {e.id for e in here.store.find(Episode)} == set(r1.episodes)


@pytest.mark.parametrize("name", ["lerobot-v21-g1", "lerobot-v20-gr1"])
def test_public_sets_are_ingested_with_facts_and_read_again(here, name):
    folder = find_shared_data(name)
    if folder is None:
        pytest.skip("no shared data on this machine")
    (taken,) = ingest.ingest_logs(here, (folder,), set_=("site=lab", "operator=anna")).logs
    assert taken.episodes
    assert {e.site for e in here.store.find(Episode)} == {"lab"}
    result = read_again.read_logs_again(here, set_=("lighting=dim",))
    assert result.logs[0].episodes == taken.episodes
    assert {e.stratum.level("lighting") for e in here.store.find(Episode)} == {"dim"}
    assert {e.operator for e in here.store.find(Episode)} == {"anna"}
