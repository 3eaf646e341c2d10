"""Clocks with a planted fault: the check finds exactly what was planted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.check import CHECKS, Case
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.testing.injuries.injury import drop_samples
from fieldloop.testing.synthetic import healthy_case

MS = 1_000_000


def case_of(*streams):
    return Case(Recording(Episode("id", "name", "test"), {s.name: s for s in streams}))


def stream(name, times_ms, kind=StreamKind.IMU, clock=ClockKind.HEADER, **more):
    times = (np.asarray(times_ms, float) * MS).round().astype(np.int64)
    return Stream(name, kind, "", {clock: times}, np.zeros((len(times), 1)), **more)


def answer(check, case):
    return {m.subject: m for m in CHECKS[check].look(case)}


@pytest.mark.parametrize("lost", [1, 2, 7])
def test_lost_samples_are_counted(lost):
    found = answer("timing.longest_gap", drop_samples(healthy_case(), count=lost))["force"]
    assert found.value == lost
    assert found.place == "at 3.75 s"


def test_a_late_bunch_is_no_loss():
    times = np.arange(0, 1000, 10.0)
    times[50:54] = [530.0, 531.0, 532.0, 533.0]  # four samples arrive together, none is missing
    assert answer("timing.longest_gap", case_of(stream("imu", times)))["imu"].value == 0


def test_a_stream_that_falls_silent_missed_the_rest():
    steady, dying = stream("force", np.arange(0, 10_000, 10.0)), stream("imu", np.arange(0, 7_000, 10.0))
    found = answer("timing.longest_gap", case_of(steady, dying))
    assert found["force"].value == 0
    assert found["imu"].value == pytest.approx((3000 - 500) / 10, abs=1)  # less the half second streams may differ by
    assert "ends early" in found["imu"].place


def test_a_stream_that_wakes_late_missed_the_beginning():
    steady, late = stream("force", np.arange(0, 10_000, 10.0)), stream("imu", np.arange(2_000, 10_000, 10.0))
    assert "begins late" in answer("timing.longest_gap", case_of(steady, late))["imu"].place


def test_commands_sent_on_change_have_no_period_to_miss():
    times = np.cumsum(np.random.default_rng(0).exponential(200, 50))
    assert answer("timing.longest_gap", case_of(stream("action", times, StreamKind.ACTION))) == {}
    assert answer("timing.jitter", case_of(stream("action", times, StreamKind.ACTION))) == {}


def test_log_lines_and_the_like_are_not_held_to_a_rhythm():
    noise = stream("rosout", [0, 1, 500, 501, 502, 9000], StreamKind.OTHER)
    for name in ("timing.longest_gap", "timing.jitter", "timing.not_monotonic", "timing.stream_offset"):
        assert answer(name, case_of(noise, stream("imu", np.arange(0, 100, 10.0)))).keys() <= {"imu"}


def test_made_up_stamps_prove_nothing_but_a_gap_in_them_is_one():
    whole = stream("joints", np.arange(0, 1000, 10.0), StreamKind.JOINT_POSITION, ClockKind.SYNTHETIC)
    torn = replace(
        whole, clocks={ClockKind.SYNTHETIC: np.delete(whole.times_ns, slice(50, 60))}, values=np.zeros((90, 1))
    )
    assert answer("timing.longest_gap", case_of(whole))["joints"].cannot_tell
    assert answer("timing.longest_gap", case_of(torn))["joints"].value == 10


@pytest.mark.parametrize("share", [0.0, 0.2, 0.45])
def test_jitter_is_the_deviation_from_the_period(share):
    times = np.arange(0, 4000, 10.0)
    times[1::4] += 10 * share
    assert answer("timing.jitter", case_of(stream("imu", times)))["imu"].value == pytest.approx(share, abs=0.01)


def test_gaps_are_not_jitter():
    times = np.delete(np.arange(0, 4000, 10.0), slice(100, 150))
    assert answer("timing.jitter", case_of(stream("imu", times)))["imu"].value == 0


@pytest.mark.parametrize(("really", "declared"), [(22.0, 30.0), (30.0, 30.0), (60.0, 30.0)])
def test_rate_is_told_against_the_declared_one(really, declared):
    case = case_of(stream("camera", np.arange(100) * 1000 / really, StreamKind.RGB, nominal_hz=declared))
    assert answer("timing.rate", case)["camera"].value == pytest.approx(really / declared, rel=1e-4)


def test_a_clock_that_runs_backwards_is_counted_where_it_first_does():
    times = np.arange(0, 1000, 10.0)
    times[30], times[70] = times[29] - 1, times[69] - 5
    found = answer("timing.not_monotonic", case_of(stream("imu", times)))["imu"]
    assert (found.value, found.place) == (2, "first at 0.29 s")


# ── offset between streams


def offset(one, other):
    (found,) = answer("timing.stream_offset", case_of(one, other)).values()
    return found


@pytest.mark.parametrize("shift", [0.0, 3.0, 11.0])
def test_the_offset_of_two_streams_of_one_rate_is_their_shift(shift):
    grid = np.arange(0, 3000, 33.0)
    assert offset(stream("a", grid), stream("b", grid + shift)).value == pytest.approx(shift)


def test_a_faster_stream_has_a_partner_within_half_its_period():
    slow, fast = np.arange(0, 10_000, 33.3), np.arange(0, 10_000, 10.0)
    found = offset(stream("a", slow), stream("b", fast)).value
    assert 4.5 < found <= 5.0


@given(st.lists(st.integers(0, 100_000), min_size=5, max_size=60, unique=True), st.integers(5, 60))
def test_the_offset_is_what_counting_by_hand_gives(slow, count):
    slow, fast = np.sort(slow), np.linspace(0, 100_000, count * 3)
    if len(fast) < len(slow):
        return
    found = offset(stream("a", slow), stream("b", fast))
    slow_ns, fast_ns = ((np.asarray(t, float) * MS).round().astype(np.int64) for t in (slow, fast))
    by_hand = [min(abs(int(t) - int(u)) for u in fast_ns) / MS for t in slow_ns]
    rate = {n: (len(t) - 1) / (t[-1] - t[0]) for n, t in (("a", slow_ns), ("b", fast_ns))}
    if rate["a"] < rate["b"]:  # the slower one's samples look for partners
        assert found.value == pytest.approx(np.percentile(by_hand, 99), abs=1e-6)


def test_only_the_overlap_is_looked_at():
    early, late = np.arange(0, 5000, 10.0), np.arange(2000, 7000, 10.0)
    assert offset(stream("a", early), stream("b", late)).value == 0


def test_streams_that_never_meet_are_far_apart():
    found = offset(stream("a", np.arange(0, 1000, 10.0)), stream("b", np.arange(5000, 6000, 10.0)))
    assert found.value == pytest.approx(5000 - 990)
    assert "never overlap" in found.place


def test_made_up_stamps_cannot_tell_an_offset():
    real = stream("a", np.arange(0, 1000, 10.0))
    made_up = stream("b", np.arange(0, 1000, 10.0), clock=ClockKind.SYNTHETIC)
    assert "made up" in offset(real, made_up).cannot_tell


def test_the_best_clock_that_both_share_is_used():
    times = (np.arange(0, 1000, 10.0) * MS).astype(np.int64)
    one = Stream("a", StreamKind.IMU, "", {ClockKind.HEADER: times, ClockKind.LOG: times + 8 * MS})
    other = Stream("b", StreamKind.IMU, "", {ClockKind.LOG: times + 9 * MS})
    found = offset(one, other)
    assert found.value == pytest.approx(1.0)
    assert "log clock" in found.place
