"""What every writer obeys: whole or not at all, nothing left out in silence, every walk the same files."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import RECORDED_UNIT, UNIT_NOTE
from fieldloop.release.writers import write_hdf5, write_lerobot, write_mcap, write_rlds
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

WRITERS = {"hdf5": write_hdf5, "lerobot": write_lerobot, "mcap": write_mcap, "rlds": write_rlds}
FRAMED = [name for name in WRITERS if name != "mcap"]  # one row a frame; MCAP keeps every rate


def short(seed=0):
    """A quarter of a second is enough to write."""
    return keep_span(make_healthy_case(seed=seed), lambda at_s: at_s < 0.25).recording


@pytest.fixture(params=WRITERS)
def write(request):
    return WRITERS[request.param]


@pytest.fixture(params=FRAMED)
def write_framed(request):
    return WRITERS[request.param]


def listing(folder):
    return {path.relative_to(folder).as_posix(): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_it_says_what_it_wrote(write, tmp_path):
    done = write([short(0), short(1)], tmp_path / "set")
    assert done.path == tmp_path / "set"
    assert done.path.exists()
    assert done.episodes == 2
    assert done.frames > 0
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_what_is_there_is_never_written_into(write, tmp_path):
    write([short()], tmp_path / "set")
    before = listing(tmp_path)
    with pytest.raises(BadInput, match="already exists"):
        write([short(1)], tmp_path / "set")
    assert listing(tmp_path) == before


@pytest.mark.parametrize(
    ("recordings", "target", "said"),
    [
        (list, "set", "No recordings"),
        (lambda: [short()], "missing/set", "not a folder"),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(write, tmp_path, recordings, target, said):
    with pytest.raises(BadInput, match=said):
        write(recordings(), tmp_path / target)
    assert list(tmp_path.iterdir()) == []


class BreaksMidway:
    """Can be walked through once; the second time the disk is gone."""

    def __init__(self, walks=1):
        self._whole = walks

    def __iter__(self):
        self._whole -= 1
        yield short()
        if self._whole < 0:
            raise OSError("the disk is gone")
        yield short(1)


@pytest.mark.parametrize("walks", [0, 1])
def test_a_reader_that_breaks_midway_leaves_nothing_behind(write, tmp_path, walks):
    broken = BreaksMidway(walks)
    try:
        write(broken, tmp_path / "set")
    except OSError:
        assert list(tmp_path.iterdir()) == []
    else:
        assert walks == 1  # a writer that walks once never met it


def test_pixels_that_cannot_be_had_leave_nothing_behind(write_framed, tmp_path):
    class Gone:
        size = (64, 48)

        def __len__(self):
            return 8

        def frames(self, indices=None):
            raise OSError("the disk is gone")
            yield indices

    made = short()
    gone = replace(made.streams["camera/wrist"], pictures=Gone())
    with pytest.raises(OSError, match="gone"):
        write_framed([replace_streams(made, {"camera/wrist": gone})], tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_a_stream_that_not_all_episodes_have_is_named(write_framed, tmp_path):
    done = write_framed([short(0), replace_streams(short(1), {"force": None})], tmp_path / "set")
    assert "release.not_in_every_episode force episodes=1 total=2" in map(write_note_facts, done.left_out)
    assert "force" not in done.rules


def test_how_each_stream_was_resampled_is_reported(write_framed, tmp_path):
    done = write_framed([short()], tmp_path / "set")
    assert done.clock == "camera/overhead"
    wanted = {"action": "hold", "joints": "linear", "tool": "slerp", "camera/overhead": "as recorded"}
    assert {name: done.rules[name] for name in wanted} == wanted


def test_nothing_in_common_cannot_be_one_dataset(write_framed, tmp_path):
    one, other = short(0), short(1)
    one = replace(one, streams={"joints": one.streams["joints"], "action": one.streams["action"]})
    other = replace(other, streams={"force": other.streams["force"]})
    with pytest.raises(BadInput, match="No stream is usable in every episode"):
        write_framed([one, other], tmp_path / "set")


def test_an_empty_stream_is_named(write_framed, tmp_path):
    made = short()
    nothing = {kind: np.zeros(0, np.int64) for kind in made.streams["imu"].clocks}
    empty = replace(made.streams["imu"], clocks=nothing, values=np.zeros((0, 6)))
    done = write_framed([replace_streams(made, {"imu": empty})], tmp_path / "set")
    assert "release.no_samples imu" in map(write_note_facts, done.left_out)


# ── the grid: what a row is made of, and when it was taken


def on(times, name="joints", kind=StreamKind.JOINT_POSITION, clocks=(ClockKind.HEADER,), **more):
    """Numbers at given moments, the same by every clock unless they are given too."""
    found = clocks if isinstance(clocks, dict) else dict.fromkeys(clocks, np.asarray(times, np.int64))
    values = np.arange(2.0 * len(times)).reshape(-1, 2)
    return Stream(name, kind, "rad", found, values, **more)


def with_few(changed, seed=0):
    """A short recording of an action, which is its clock, and of what is given."""
    made = short(seed)
    return replace(made, streams={"action": made.streams["action"], **{stream.name: stream for stream in changed}})


def frames_of(recording):
    return recording.streams["action"].times_ns


def read_back(path):
    return list(open_log(path).recordings)


def test_rows_across_a_silence_are_counted_and_the_worst_is_named(write_framed, tmp_path):
    """Joints that end after a second, a force that is silent for 28: 30 s of rows must not look like data."""
    grid = 10**18 + np.arange(300) * 100_000_000
    silent = np.concatenate([grid[:11], grid[-11:]])
    streams = [
        on(grid, "action", StreamKind.ACTION),
        on(10**18 + np.arange(101) * 10_000_000, "joints"),
        on(10**18 + np.arange(101) * 10_000_000, "grip", StreamKind.GRIPPER),
        on(silent + 3_000_000, "force", StreamKind.FORCE_TORQUE),
        on(silent + 3_000_000, "sense", StreamKind.OTHER),
    ]
    recording = replace(short(), streams={s.name: s for s in streams})
    done = write_framed([recording], tmp_path / "set", longest_gap_s=60.0)
    name = short().episode.name
    far = [loss for loss in done.left_out if loss.code == "release.rows_far_from_samples"]
    assert {loss.subject.episode for loss in far} == {name}
    assert {
        (x.subject.stream, x["rule"], x["rows"], x["total"], round(x["tolerance_s"], 2), round(x["worst_s"], 1))
        for x in far
    } == {
        ("joints", "linear", 288, 300, 0.1, 28.9),
        ("grip", "hold", 288, 300, 0.1, 28.9),
        ("force", "linear", 279, 300, 0.3, 27.9),
        ("sense", "nearest", 273, 300, 0.3, 13.9),
    }


def test_rows_across_a_long_silence_are_left_out_and_counted(write_framed, tmp_path):
    """A sensor's value is not invented across half a second; a command holds, and what has no kind is nearest."""
    grid = 10**18 + np.arange(300) * 100_000_000
    silent = np.concatenate([grid[:11], grid[-11:]])
    streams = [
        on(grid, "action", StreamKind.ACTION),
        on(10**18 + np.arange(101) * 10_000_000, "joints"),
        on(10**18 + np.arange(101) * 10_000_000, "grip", StreamKind.GRIPPER),
        on(silent + 3_000_000, "force", StreamKind.FORCE_TORQUE),
        on(silent + 3_000_000, "sense", StreamKind.OTHER),
    ]
    done = write_framed([replace(short(), streams={s.name: s for s in streams})], tmp_path / "set")
    lost = {x.subject.stream: (x["rows"], x["total"]) for x in done.left_out if x.code == "release.rows_left_out"}
    assert lost == {"joints": (284, 300), "force": (279, 300)}
    assert (done.frames, done.rows_left_out) == (11, 289)
    (after,) = read_back(done.path)
    assert after.streams["action"].times_ns.tolist() == grid[:11].tolist()


def test_an_episode_without_a_row_is_listed_and_the_others_are_written(write_framed, tmp_path):
    whole, late = on(frames_of(short())), on(frames_of(short(1)) + 60 * 10**9)
    done = write_framed([with_few([whole]), with_few([late], 1)], tmp_path / "set")
    assert (done.episodes, done.frames, done.rows_left_out) == (1, 30, 30)
    (lost,) = [loss for loss in done.left_out if loss.code == "release.episode_without_rows"]
    assert (lost.subject.episode, lost["rows"]) == (short(1).episode.name, 30)


def test_a_set_of_single_rows_is_refused(write_framed, tmp_path):
    action = on([10**18], "action", StreamKind.ACTION)
    with pytest.raises(BadInput, match="No episode has more than 1 of the rows"):
        write_framed([replace(short(), streams={"action": action})], tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", range(8))
def test_every_row_is_written_or_listed(write_framed, tmp_path, seed):
    """Streams with random gaps: rows in are rows out and rows left out, and each of these is named with its stream."""
    random = np.random.default_rng(seed)
    recordings, rows = [], 0
    for episode in range(3):
        grid = 10**18 + np.cumsum(random.integers(20_000_000, 60_000_000, 80))
        streams = [on(grid, "action", StreamKind.ACTION)]
        for name, kind in (("joints", StreamKind.JOINT_POSITION), ("pose", StreamKind.POSE)):
            hole = random.integers(0, 80, 2)
            kept = np.delete(grid + random.integers(-9_000_000, 9_000_000), slice(*sorted(hole)))
            streams.append(on(kept, name, kind) if len(kept) else on(grid, name, kind))
        recordings.append(replace(short(episode), streams={s.name: s for s in streams}))
        rows += len(grid)
    done = write_framed(recordings, tmp_path / "set")
    assert done.frames + done.rows_left_out == rows
    named = [loss["rows"] for loss in done.left_out if loss.code == "release.rows_left_out"]
    assert (done.rows_left_out == 0) == (not named)
    assert max([0, *named]) <= done.rows_left_out <= sum(named)
    assert sum(len(r.streams["action"]) for r in read_back(done.path)) == done.frames


def test_a_signal_on_another_clock_is_reported_to_share_no_moment(write_framed, tmp_path):
    from_zero = on(np.arange(20) * 10_000_000)
    with pytest.raises(BadInput, match=r"joints has no sample within 0\.5 s of 30 of 30 rows"):
        write_framed([with_few([from_zero])], tmp_path / "set")
    assert list(tmp_path.iterdir()) == []
    done = write_framed([with_few([from_zero])], tmp_path / "set", longest_gap_s=float("inf"))
    assert any(loss.subject.stream == "joints" and dict(loss.numbers).get("clock_apart") for loss in done.left_out)


def test_stamps_that_repeat_keep_their_other_clocks(write_framed, tmp_path):
    start = 10**18
    header, log = (start + np.asarray(steps) * 10_000_000 for steps in ([0, 1, 1, 2, 3], [0, 1, 2, 3, 4]))
    action = on(header, "action", StreamKind.ACTION, {ClockKind.HEADER: header, ClockKind.LOG: log})
    done = write_framed([replace(short(), streams={"action": action})], tmp_path / "set")
    (after,) = read_back(done.path)
    assert after.streams["action"].times_ns.tolist() == header.tolist()
    assert after.streams["action"].values.tolist() == action.values.tolist()
    if "release.further_clocks_not_kept" not in [loss.code for loss in done.left_out]:
        assert after.streams["action"].clocks[ClockKind.LOG].tolist() == log.tolist()


@pytest.mark.parametrize("kind", [StreamKind.JOINT_POSITION, StreamKind.GRIPPER, StreamKind.OTHER])
@pytest.mark.parametrize("off_ns", [-400_000, 1, 400_000])
def test_samples_next_to_the_frames_keep_the_moments_at_which_they_were_taken(write_framed, tmp_path, kind, off_ns):
    beside = on(frames_of(short()) + off_ns, "beside", kind)
    other = on(frames_of(short(1)), "beside", kind)  # in one episode of the two it is at the frames themselves
    done = write_framed([with_few([beside]), with_few([other], 1)], tmp_path / "set")
    assert done.rules["beside"] == "as recorded"
    for after, before in zip(read_back(done.path), (beside, other), strict=True):
        assert after.streams["beside"].clock is ClockKind.HEADER
        assert after.streams["beside"].times_ns.tolist() == before.times_ns.tolist()


def test_a_value_between_samples_is_trusted_as_little_as_the_worse_clock(write_framed, tmp_path):
    logged = on(frames_of(short()) + 4_000_000, clocks=(ClockKind.LOG,))
    done = write_framed([with_few([logged])], tmp_path / "set")
    (after,) = read_back(done.path)
    assert after.streams["joints"].clock is ClockKind.LOG
    assert after.streams["joints"].times_ns.tolist() == frames_of(short()).tolist()


# ── what is said of the whole


def test_a_rule_is_that_of_the_worst_episode(write_framed, tmp_path):
    exact, between = (on(frames_of(short(seed)) + seed * 3_000_000) for seed in (0, 1))
    pair = [with_few([exact]), with_few([between], 1)]
    for number, recordings in enumerate((pair, pair[::-1])):
        assert write_framed(recordings, tmp_path / str(number)).rules["joints"] == "linear"


def test_guesses_stay_guesses_and_rates_stay_rates(write_framed, tmp_path):
    guessed = {"unit": "radians are assumed: the dataset does not say"}
    stated = on(frames_of(short()), "stated", nominal_hz=119.0, notes=guessed)
    nobody = on(frames_of(short()), "nobody")
    between = on(frames_of(short())[::2] + 5_000_000, "between", nominal_hz=60.0, notes=guessed)
    done = write_framed([with_few([stated, nobody, between])], tmp_path / "set")
    (after,) = read_back(done.path)
    assert dict(after.streams["stated"].notes).items() >= guessed.items()
    assert after.streams["stated"].nominal_hz == 119.0
    assert after.streams["nobody"].nominal_hz is None
    assert dict(after.streams["between"].notes) == guessed | {"resampled": "linear", "recorded_hz": "60"}
    assert after.streams["between"].nominal_hz == short().streams["action"].hz
    write_framed([after], tmp_path / "second", hz=10.0)
    (again,) = read_back(tmp_path / "second")
    notes = guessed | {"resampled": "linear, then linear", "recorded_hz": "60"}
    assert dict(again.streams["between"].notes) == notes
    assert again.streams["between"].nominal_hz == 10.0


def test_a_walk_that_can_be_made_once_is_enough(write, tmp_path):
    assert write((short(seed) for seed in range(2)), tmp_path / "set").episodes == 2


def test_recordings_that_are_others_the_second_time_are_refused(write_framed, tmp_path):
    class Vanishing:
        walks = 0

        def __iter__(self):
            self.walks += 1
            return iter([short(0), short(1)][: 3 - self.walks])

    with pytest.raises(BadInput, match="more than once"):
        write_framed(Vanishing(), tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("hz", [0.0, -5.0, float("nan"), float("inf"), 1e-300, 1e300])
def test_a_rate_that_is_none_is_refused(write_framed, tmp_path, hz):
    with pytest.raises(BadInput, match="is not a valid rate"):
        write_framed([short()], tmp_path / "set", hz=hz)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_utf_8_is_shown_as_an_escape_and_named(write, tmp_path):
    made = short()
    strange = replace(
        made.episode,
        name="caf\udce9",
        task="\udcff",
        robot="r\udcff",
        facts=(("lux\udc80", "\udc81"), ("split", "\udc82")),
    )
    joints = replace(made.streams["joints"], name="j\udce9", frame_id="f\udce9", notes={"\udce9": "\udce9"})
    done = write(
        [replace(replace_streams(made, {"joints": None, "j\udce9": joints}), episode=strange)], tmp_path / "set"
    )
    (after,) = read_back(done.path)
    assert (after.episode.name, after.episode.task, after.episode.robot) == (r"caf\udce9", r"\udcff", r"r\udcff")
    assert after.episode.get_fact(r"lux\udc80") == r"\udc81"
    assert len(after.streams) == len(made.streams)
    assert "release.text_not_utf8" in [loss.code for loss in done.left_out]


def test_outcomes_that_were_not_recorded_are_not_passed_off_as_data(write_framed, tmp_path):
    done = write_framed([short()], tmp_path / "set")
    made = {loss.subject.stream for loss in done.left_out if loss.code.endswith("_made")}
    assert made == {write_hdf5: {"rewards", "dones"}, write_rlds: {"is_terminal"}, write_lerobot: set()}[write_framed]


@pytest.mark.parametrize(("written", "stated"), [("recorded in deg", True), ("radians are assumed", False)])
def test_a_unit_that_an_earlier_version_converted_still_counts_as_stated(write, tmp_path, written, stated):
    """Earlier versions kept 'recorded in deg' under the key that now marks a unit as assumed."""
    made = short()
    joints = replace(made.streams["joints"], notes={UNIT_NOTE: written})
    done = write([replace_streams(made, {"joints": joints})], tmp_path / "set")
    (read,) = read_back(done.path)
    again = read.streams["joints"]
    assert (again.unit, again.unit_stated) == (joints.unit, stated)
    assert again.notes.get(RECORDED_UNIT) == ("deg" if stated else None)
    assert again.notes.get(UNIT_NOTE) == (None if stated else written)
