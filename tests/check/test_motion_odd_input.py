"""Streams nobody should write: no check of motion, force or adherence breaks on them, and none passes by accident."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.model.finding import Status
from fieldloop.say.findings import write_finding
from fieldloop.testing.injuries.injury import keep_samples
from fieldloop.testing.synthetic import make_healthy_case, make_healthy_recording, replace_streams

OURS = ("motion", "force", "adherence", "throughput")
NUMBERS = [name for name, stream in make_healthy_recording().streams.items() if stream.values is not None]


def some_nan(stream):
    values = np.array(stream.values)
    values[::7] = np.nan
    return replace(stream, values=values)


def infinite(stream):
    values = np.array(stream.values)
    values[3::50, 0] = np.inf
    return replace(stream, values=values)


def reverse(stream):
    clocks = {kind: times[::-1].copy() for kind, times in stream.clocks.items()}
    return replace(stream, clocks=clocks)


def same_stamp(stream):
    return replace(stream, clocks={kind: np.full_like(times, times[0]) for kind, times in stream.clocks.items()})


def flat(stream):
    return replace(stream, values=np.zeros_like(stream.values), columns=())


def one_column(stream):
    return replace(stream, values=stream.values[:, :1], columns=stream.columns[:1])


def three_axes(stream):
    return replace(stream, values=np.repeat(stream.values[:, :, None], 2, axis=2))


SPOIL = {
    "some nan": some_nan,
    "all nan": lambda s: replace(s, values=np.full_like(s.values, np.nan)),
    "infinite": infinite,
    "backwards": reverse,
    "one stamp": same_stamp,
    "constant": flat,
    "one sample": lambda s: keep_samples(s, np.array([0])),
    "five samples": lambda s: keep_samples(s, np.arange(5)),
    "one column": one_column,
    "three axes": three_axes,
    "whole numbers": lambda s: replace(s, values=s.values.astype(np.int32)),
    "yes and no": lambda s: replace(s, values=s.values > 0.1),
    "words": lambda s: replace(s, values=np.full((len(s), 1), "x")),
    "no columns": lambda s: replace(s, columns=()),
    "no unit": lambda s: replace(s, unit=""),
}


@pytest.mark.parametrize("how", SPOIL)
@pytest.mark.filterwarnings("error")
def test_no_check_breaks_on_a_spoilt_recording(how):
    made = make_healthy_recording()
    everything = replace_streams(made, {name: SPOIL[how](made.streams[name]) for name in NUMBERS})
    case = make_healthy_case(recording=everything)
    findings = check.judge_measurements(check.measure_episode(case, pixels=False), case.protocol, named=True)
    assert [write_finding(f) for f in findings if f.check.split(".")[0] in OURS and f.status is Status.ERRORED] == []
    check.take_imprint(case, pixels=False)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("how", ["all nan", "one sample", "three axes", "words"])
def test_no_check_breaks_on_one_spoilt_stream(name, how):
    made = make_healthy_recording()
    case = make_healthy_case(recording=replace_streams(made, {name: SPOIL[how](made.streams[name])}))
    ours = [one for full, one in check.CHECKS.items() if full.split(".")[0] in OURS]
    for one in ours:
        if not case.find_missing_input(one.needs):
            list(one.look(case))


def test_a_recording_of_pictures_alone_tells_nothing_of_motion():
    made = make_healthy_recording()
    case = make_healthy_case(recording=replace_streams(made, dict.fromkeys(NUMBERS)))
    findings = check.judge_measurements(check.measure_episode(case, pixels=False), case.protocol, named=True)
    told_without = {"adherence.operator_recorded", "adherence.outcome_labelled", "adherence.phases"}
    passed = {f.check for f in findings if f.check.split(".")[0] in OURS and f.status is Status.PASSED}
    assert passed == told_without


def test_an_imprint_is_small_and_finite():
    kept = check.take_imprint(make_healthy_case(), pixels=False).arrays
    ours = {
        name: array for name, array in kept.items() if name.split("/")[0] in ("start", "grasp", "approach", "speed")
    }
    assert len(ours) >= 14
    assert sum(array.nbytes for array in ours.values()) < 4000
    assert all(np.isfinite(array).all() for array in ours.values())
    assert np.linalg.norm(kept["approach/tool"]) == pytest.approx(1.0, abs=1e-6)
    assert kept["grasp/tool/tool"][2] == pytest.approx(0.10, abs=0.005)
    assert kept["start/tool/tool"][2] == pytest.approx(0.38, abs=1e-3)
