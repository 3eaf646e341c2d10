"""Clocks with a planted fault: the check finds exactly what was planted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.check import CHECKS, Case
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.say import write_sentence
from fieldloop.testing.injuries.injury import change_stream, drop_samples
from fieldloop.testing.synthetic import START_NS, make_healthy_case

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
    found = answer("timing.longest_gap", drop_samples(make_healthy_case(), count=lost))["force"]
    assert found.value == lost
    assert write_sentence(found.place) == "at 3.75 s"


def test_a_late_bunch_is_no_loss():
    times = np.arange(0, 1000, 10.0)
    times[50:54] = [530.0, 531.0, 532.0, 533.0]  # four samples arrive together, none is missing
    assert answer("timing.longest_gap", case_of(stream("imu", times)))["imu"].value == 0


def test_a_stream_that_falls_silent_missed_the_rest():
    steady, dying = stream("force", np.arange(0, 10_000, 10.0)), stream("imu", np.arange(0, 7_000, 10.0))
    found = answer("timing.longest_gap", case_of(steady, dying))
    assert found["force"].value == 0
    assert found["imu"].value == pytest.approx((3000 - 500) / 10, abs=1)  # less the half second streams may differ by
    assert found["imu"].place.code == "check.ends_early"


def test_a_stream_that_wakes_late_missed_the_beginning():
    steady, late = stream("force", np.arange(0, 10_000, 10.0)), stream("imu", np.arange(2_000, 10_000, 10.0))
    assert answer("timing.longest_gap", case_of(steady, late))["imu"].place.code == "check.begins_late"


def test_commands_sent_on_change_have_no_period_to_miss():
    times = np.cumsum(np.random.default_rng(0).exponential(200, 50))
    assert answer("timing.longest_gap", case_of(stream("action", times, StreamKind.ACTION))) == {}
    assert answer("timing.jitter", case_of(stream("action", times, StreamKind.ACTION))) == {}


def test_commands_sent_while_a_key_is_held_have_no_period_to_miss():
    held = [np.arange(0, 3000, 33.0), np.arange(4500, 7000, 33.0), np.arange(9000, 11_000, 33.0)]
    keys = stream("action", np.concatenate(held), StreamKind.ACTION)
    steady = stream("imu", np.arange(0, 11_000, 33.0))
    assert "action" not in answer("timing.longest_gap", case_of(keys, steady))
    assert answer("timing.stream_offset", case_of(keys, steady)) == {}


def test_a_stretch_in_which_a_sensor_is_silent_and_nothing_moves_may_be_cut_off():
    def cut(keep):
        case, force = make_healthy_case(), make_healthy_case().recording.streams["force"]
        return answer("timing.longest_gap", change_stream(case, "force", **_rows(force, keep)))["force"]

    seconds = np.arange(2400) / 240
    late, silent = cut(seconds >= 1.0), cut(seconds >= 4.0)
    assert late.fix == Fix(FixKind.TRIM, note("check.fix_silent_edge", stream="force"), start_ns=START_NS + NS_PER_S)
    assert silent.value > 1
    assert silent.fix is None  # the arm moves where the sensor is silent: cutting would lose it
    assert cut(seconds <= 9.0).fix.end_ns == START_NS + 9 * NS_PER_S


def _rows(stream, keep):
    return {"clocks": {kind: times[keep] for kind, times in stream.clocks.items()}, "values": stream.values[keep]}


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
def test_rate_is_reported_against_the_declared_one(really, declared):
    case = case_of(stream("camera", np.arange(100) * 1000 / really, StreamKind.RGB, nominal_hz=declared))
    assert answer("timing.rate", case)["camera"].value == pytest.approx(really / declared, rel=1e-4)


def test_a_clock_that_runs_backwards_is_counted_where_it_first_does():
    times = np.arange(0, 1000, 10.0)
    times[30], times[70] = times[29] - 1, times[69] - 5
    found = answer("timing.not_monotonic", case_of(stream("imu", times)))["imu"]
    assert (found.value, write_sentence(found.place)) == (2, "first at 0.29 s")
    assert answer("timing.repeated_stamps", case_of(stream("imu", times)))["imu"].value == 0


def test_a_stamp_that_stands_twice_is_a_repeated_one():
    times = np.arange(0, 1000, 10.0)
    times[30], times[70] = times[29], times[69]
    found = answer("timing.repeated_stamps", case_of(stream("imu", times)))["imu"]
    assert (found.value, found.at_s) == (2, 0.29)
    assert answer("timing.not_monotonic", case_of(stream("imu", times)))["imu"].value == 0


# ── offset between streams


def offset(one, other):
    (found,) = answer("timing.stream_offset", case_of(one, other)).values()
    return found


@pytest.mark.parametrize("shift", [0.0, 3.0, 11.0])
def test_the_offset_of_two_streams_of_one_rate_is_their_shift(shift):
    grid = np.arange(0, 3000, 33.0)
    assert offset(stream("a", grid), stream("b", grid + shift)).value == pytest.approx(shift)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rates", [(20, 30), (20, 50), (30, 50), (30, 125), (10, 30), (30, 100), (30, 200)])
def test_healthy_rates_that_do_not_fit_are_no_offset_whatever_their_phase(rates, seed):
    random = np.random.default_rng(seed)
    grids = [np.arange(0, 10_000, 1000 / hz) + random.uniform(0, 1) * 0.2 for hz in rates]
    if rates[1] % rates[0]:  # else a phase is an offset, and 0.2 ms is all there is
        grids[1] += random.uniform(0, 1000 / rates[1])
    grids = [grid + random.normal(0, 0.3, len(grid)) for grid in grids]
    assert offset(stream("a", grids[0]), stream("b", grids[1])).value < 2.0


def test_two_cameras_that_drift_past_each_other_are_apart():
    found = offset(stream("a", np.arange(0, 20_000, 1000 / 30)), stream("b", np.arange(0, 20_000, 1000 / 29.97)))
    assert found.value > 5


def test_what_rates_impose_is_reported():
    found = offset(stream("a", np.arange(0, 10_000, 50.0)), stream("b", np.arange(0, 10_000, 1000 / 30) + 5))
    assert found.value == 0
    assert found.place["imposed_ms"] == pytest.approx(16.7, abs=0.05)


def test_a_hole_in_the_faster_stream_is_beyond_what_rates_impose():
    fast = np.arange(0, 10_000, 1000 / 30)
    fast = fast[(fast < 4000) | (fast > 4500)]
    assert offset(stream("a", np.arange(0, 10_000, 50.0)), stream("b", fast)).value > 100


@given(st.integers(2, 9), st.floats(-0.45, 0.45), st.integers(5, 60))
def test_the_offset_of_multiple_rates_is_what_counting_by_hand_gives(times_faster, phase, count):
    slow, fast = np.arange(count) * 100.0, (np.arange(count * times_faster) + phase) * 100.0 / times_faster
    by_hand = [min(abs(t - u) for u in fast) for t in slow]
    found = offset(stream("a", slow), stream("b", fast)).value
    assert found == pytest.approx(np.percentile(by_hand, 99), abs=1e-4)


def test_only_the_overlap_is_looked_at():
    early, late = np.arange(0, 5000, 10.0), np.arange(2000, 7000, 10.0)
    assert offset(stream("a", early), stream("b", late)).value == 0


def test_streams_that_never_meet_are_far_apart():
    found = offset(stream("a", np.arange(0, 1000, 10.0)), stream("b", np.arange(5000, 6000, 10.0)))
    assert found.value == pytest.approx(5000 - 990)
    assert found.place.code == "check.never_overlap"


def test_made_up_stamps_cannot_tell_an_offset():
    real = stream("a", np.arange(0, 1000, 10.0))
    made_up = stream("b", np.arange(0, 1000, 10.0), clock=ClockKind.SYNTHETIC)
    assert offset(real, made_up).cannot_tell.code == "check.generated_stamps"


def test_the_best_clock_that_both_share_is_used():
    times = (np.arange(0, 1000, 10.0) * MS).astype(np.int64)
    one = Stream("a", StreamKind.IMU, "", {ClockKind.HEADER: times, ClockKind.LOG: times + 8 * MS})
    other = Stream("b", StreamKind.IMU, "", {ClockKind.LOG: times + 9 * MS})
    found = offset(one, other)
    assert found.value == pytest.approx(1.0)
    assert found.place["clock"] == "log"
