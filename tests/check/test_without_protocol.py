"""Data that name no protocol fail only on evidence that no reading explains; all else beyond a limit is a warning."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import Case
from fieldloop.check.judging import is_protocol_named, judge_measurement, note_unnamed_episodes
from fieldloop.check.signals.sensed import Evidence, explain_missing_evidence
from fieldloop.errors import ProtocolError
from fieldloop.model.episode import Defect, Episode, Harm, Recording
from fieldloop.model.finding import BEYOND, Measured, Measurement, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.provenance import ASSUMPTION_NOTES, StreamFact
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD, SENDERS
from fieldloop.protocol import default_protocol, parse_protocol
from fieldloop.report.check.causes import group_by_cause
from fieldloop.say.findings import write_finding

ROWS, REAL_NS = 500, 1_700_000_000 * NS_PER_S
LIMITS = default_protocol().limits


def make_stream(kind=StreamKind.IMU, start_ns=REAL_NS, name="imu", notes=None, clock=ClockKind.HEADER):
    times = start_ns + np.arange(ROWS, dtype=np.int64) * (NS_PER_S // 20)
    values = np.cumsum(np.random.default_rng(0).normal(0, 0.01, (ROWS, 3)), axis=0)
    return Stream(name, kind, "rad", {clock: times}, values, notes=notes or {})


def make_case(*streams, defects=(), protocol=""):
    first, last = min(s.times_ns[0] for s in streams), max(s.times_ns[-1] for s in streams)
    episode = Episode("a" * 64, "log", "mcap", start_ns=int(first), end_ns=int(last), protocol=protocol)
    return Case(Recording(episode, {one.name: one for one in streams}, tuple(defects)), default_protocol())


def judge(case):
    named = is_protocol_named((case.episode,), case.protocol)
    return check.judge_measurements(check.measure_episode(case), case.protocol, named=named)


def find_statuses(case, name):
    return {one.status for one in judge(case) if one.check == name}


def with_gap(stream, seconds):
    times = stream.times_ns.copy()
    times[ROWS // 2 :] += round(seconds * NS_PER_S)
    return replace(stream, clocks={stream.clock: times})


def test_beyond_the_usual_limit_alone_is_a_warning_that_states_the_number():
    finding = next(f for f in judge(make_case(with_gap(make_stream(), 0.5))) if f.check == "timing.longest_gap")
    assert finding.status is Status.CANNOT_TELL
    assert finding.counts
    assert finding.reason.code == BEYOND
    assert finding.measured == 10
    assert "No protocol is named" in write_finding(finding)
    assert "at most 1" in write_finding(finding)


def test_beyond_what_any_reading_explains_it_fails():
    assert find_statuses(make_case(with_gap(make_stream(), 2.0)), "timing.longest_gap") == {Status.FAILED}


@pytest.mark.parametrize(
    "stream",
    [
        make_stream(StreamKind.ACTION),
        make_stream(StreamKind.POSE),
        make_stream(start_ns=0),
        make_stream(clock=ClockKind.LOG),
        make_stream(notes={SENDERS: "2"}),
        make_stream(notes={ASSUMPTION_NOTES[StreamFact.MEANING]: "by its name"}),
        make_stream(notes={ASSUMPTION_NOTES[StreamFact.CLOCK]: "a transform"}),
        make_stream(notes={NOT_UNDERSTOOD: "nothing states it"}),
    ],
    ids=["command", "pose", "simulated", "arrival", "senders", "meaning", "transform", "unknown"],
)
def test_only_the_clock_of_a_sensor_is_evidence(stream):
    case = make_case(with_gap(stream, 2.0))
    assert explain_missing_evidence(case, "imu", Evidence.CLOCK)
    assert Status.FAILED not in find_statuses(case, "timing.longest_gap")


@pytest.mark.parametrize("seconds", [0.5, 2.0])
def test_a_named_protocol_fails_all_of_it(seconds):
    for stream in (make_stream(), make_stream(StreamKind.POSE), make_stream(start_ns=0)):
        case = make_case(with_gap(stream, seconds), protocol="pick v1")
        assert find_statuses(case, "timing.longest_gap") == {Status.FAILED}


def test_a_protocol_of_ones_own_is_named():
    episode = make_case(make_stream()).episode
    assert not is_protocol_named((episode,), default_protocol())
    assert is_protocol_named((replace(episode, protocol="pick v1"),), default_protocol())
    own = parse_protocol("[check.timing.longest_gap]\nmax = 2")
    assert is_protocol_named((episode,), own)
    empty = parse_protocol("[protocol]\nname = 'pick'\nversion = 1")
    assert empty.fingerprint == default_protocol().fingerprint
    assert is_protocol_named((episode,), empty), "a person wrote it, so it is named, even without numbers of its own"


def test_a_set_is_judged_in_full_only_where_every_episode_names_a_protocol():
    episode = make_case(make_stream()).episode
    both = (episode, replace(episode, protocol="pick v1"))
    assert not is_protocol_named(both, default_protocol())
    assert is_protocol_named(both[1:] * 2, default_protocol())
    assert not is_protocol_named((), default_protocol())
    far = Measured("timing.longest_gap", (Measurement(Subject("imu"), 2.0),))
    for some, text in ((both, "No protocol is named by 1 of 2 episodes, so"), (both[:1], "No protocol is named, so")):
        why = note_unnamed_episodes(some)
        (found,) = check.judge_measurements([far], default_protocol(), named=False, why_open=why)
        assert found.status is Status.CANNOT_TELL
        assert found.reason.code == BEYOND
        assert text in write_finding(found)


def test_missing_numbers_of_a_known_stream_fail_without_protocol():
    stream = make_stream(StreamKind.POSE)
    values = stream.values.copy()
    values[5] = np.nan
    assert find_statuses(make_case(replace(stream, values=values)), "integrity.not_finite") == {Status.FAILED}


def test_a_reason_beside_the_missing_evidence_is_kept():
    held = note("check.generated_stamps")
    lacks = note("check.not_a_sensor", stream="imu")
    one = Measurement(Subject("imu"), 0.0, cannot_tell=held, unproven=lacks)
    limit = LIMITS["timing.longest_gap"]
    assert judge_measurement(one, limit, named=True) is judge_measurement(one, limit, named=False) is Status.CANNOT_TELL
    plain = replace(one, cannot_tell=None)
    assert judge_measurement(plain, limit, named=False) is Status.PASSED
    far = replace(plain, value=99.0)
    assert judge_measurement(far, limit, named=True) is Status.FAILED
    assert judge_measurement(far, limit, named=False) is Status.CANNOT_TELL


def test_an_interval_fails_only_where_it_is_wholly_beyond_the_wider_limit():
    limit = LIMITS["timing.clock_drift"]
    for low, high, expected in ((30.0, 40.0, Status.CANNOT_TELL), (40.0, 60.0, Status.CANNOT_TELL), (60, 70, "failed")):
        one = Measurement(Subject("imu"), (low + high) / 2, low=low, high=high)
        assert judge_measurement(one, limit, named=False) is Status(expected)
        assert judge_measurement(one, limit, named=True) is Status.FAILED


def test_a_limit_without_protocol_is_never_stricter():
    for name, limit in LIMITS.items():
        apart = limit.without_protocol
        if apart is not None:
            assert apart.unit == limit.unit
            assert limit.maximum is None or apart.maximum >= limit.maximum, name
            assert limit.minimum is None or apart.minimum <= limit.minimum, name


def test_a_protocol_of_ones_own_cannot_state_a_limit_for_data_without_one():
    with pytest.raises(ProtocolError, match="without_protocol"):
        parse_protocol("[check.timing.longest_gap.without_protocol]\nmax = 3")


@pytest.mark.parametrize("protocol", ["", "pick v1"])
def test_what_a_reader_could_not_do_is_named_and_keeps_from_passing(protocol):
    unclear = Defect("/a", "", note("ingest.link_not_followed", target="b.h5"), Harm.UNCLEAR)
    case = make_case(make_stream(), defects=[unclear], protocol=protocol)
    found = [f for f in judge(case) if f.check == "integrity.readable"]
    assert [(f.status, f.counts) for f in found] == [(Status.CANNOT_TELL, True)]
    assert "link" in write_finding(found[0])


def test_one_defect_of_several_streams_is_one_finding():
    gone = note("ingest.declared_but_missing", part="camera", missing="video")
    defects = [Defect(name, "meta/info.json", gone) for name in ("top", "wrist", "side")]
    found = [f for f in judge(make_case(make_stream(), defects=defects)) if f.check == "integrity.readable"]
    assert len(found) == 1
    assert found[0].status is Status.FAILED
    assert "wrist and side" in write_finding(found[0])


def test_warnings_of_one_cause_are_one_line():
    streams = [with_gap(make_stream(name=name), 0.5) for name in ("imu", "joints", "force")]
    case = make_case(*streams)
    named = check.make_episode_report(case.episode, judge(case))
    gaps = [cause for cause in group_by_cause([named]).warnings if cause.check == "timing.longest_gap"]
    assert len(gaps) == 1
    assert named.status is Status.CANNOT_TELL
