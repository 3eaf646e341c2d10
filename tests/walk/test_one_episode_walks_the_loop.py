"""Read this first: logs of one afternoon walk from the robot to the next collection plan, on every store."""

import random

import pytest

from fieldloop.errors import Refused
from fieldloop.loop.annotate import propose
from fieldloop.loop.audit import audit
from fieldloop.loop.calibrate import extrinsics as calibrate
from fieldloop.loop.collect import sessions as collect
from fieldloop.loop.collect import supply, synchronisation
from fieldloop.loop.data import check, ingest
from fieldloop.loop.floor import simulate
from fieldloop.loop.floor.floor import alternate_operators, verify_clocks, write_demonstrations
from fieldloop.loop.house import setup
from fieldloop.loop.plan import plan
from fieldloop.loop.run import diagnose, guard, incident, monitor, rollout, serve, trust
from fieldloop.loop.ship import gate, release, train
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import EVENTS, RobotRegistered
from fieldloop.model.finding import Status
from fieldloop.model.incident import Step
from fieldloop.model.plan import Demand
from fieldloop.model.rollout import Rung
from fieldloop.simulate.arm.catalogue import get_item_master_csv
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata, get_deployment_toml, get_protocol_toml
from fieldloop.simulate.clock import SimulatedClock
from fieldloop.store import open_shelf, open_store

SEED = 7
START_NS = 1_760_000_000 * 10**9
SMALL = """
[gate.base_trials]
value = 8
[gate.consecutive_trials]
value = 12
[gate.lighting_trials]
value = 4
[gate.position_trials]
value = 2
[gate.distractor_trials]
value = 8
[serve.benchmark_calls]
value = 320
"""


@pytest.fixture(scope="session")
def afternoon(tmp_path_factory):
    """Twelve demonstrations as the robot's recorder kept them, and one log that was cut short."""
    folder = tmp_path_factory.mktemp("afternoon")
    floor = Floor(SEED)
    strata = draw_strata(floor.make_lab_mix(), 14, floor.make_random_generator("walk"))
    facts = {"session": "walk", "protocol": "pick v1", "provider": "northwind"}
    logs = write_demonstrations(
        alternate_operators(floor, strata, folder, floor.list_operators(), start_ns=START_NS + 10**9, **facts)
    )
    (folder / "cut-short.mcap").write_bytes(logs[0].read_bytes()[: logs[0].stat().st_size // 2])
    return folder


@pytest.fixture(params=["memory", "files", "servers"])
def place(request):
    """Where facts and bytes rest: in memory, in the workspace's folder, or on PostgreSQL and S3."""
    if request.param == "memory":
        return {"store": open_store("sqlite://"), "shelf": open_shelf("memory://")}
    if request.param == "servers":
        url, options = request.getfixturevalue("s3_url"), request.getfixturevalue("s3_options")
        return {"store": open_store(request.getfixturevalue("postgres_url")), "shelf": open_shelf(url, **options)}
    return {}


def test_walk(tmp_path, place, afternoon):  # noqa: PLR0915 - a walk is one long way
    floor, clock = Floor(SEED), SimulatedClock(START_NS)
    site = tmp_path / "site"
    setup.init(site)
    (site / "protocols" / "pick.toml").write_text(get_protocol_toml())
    (site / "operations.toml").write_text(SMALL)
    here = open_workspace(site, clock=clock, random_bits=random.Random(SEED).getrandbits, **place)

    # map: the deployment comes first, and nothing is planned over an audit that was never made
    with pytest.raises(Refused, match="complete audit"):
        plan.plan(here)
    (site / "deployment.toml").write_text(get_deployment_toml())
    (site / "skus.csv").write_text(get_item_master_csv())
    mapped = audit.audit(here)
    assert mapped.audit.complete
    assert sum(e.share for e in mapped.deployment.exposures) == pytest.approx(1.0)

    # plan: nothing is covered yet
    first = plan.plan(here, budget=20)
    assert sum(q.demonstrations for q in first.quotas) == 20

    # collect: no session before the checklist is done, the cameras are calibrated and the clocks verified
    robot = floor.get_robot("lab")
    here.write(RobotRegistered(robot))
    collect.enrol_demonstrator(here, "op-amber")
    with pytest.raises(Refused, match="emergency stop"):
        collect.open_session(here, robot.id, "op-amber")
    for views in floor.take_calibration_views("lab", floor.make_random_generator("markers")):
        fitted = calibrate.fit_and_store_camera_pose(
            here, views.points_camera, views.points_base, robot=robot.id, sensor=views.sensor, parent=views.parent
        )
        assert fitted.status is Status.PASSED
    done = tuple(here.operations["collect"]["checklist"])
    with pytest.raises(Refused, match="joints: The clock is declared as PTP, but was never verified end to end"):
        collect.open_session(here, robot.id, "op-amber", checked=done)
    synchronisation.verify_device_clock(
        here, "joints", robot=robot.id, offset_ms=40.0, how="a touch that everything notices"
    )
    with pytest.raises(Refused, match="joints: The last measured offset of the clock was 40 ms"):
        collect.open_session(here, robot.id, "op-amber", checked=done)
    verify_clocks(here, floor, "lab")
    session = collect.open_session(here, robot.id, "op-amber", checked=done)
    clock.pass_days(1)
    collect.close_session(here, session.id)

    # ingest and check: what was cut short is read as far as it goes, named, and held back; twice changes nothing
    taken = ingest.ingest_logs(here, (afternoon,)).logs
    short = next(log for log in taken if log.name == "cut-short.mcap")
    assert short.status is Status.FAILED
    assert short.message
    fit = [e.id for e in here.store.find(Episode, {"status": Status.PASSED})]
    assert len(fit) >= 12
    before = here.store.get_last_seq()
    assert all(log.already_here for log in ingest.ingest_logs(here, (afternoon,)).logs)
    assert here.store.get_last_seq() == before

    # a provider's delivery is judged by the same checks
    supply.record_provider(here, "northwind")
    assert supply.accept_delivery(here, "northwind").accepted == len(fit)

    # annotate, release, train
    marked = propose.propose_annotations(here)
    assert marked.episodes + len(marked.cannot_tell) == len(fit)
    r1 = release.freeze_release(here, "r1")
    assert set(r1.episodes) <= set(fit)
    assert release.freeze_release(here, "r1") == r1, "the same episodes are the same release"
    with pytest.raises(Refused, match="release r1 already"):
        release.freeze_release(here, "r2")
    p1 = train.train_policy_version(here, "r1", name="p1", seed=SEED)
    assert p1.release == r1.id

    # serve and guard: it answers, fast enough, and carries its limits to the robot
    assert serve.measure_policy_health(here, "p1").health.status is Status.PASSED
    assert guard.show_guard_limits(here, "p1").fingerprint == here.operations["guard"].fingerprint
    replayed = guard.replay_guard(here, fit[0], policy="p1")
    assert replayed.steps > 100

    # gate: twelve demonstrations are not enough, and the gate says so; going on is possible, on the record
    decided = gate.decide_gate(here, "p1", simulate=True, seed=SEED)
    assert decided.status is not Status.PASSED
    assert {t.name for t in decided.tests} >= {"consecutive", "distractors"}
    with pytest.raises(Refused, match="must pass its own gate"):
        rollout.start_policy_rollout(here, "p1")
    begun = rollout.start_policy_rollout(here, "p1", override="We want to see it fail.", rung="fleet")
    (over,) = begun.reason.details
    assert (begun.rung, over.code, over["actor"]) == (Rung.FLEET, "rollout.overridden", "local")

    # monitor: the laboratory promised more than the floor keeps
    simulate.simulate_laboratory_trials(here, "p1", episodes=40, seed=SEED)
    clock.pass_days(14)
    worked = simulate.simulate_production(here, episodes=200, days=14, seed=SEED)
    seen = monitor.monitor(here)
    assert sum(rate.episodes for rate in seen.rates) > 0
    assert worked.episodes == 200

    # diagnose, and the incident becomes demand on the plan
    made = diagnose.diagnose(here, seed=SEED)
    assert made.episodes == 200
    opened = incident.open_incident(
        here, "Grasps beside the item at the cold site.", policy="p1", site="gdansk", stratum="lighting=dim"
    ).incident
    incident.record_incident_step(here, opened.id, Step.CONTAINED, note="Routed to people.")
    incident.record_incident_step(here, opened.id, Step.CLASSIFIED, note="Grasp failures, seen on clips.")
    moved = incident.record_incident_step(here, opened.id, Step.DIAGNOSED, note="Never shown.")
    assert moved.demands
    assert "Grasps beside the item" in incident.write_incident_report(here, opened.id)
    drawn = plan.plan(here, budget=60)
    wanted = here.store.find(Demand)
    for demand in wanted:
        got = sum(q.demonstrations for q in drawn.quotas if demand.stratum.covers(q.stratum))
        assert got > 0, f"the plan answers {demand.stratum}"

    # back through the whole record: who, on what, calibrated how, delivered by whom
    lineage = trust.trace_policy(here, "p1")
    assert {o.operator for o in lineage.origins} <= set(floor.list_operators())
    assert all(o.provider == "northwind" and o.calibrations for o in lineage.origins)
    sealed = trust.write_evidence_record(here, "p1", tmp_path / "evidence.json")
    assert sealed.links == here.store.get_last_seq() + 1

    # the tables are only a view of the ledger
    was = {noun: here.store.find(noun) for noun in (Episode, Demand)}
    here.store.rebuild_tables()
    assert {noun: here.store.find(noun) for noun in (Episode, Demand)} == was
    here.close()


def test_a_new_limit_judges_old_episodes_without_their_bytes(tmp_path, afternoon):
    site = tmp_path / "site"
    setup.init(site)
    here = open_workspace(site)
    log = min(afternoon.glob("lab-*.mcap"))
    (taken,) = ingest.ingest_logs(here, (log,)).logs
    here.close()

    strict = "[protocol]\nname = 'pick'\nversion = 2\n[check.adherence.duration]\nmin = 30.0\n"
    (site / "protocols" / "pick.toml").write_text(strict)
    again = open_workspace(site)
    again.shelf.fetch_local_copy = None  # no log may be opened again
    report = check.check(again)
    assert [e.episode for e in report.episodes] == list(taken.episodes)
    failed = {f.check for f in report.episodes[0].findings if f.status is Status.FAILED}
    assert failed == {"adherence.duration"}
    again.close()


def test_every_event_of_the_loop_happens_somewhere():
    """The list of events is the loop; one that no use case writes would be a promise nobody keeps."""
    from pathlib import Path

    import fieldloop.loop

    sources = "".join(p.read_text() for p in Path(fieldloop.loop.__file__).parent.rglob("*.py"))
    assert not [name for name in EVENTS if f"{name}(" not in sources]
