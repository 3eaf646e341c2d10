"""Real recordings: no finding that their authors could refute, and planted faults found among real motion."""

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import Case
from fieldloop.ingest import open_log
from fieldloop.model.finding import Status
from fieldloop.model.stream import NS_PER_S
from fieldloop.say.findings import write_finding
from fieldloop.testing.injuries.injury import change_stamps, change_stream, change_values
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.shared import find_shared_data

OURS = ("motion", "force", "adherence", "throughput")
SETS = {
    "lerobot-v20-gr1": "",
    "lerobot-v21-g1": "",
    "hdf5-robomimic": "robomimic_ph/dummy_data/lift_low_dim.hdf5",
    "hdf5-d4rl-adroit-human": "d4rl_adroit_pen/dummy_data/pen-human-v1.hdf5",
    "rlds-octo-bridge": "bridge_dataset",
    "ros1-bags": "rosbagjs/example-lz4.bag",
}


@cache
def recordings(name):
    folder = find_shared_data(name)
    if folder is None:
        pytest.skip(f"the shared data {name} are not on this machine")
    return tuple(islice(open_log(folder / SETS[name]).recordings, 2))


def first(name):
    return Case(recordings(name)[0])


@pytest.mark.parametrize("name", SETS)
def test_no_alarm_on_real_recordings(name):
    for recording in recordings(name):
        case = Case(recording)
        findings = check.judge_measurements(check.measure_episode(case, pixels=False), case.protocol, named=True)
        bad = [f for f in findings if f.check.split(".")[0] in OURS and f.status in (Status.FAILED, Status.ERRORED)]
        assert [write_finding(f) for f in bad] == []


@pytest.mark.parametrize("name", ["lerobot-v20-gr1", "lerobot-v21-g1"])
@pytest.mark.parametrize("moved_s", [-0.7, 0.3])
def test_a_planted_lag_is_recovered_from_real_motion(name, moved_s):
    case = first(name)
    shifted = change_stamps(case, "action", lambda times: times - round(moved_s * NS_PER_S))
    before, after = (
        measure_by_subject("motion.action_follows_state", one)["action ↔ joints"] for one in (case, shifted)
    )
    slack = before.high - before.low + 0.01
    assert after.value == pytest.approx(before.value + moved_s, abs=slack)


def test_a_copied_state_is_found_in_a_real_recording():
    case = first("lerobot-v21-g1")
    joints = case.recording.streams["joints"]
    copied = change_stream(case, "action", values=np.array(joints.values))
    assert measure_by_subject("motion.action_copies_state", copied)["action ↔ joints"].value > 10


def test_degrees_are_found_in_a_real_recording():
    def degrees(values):
        values *= 180 / np.pi

    case = change_values(first("lerobot-v21-g1"), "joints", degrees)
    assert measure_by_subject("motion.joint_limit", case)["joints"].value > 0.9
    assert measure_by_subject("motion.teleport", case)["joints"].value > 12


def test_a_wait_before_real_motion_is_proposed_for_trimming():
    case = first("lerobot-v21-g1")
    waited = {}
    for name in ("joints", "action"):
        stream = case.recording.streams[name]
        times = np.concatenate([stream.times_ns[0] - np.arange(300, 0, -1) * NS_PER_S // 30, stream.times_ns])
        values = np.concatenate([np.repeat(stream.values[:1], 300, axis=0), stream.values])
        waited[name] = replace(stream, clocks={stream.clock: times}, values=values)
    longer = Case(replace(case.recording, streams=waited))
    found = measure_by_subject("motion.idle_head", longer)[""]
    assert found.value == pytest.approx(10, abs=0.2)
    assert found.fix is not None
