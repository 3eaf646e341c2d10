"""The floor in the words of the house: outcomes, episodes, the map, recordings that other rooms can use."""

import csv
import io

import numpy as np
import pytest

from fieldloop.audit.map_file import parse_deployment_map
from fieldloop.errors import BadInput
from fieldloop.model.policy import FailureClass, Stage
from fieldloop.model.stream import NS_PER_DAY, StreamKind
from fieldloop.protocol import default_operations
from fieldloop.simulate.picking import map_text, nouns, pick, recording
from fieldloop.simulate.picking.faults import Faults
from fieldloop.simulate.picking.physics import ENDS, STEPS
from fieldloop.simulate.picking.world import World

START_NS = 1_790_000_000 * 10**9


@pytest.fixture(scope="module")
def world():
    return World("covered_traps", 5, articles=300)


@pytest.fixture(scope="module")
def shown(world):
    return world.demonstrate(world.cells(world.production(), 150, "shown"), "shown", Faults(simulated_share=0.2))


@pytest.fixture(scope="module")
def tries(world, shown):
    mean = shown.actions.mean(axis=0)
    mean[:3] = 0

    def hopeful(inputs):
        return np.repeat(mean[None], len(inputs), axis=0)

    return world.attempt(hopeful, world.cells(world.production(), 200, "tried"), "tried", weeks=1.0)


@pytest.fixture(scope="module")
def outcomes(world, tries):
    return nouns.make_outcomes(world, tries, "policy-a", Stage.PRODUCTION, START_NS, days=7.0)


def test_an_outcome_says_what_happened_where_and_how_far_it_came(tries, outcomes):
    assert len({outcome.id for outcome in outcomes}) == len(outcomes)
    assert [outcome.at_ns for outcome in outcomes] == sorted(outcome.at_ns for outcome in outcomes)
    assert outcomes[0].at_ns > START_NS + 7 * NS_PER_DAY
    for outcome, end in zip(outcomes, tries.end, strict=True):
        assert outcome.succeeded == (end == 0) == (outcome.failure is None)
        assert outcome.stratum.level("site") == outcome.site
        assert outcome.robot.startswith(outcome.site)
        assert [step.name for step in outcome.steps] == list(STEPS[: len(outcome.steps)])
        assert all(step.succeeded for step in outcome.steps[:-1])
        assert outcome.steps[-1].succeeded == outcome.succeeded
        assert {"lux", "temperature_c", "humidity_percent", "gripper_cycles", "filled_by"} <= dict(outcome.facts).keys()
        assert outcome.item.startswith("sku-")
        assert outcome.latency_ms > 0
        assert outcome.cycle_s > pick.LINE.steps * pick.STEP_S - 1e-9
    assert {outcome.failure for outcome in outcomes} >= {FailureClass.COLLISION, FailureClass.GRASP}


def test_every_end_but_success_has_a_failure_class():
    assert set(nouns.FAILURES) == set(ENDS) - {"succeeded"}


def test_outcomes_need_time(world, tries):
    with pytest.raises(BadInput, match="days"):
        nouns.make_outcomes(world, tries, "policy-a", Stage.PRODUCTION, START_NS, days=0.0)


def test_episodes_keep_failures_and_recoveries_and_say_what_is_simulated(world, shown):
    made = nouns.make_episodes(world, shown, START_NS, "session-1")
    assert [episode.succeeded for episode in made] == shown.kept.tolist()
    assert [episode.simulated for episode in made] == shown.simulated.tolist()
    assert any(episode.get_fact("recovered") == "yes" for episode in made)
    assert any(episode.failure for episode in made)
    assert len({episode.id for episode in made}) == len(made)
    assert {episode.operator for episode in made} <= {f"person-{k}" for k in range(1, 7)}
    assert made[3].stratum_with_site == made[3].stratum
    assert made[0].handled.startswith("sku-")
    assert nouns.make_episodes(world, shown, START_NS, "session-1") == made


def test_the_map_reads_back_as_the_preset(world):
    read = parse_deployment_map(
        map_text.write_deployment_toml(world), map_text.write_catalogue_csv(world), default_operations()["audit"]
    )
    assert len(read.skus) == 300
    assert [site.id for site in read.sites] == ["home", "harbour", "coldstore", "annex"]
    claimed: dict[str, float] = {}
    for exposure in read.exposures:
        name = str(exposure.stratum.only(world.strata.factors))
        claimed[name] = claimed.get(name, 0.0) + exposure.share
    for stratum, share in zip(world.strata.nouns, world.production(), strict=True):
        assert claimed.get(str(stratum), 0.0) == pytest.approx(share, abs=1e-6)


def test_the_catalogue_is_zipf_and_complete(world):
    rows = list(csv.DictReader(io.StringIO(map_text.write_catalogue_csv(world))))
    picks = [float(row["picks_per_week"]) for row in rows]
    assert picks == sorted(picks, reverse=True)
    assert {row["packaging"] for row in rows} == {"carton", "bottle", "polybag", "foil", "fragile"}
    assert picks[0] / picks[-1] > 20


def test_a_recording_has_every_stream_at_its_rate(world, shown):
    i = int(np.flatnonzero(shown.kept)[0])
    made = recording.record_demonstration(world, shown, i, START_NS, session="session-1")
    assert made.episode.id == nouns.make_episodes(world, shown, START_NS, "session-1")[i].id
    kinds = {name: stream.kind for name, stream in made.streams.items()}
    assert kinds == {
        "tool": StreamKind.POSE, "gripper": StreamKind.GRIPPER, "force": StreamKind.FORCE_TORQUE,
        "action": StreamKind.ACTION, "camera/wrist": StreamKind.RGB, "depth/wrist": StreamKind.DEPTH,
    }  # fmt: skip
    for stream in made.streams.values():
        assert (np.diff(stream.times_ns) > 0).all()
        step = np.median(np.diff(stream.times_ns)) / 1e9
        assert 1 / step == pytest.approx(stream.hz, rel=0.02)
    pose = made.streams["tool"].values
    assert np.linalg.norm(pose[:, 3:], axis=1) == pytest.approx(1.0)
    assert made.streams["force"].values[:, 2].min() < -8.0
    picture = next(iter(made.streams["camera/wrist"].pictures.frames([3])))
    depth = next(iter(made.streams["depth/wrist"].pictures.frames([3])))
    assert picture.dtype == np.uint8
    assert picture.shape == (48, 48, 3)
    assert 0.1 < np.nanmedian(depth) < 0.6


def test_lag_in_a_recording_is_in_the_pictures_not_in_the_stamps(world, shown):
    i = int(np.flatnonzero(shown.kept)[1])
    straight, lagged = (recording.record_demonstration(world, shown, i, START_NS, lag_s=lag) for lag in (0.0, 0.1))
    for name in straight.streams:
        assert (straight.streams[name].times_ns == lagged.streams[name].times_ns).all()
    now, late = (np.stack(list(made.streams["camera/wrist"].pictures.frames())) for made in (straight, lagged))
    assert not (now == late).all()


def test_a_try_that_failed_early_ends_early(world, tries):
    early, through = (int(np.flatnonzero(tries.end == end)[0]) for end in (ENDS.index("hit_item"), 0))
    short, long = (recording.record_try(world, tries, i, START_NS, policy="a").episode for i in (early, through))
    assert short.end_ns < long.end_ns
    assert not short.succeeded
    assert long.succeeded
