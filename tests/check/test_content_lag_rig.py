"""The lag of a rig from what was kept of its episodes, and rendered rigs whose lag is known exactly."""

from dataclasses import replace

import pytest
from bench.timing_truth import make_episode, rigs

from fieldloop.check.batch.alignment import measure_rig_lag
from fieldloop.check.batch_case import Batch
from fieldloop.check.case import Case
from fieldloop.check.content_lag import collect_lag_evidence, estimate_pooled_lag, read_content_lag_settings
from fieldloop.check.imprint.lag import imprint_lag_evidence
from fieldloop.check.judging import judge_measurement
from fieldloop.loop.ship import release_evidence
from fieldloop.model.finding import Status
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import Subject
from fieldloop.protocol import default_protocol
from fieldloop.testing.panning import record_panning_camera

LIMIT = default_protocol().limits["batch.content_lag"]


def batch_of(recordings):
    imprints = {
        r.episode.id: Imprint({f"lag/{key}": array for key, array in imprint_lag_evidence.take(Case(r)).items()})
        for r in recordings
    }
    return Batch(tuple(r.episode for r in recordings), imprints=imprints)


@pytest.mark.parametrize(("lag_ms", "status"), [(0.0, Status.PASSED), (8.0, Status.FAILED)])
def test_a_rig_is_judged_by_what_was_kept_of_its_episodes(lag_ms, status):
    (measurement,) = measure_rig_lag.look(batch_of([record_panning_camera(seed, lag_ms=lag_ms) for seed in range(3)]))
    assert measurement.about == Subject(stream="camera/panning", rig="panner")
    assert measurement.low <= lag_ms <= measurement.high
    assert judge_measurement(measurement, LIMIT, named=True) is status


def test_a_lag_is_attributed_to_its_own_camera_whatever_it_is_called(monkeypatch):
    """From the pictures to the evidence of a release: `camera/left arm` is not 'arm', nor `camera/left`."""
    recordings = [renamed(record_panning_camera(seed, lag_ms=8.0), "camera/left arm") for seed in range(3)]
    batch = batch_of(recordings)
    (measurement,) = measure_rig_lag.look(batch)
    assert measurement.about == Subject(stream="camera/left arm", rig="panner")
    monkeypatch.setattr(release_evidence, "read_imprints", lambda *_: batch.imprints)
    (kept,) = release_evidence._estimate_lags(None, batch.episodes, default_protocol())
    assert (kept.rig, kept.stream) == ("panner", "camera/left arm")
    assert (kept.low_ms, kept.high_ms) == (measurement.low, measurement.high)


def renamed(recording, name):
    streams = {
        (name if stream == "camera/panning" else stream): (replace(s, name=name) if stream == "camera/panning" else s)
        for stream, s in recording.streams.items()
    }
    return replace(recording, streams=streams)


def test_two_robots_are_two_rigs():
    first, second = record_panning_camera(0), record_panning_camera(1, lag_ms=30.0)
    other = replace(second, episode=replace(second.episode, robot="another"))
    found = list(measure_rig_lag.look(batch_of([first, other])))
    assert [m.about.rig for m in found] == ["another", "panner"]
    assert found[0].value == pytest.approx(30.0, abs=2.0)
    assert found[1].value == pytest.approx(0.0, abs=2.0)


def test_nothing_kept_is_nothing_measured():
    assert list(measure_rig_lag.look(Batch((record_panning_camera(0, seconds=2.0).episode,)))) == []


@pytest.mark.soak
@pytest.mark.parametrize(("name", "camera"), [("elbow-front", "camera/wrist"), ("pair-bench", "camera/external")])
@pytest.mark.parametrize(("motion", "answered"), [("pick", True), ("slow6", False), ("still", False)])
def test_a_rendered_rig_is_estimated_right_or_refused(name, camera, motion, answered):
    """Two episodes: of this length, one alone is mostly too uncertain to judge."""
    numbers = read_content_lag_settings(default_protocol())
    made = [
        make_episode(rigs.DEVELOPMENT[name], seed, motion=motion, lag_ms=-23.0, cameras=[camera]).recording.streams
        for seed in (31, 32)
    ]
    found = estimate_pooled_lag([collect_lag_evidence(s[camera], list(s.values()), numbers) for s in made], numbers)
    assert found.has_estimate is answered
    assert not answered or found.low_s <= -0.023 <= found.high_s
