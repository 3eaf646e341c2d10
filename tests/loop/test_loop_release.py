"""Freezing a release: what is put right is looked at once more, and the split keeps apart what belongs together."""

import shutil
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fieldloop.check import judge_measurements, measure_batch
from fieldloop.errors import Refused, UnknownName
from fieldloop.loop.data import ingest
from fieldloop.loop.data.measurements import assemble_batch, collect_measuring_rules, store_results
from fieldloop.loop.house import setup
from fieldloop.loop.ship import verify_fixes as mending
from fieldloop.loop.ship.release import freeze_release, note_held_back_episodes, write_release_datasheet
from fieldloop.loop.work.measure_part import EpisodeResult
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.event import CalibrationAttached, DeploymentMapped, EpisodeAnnotated, EpisodeJudged, LogIngested
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import NO_SUBJECT, note
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import PHASES
from fieldloop.release.writers import write_mcap
from fieldloop.testing import synthetic
from fieldloop.testing.batches import Shape, get_batch_protocol, make_healthy_batch
from fieldloop.testing.injuries.injury import change_imprints

IDLE = note("check.fix_idle_head")

HERE = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))
SPLIT_CHECKS = ("corpus.split_leaks", "corpus.split_representative")


def settled(folder):
    """Open a new workspace with a map, so that releases may be frozen."""
    setup.init(folder)
    opened = open_workspace(folder)
    opened.write(DeploymentMapped(Deployment("d", "pick", (), (), measured=(Exposure(Stratum.of(), 1.0),))))
    return opened


def annotated(episode):
    step = (episode.end_ns - episode.start_ns) // len(PHASES)
    spans = tuple(
        Annotation(episode.id, "phase", name, episode.start_ns + k * step, episode.start_ns + (k + 1) * step, "anna")
        for k, name in enumerate(PHASES)
    )
    return EpisodeAnnotated(episode.id, "phase", "anna", spans)


def accuse(workspace, episode, fix, check="motion.idle_head"):
    """Write a verdict down in which one finding with this fix stands against an episode."""
    (last,) = workspace.store.find(EpisodeReport, {"episode": episode.id})
    against = Finding(check, NO_SUBJECT, Status.FAILED, 9.0, None, 2.0, "s", fix=fix)
    findings = (*(f for f in last.findings if f.check != check), against)
    workspace.write(EpisodeJudged("planted", replace(last, status=Status.FAILED, findings=findings)))


@pytest.fixture(scope="module")
def taken_in(tmp_path_factory):
    """Take two healthy logs in, once for the tests of all files: each works on a copy."""
    return take_in_once(tmp_path_factory.getbasetemp() / "taken-in")


@cache
def take_in_once(folder):
    """Take the logs in below a folder of this process."""
    site = settled(folder / "site")
    for sensor in ("camera/overhead", "camera/wrist"):
        made = Calibration(
            f"of {sensor}", "extrinsic", "arm-1", sensor, "base", sensor, HERE, "park", 0.5, 0.1, 20, Status.PASSED,
            valid_from_ns=synthetic.START_NS - NS_PER_S,
        )  # fmt: skip
        site.write(CalibrationAttached(made))
    write_mcap(
        [synthetic.make_healthy_recording(seed=seed, session=f"session-{seed}") for seed in range(2)], folder / "logs"
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ingest, "run_each", lambda work, items, **_: map(work, items))
        ingest.ingest_logs(site, (folder / "logs",))
    site.write(*(annotated(episode) for episode in site.store.find(Episode)))
    site.close()
    return folder / "site"


@pytest.fixture
def recorded(taken_in, tmp_path):
    shutil.copytree(taken_in, tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    yield opened
    opened.close()


def test_what_is_put_right_is_looked_at_once_more(recorded, monkeypatch):
    good, bad = recorded.store.find(Episode)
    start = good.start_ns + NS_PER_S // 4
    accuse(recorded, good, Fix(FixKind.TRIM, IDLE, start_ns=start))
    accuse(recorded, bad, Fix(FixKind.TRIM, IDLE, end_ns=bad.start_ns + NS_PER_S))
    looked = []
    real = mending.measure_recording
    monkeypatch.setattr(
        mending, "measure_recording", lambda r, s, **how: looked.append((r.episode.id, how)) or real(r, s, **how)
    )
    frozen = freeze_release(recorded, "r1", fix=(FixKind.TRIM,), override="no device is declared")
    assert frozen.episodes == (good.id,)
    assert dict(frozen.excluded)[bad.id].code == "release.not_passed_repaired"
    assert "after its fixes" in write_release_datasheet(recorded, "r1")
    assert sorted(looked) == sorted([(e.id, {"pixels": False}) for e in (good, bad)]), "no picture is decoded for a cut"
    (mended,) = Reopened(recorded, [good], release=frozen)
    assert mended.episode.start_ns == start
    assert freeze_release(recorded, "r1", fix=(FixKind.TRIM,)) == frozen, "what is frozen is not asked again"


def refuse(*_):
    raise Refused("camera has a clock of its own")


def test_what_cannot_be_put_right_stays_out_with_the_reason(recorded, monkeypatch):
    good, bad = recorded.store.find(Episode)
    accuse(recorded, bad, Fix(FixKind.TRIM, IDLE, start_ns=bad.start_ns + NS_PER_S))
    monkeypatch.setattr(mending, "apply_fixes", refuse)
    frozen = freeze_release(recorded, "r1", fix=(FixKind.TRIM,), override="no device is declared")
    assert (frozen.episodes, frozen.fixes) == ((good.id,), ())
    assert dict(frozen.excluded) == {bad.id: note("release.cannot_be_repaired", error="camera has a clock of its own")}


def test_a_moved_clock_is_looked_at_with_its_pictures(recorded, monkeypatch):
    _, moved = recorded.store.find(Episode)
    accuse(recorded, moved, Fix(FixKind.RESTAMP, IDLE, "camera/wrist", shift_ns=400 * NS_PER_S), "timing.offset")
    seen = []
    real = mending.measure_recording
    monkeypatch.setattr(mending, "measure_recording", lambda r, s, **how: seen.append(how) or real(r, s, **how))
    frozen = freeze_release(recorded, "r1", fix=(FixKind.RESTAMP,), override="no device is declared")
    assert seen == [{"pixels": True}]
    assert dict(frozen.excluded)[moved.id].code == "release.not_passed_repaired"


@pytest.fixture(scope="module")
def doubled():
    """A healthy batch in which the first episodes of every session were copied from the session before."""
    batch = make_healthy_batch(Shape(24, 8))
    ways = [batch.find_imprint(e.id).arrays["way/joints"] for e in batch.episodes]
    odd = {i for i, e in enumerate(batch.episodes) if int(e.session.removeprefix("session-")) % 2 and i % 8 < 2}
    return change_imprints(batch, "way/joints", lambda i, a: ways[i - 8] + np.float32(1e-5) if i in odd else a)


@pytest.fixture
def collected(tmp_path, doubled):
    site = settled(tmp_path / "site")
    rules = collect_measuring_rules(site)
    looked = [EpisodeResult(e, doubled.measured[e.id], doubled.find_imprint(e.id)) for e in doubled.episodes]
    log = Log(Blob("ab" * 32, 1), "all.mcap", "mcap", tuple(e.id for e in doubled.episodes))
    site.write(LogIngested(log, doubled.episodes), *store_results(site, looked, rules))
    passed = Finding("timing.jitter", NO_SUBJECT, Status.PASSED, 0.1, None, 1.0, "ms")
    reports = [EpisodeReport(e.id, e.name, Status.PASSED, (passed,)) for e in doubled.episodes]
    site.write(*(EpisodeJudged("p", report) for report in reports), *map(annotated, doubled.episodes))
    yield site
    site.close()


def split_verdicts(workspace, frozen):
    episodes = workspace.store.find(Episode, {"id": list(frozen.episodes)})
    batch = assemble_batch(workspace, [(e, ()) for e in episodes], get_batch_protocol())
    found = judge_measurements(measure_batch(batch), batch.protocol, named=True)
    return {(f.check, f.subject): f for f in found if f.check in SPLIT_CHECKS}


def test_a_frozen_split_passes_the_split_checks(collected):
    frozen = freeze_release(collected, "r1")
    assert 0.1 < len(frozen.validation) / len(frozen.episodes) < 0.4
    found = split_verdicts(collected, frozen)
    assert {(key, f.status) for key, f in found.items() if f.status is not Status.PASSED} == set()
    assert found["corpus.split_leaks", "nearly the same"].measured == 0


def test_operators_are_kept_apart_where_asked(collected, doubled):
    operators = {e.id: e.operator for e in doubled.episodes}
    usual = freeze_release(collected, "r1")
    assert {operators[e] for e in usual.train} & {operators[e] for e in usual.validation}
    apart = freeze_release(collected, "r2", apart=("operator", "session"))
    assert apart.validation
    assert not {operators[e] for e in apart.train} & {operators[e] for e in apart.validation}
    with pytest.raises(UnknownName, match="operatr"):
        freeze_release(collected, "r3", apart=("operatr",))


def test_a_refused_episode_names_the_fix_that_would_let_it_in(collected):
    (episode, *_) = collected.store.find(Episode)
    fix = Fix(FixKind.RESTAMP, IDLE, "camera")
    against = Finding("timing.clock_offset", NO_SUBJECT, Status.FAILED, 9.0, None, 2.0, "s", fix=fix)
    other = replace(against, check="motion.idle_head", fix=None)
    for findings, code, expected in (
        ((against,), "release.not_passed", "--fix restamp"),
        ((against, other), "release.not_passed", None),
        ((against,), "release.not_passed_repaired", None),
    ):
        report = EpisodeReport(episode.id, episode.name, Status.FAILED, findings)
        why = note(code, check=against.check, status="failed", finding=IDLE)
        (held,) = note_held_back_episodes(collected, [episode], [(episode.id, why)], {episode.id: report})
        assert dict(held.numbers).get("fixes") == expected
