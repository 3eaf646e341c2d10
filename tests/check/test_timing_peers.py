"""A clock beside its peers': which one is wrong, by how much, and what may safely be done about it."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import CHECKS
from fieldloop.ingest import open_log
from fieldloop.model.finding import Measured, Status
from fieldloop.model.fix import FixKind
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.protocol import default_protocol
from fieldloop.release.fixes import apply_fixes
from fieldloop.release.writers import write_hdf5, write_lerobot, write_rlds
from fieldloop.say.findings import write_finding
from fieldloop.testing.injuries.injury import change_stream, keep_samples, keep_span
from fieldloop.testing.planted import make_case, measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

MS = 1_000_000
HOUR_MS = 3_600_000
TIMING = [name for name in CHECKS if name.startswith("timing.")]


def failed(case, names=TIMING):
    measured = [Measured(name, tuple(CHECKS[name].look(case))) for name in names]
    return [f for f in check.judge_measurements(measured, default_protocol(), named=True) if f.status is Status.FAILED]


def shifted(name, ms, *, also=()):
    """Return the healthy case with one header clock moved, and how its samples arrived left alone."""
    case = make_healthy_case()
    for one in (name, *also):
        clocks = case.recording.streams[one].clocks
        case = change_stream(case, one, clocks={**clocks, ClockKind.HEADER: clocks[ClockKind.HEADER] + ms * MS})
    return case


@pytest.mark.parametrize("hours", [-1, 1, 5])
def test_a_clock_hours_away_is_the_only_one_accused_and_nothing_is_cut(hours):
    found = failed(shifted("camera/wrist", hours * HOUR_MS))
    assert {f.subject for f in found} == {"camera/wrist"}
    assert {f.check for f in found} == {"timing.stream_offset"} | ({"timing.stamped_ahead"} if hours > 0 else set())
    assert {f.fix.kind for f in found} == {FixKind.RESTAMP}
    assert found[0].measured == pytest.approx(abs(hours) * HOUR_MS)


def test_nothing_is_cut_where_a_stream_would_be_lost():
    case = shifted("camera/wrist", -HOUR_MS)
    trims = [m.fix for name in (*TIMING, "motion.idle_head", "motion.idle_tail") for m in CHECKS[name].look(case)]
    assert not [fix for fix in trims if fix and fix.kind is FixKind.TRIM]


def test_of_two_clocks_that_never_meet_no_one_can_say_which_is_wrong():
    early, late = (
        Stream(name, StreamKind.IMU, "", {ClockKind.HEADER: np.arange(at, at + 1000, 10) * MS}, np.zeros((100, 1)))
        for name, at in (("a", 0), ("b", 5000))
    )
    assert list(measure_by_subject("timing.stream_offset", make_case(early, late))) == ["a ↔ b"]


@pytest.mark.parametrize("ms", [-150, -80, 80, 150])
def test_a_constant_offset_is_distinguished_from_arrivals_and_put_right(ms):
    case = shifted("camera/wrist", ms)
    found = failed(case)
    assert {f.check for f in found} >= {
        "timing.stream_offset",
        "timing.stamped_behind" if ms < 0 else "timing.stamped_ahead",
    }
    (fix,) = {f.fix for f in found}
    assert (fix.kind, fix.stream, fix.clock) == (FixKind.RESTAMP, "camera/wrist", ClockKind.HEADER)
    assert fix.shift_ns == pytest.approx(-ms * MS, abs=MS)
    mended = apply_fixes(case.recording, [fix])
    assert failed(make_healthy_case(recording=mended)) == []


def test_stamps_alone_say_that_they_show_only_part_of_an_offset():
    found = measure_by_subject("timing.stream_offset", shifted("camera/wrist", -80))["camera/overhead ↔ camera/wrist"]
    assert found.value == pytest.approx(80 % (1000 / 30), abs=0.1)
    assert found.place.code == "check.offset_at_least"


def test_a_whole_number_of_periods_is_left_open_rather_than_passed():
    case = shifted("force", -200)  # 48 periods: in step with the others as before
    found = measure_by_subject("timing.stamped_behind", case)["force"]
    assert (found.low, found.fix) == (0.0, None)
    assert found.high == pytest.approx(200, abs=0.1)
    (judged,) = check.judge_measurements([Measured("timing.stamped_behind", (found,))], default_protocol(), named=True)
    assert judged.status is Status.CANNOT_TELL


def test_an_honest_way_that_is_longer_waits_longer_too_and_is_never_accused_nor_moved():
    accused = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        case, late = make_healthy_case(), random.uniform(20, 150)
        clocks = case.recording.streams["camera/wrist"].clocks
        sensed = clocks[ClockKind.HEADER] + round(random.uniform(0, 33) * MS)  # a camera that nobody triggers
        way = ((late + random.exponential(8.0, len(sensed))) * MS).astype(np.int64)
        case = change_stream(case, "camera/wrist", clocks={ClockKind.HEADER: sensed, ClockKind.LOG: sensed + way})
        found = measure_by_subject("timing.stamped_behind", case)["camera/wrist"]
        accused += found.low is None or found.fix is not None
    assert accused == 0


def test_a_stamp_set_back_once_is_that_and_no_gap():
    case = make_healthy_case()
    clocks = case.recording.streams["force"].clocks
    sensed = np.array(clocks[ClockKind.HEADER])
    sensed[1200] -= NS_PER_S
    (found,) = failed(change_stream(case, "force", clocks={**clocks, ClockKind.HEADER: sensed}))
    assert (found.check, found.subject) == ("timing.not_monotonic", "force")
    assert found.at_s == pytest.approx(5.0, abs=0.01)


# ── a slower stream in the rows of a table


def table(held_ms, rows_ms, **how):
    """Return a case of a 30 Hz table, one of whose streams was sensed at these moments."""
    grid = (np.asarray(rows_ms) * MS).astype(np.int64)
    sensed = (np.asarray(held_ms) * MS).astype(np.int64)
    nearest = sensed[np.abs(grid[:, None] - sensed[None]).argmin(axis=1)]
    streams = []
    for name, times in (("joints", grid), ("imu", nearest)):
        rows = {ClockKind.SYNTHETIC: grid - grid[0]} if how.get("row_clock") else {}
        notes = {} if how.get("row_clock") else {"resampled": "nearest"}
        clocks, values = {ClockKind.HEADER: times, **rows}, np.zeros((len(grid), 1))
        streams.append(Stream(name, StreamKind.IMU, "", clocks, values, nominal_hz=30.0, notes=notes))
    return make_case(*streams)


ROWS = np.arange(300) * 1000 / 30


@pytest.mark.parametrize("row_clock", [True, False])
@pytest.mark.parametrize("hz", [5, 10, 20, 25, 29.9])
def test_what_a_grid_imposes_on_a_slower_stream_is_no_fault(hz, row_clock):
    found = failed(table(np.arange(0, 10_000, 1000 / hz), ROWS, row_clock=row_clock))
    assert [f.check for f in found if f.check != "timing.stream_offset"] == []


@pytest.mark.parametrize("write", [write_lerobot, write_hdf5, write_rlds])
def test_what_we_wrote_ourselves_is_not_accused(write, tmp_path):
    case = keep_span(make_healthy_case(), lambda at_s: at_s < 1.5)
    depth = case.recording.streams["depth/overhead"]
    slower = replace(keep_samples(depth, np.arange(0, len(depth), 3)), nominal_hz=10.0)
    write([replace_streams(case.recording, {depth.name: slower})], tmp_path / "set")
    (recording,) = open_log(tmp_path / "set").recordings
    assert len(recording.streams[depth.name]) == len(depth)  # held over the rows
    assert [write_finding(f) for f in failed(make_healthy_case(recording=recording))] == []


def test_a_grid_does_not_hide_what_was_lost():
    sensed = np.arange(0, 10_000, 100.0)
    found = failed(table(np.delete(sensed, slice(40, 45)), ROWS, row_clock=True))
    assert {"timing.longest_gap", "timing.repeated_stamps"} <= {f.check for f in found if f.subject == "imu"}


def test_a_loop_slower_than_its_table_claims_is_still_found():
    slow = np.arange(300) * 1000 / 22
    found, *_ = failed(table(slow, slow, row_clock=True), ["timing.rate"])
    assert found.measured == pytest.approx(22 / 30, abs=0.01)


def test_without_a_table_a_repeated_stamp_is_one():
    times = (np.arange(300) // 3 * 100 * MS).astype(np.int64)
    twice = Stream("imu", StreamKind.IMU, "", {ClockKind.HEADER: times}, np.zeros((300, 1)))
    assert measure_by_subject("timing.repeated_stamps", make_case(twice))["imu"].value == 200
