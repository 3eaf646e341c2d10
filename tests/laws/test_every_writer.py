"""What every writer obeys: whole or not at all, nothing left out in silence, every walk the same files."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.release.writers import write_hdf5, write_lerobot, write_mcap, write_rlds
from fieldloop.testing.injuries import cut
from fieldloop.testing.synthetic import healthy_case, with_streams

WRITERS = {"hdf5": write_hdf5, "lerobot": write_lerobot, "mcap": write_mcap, "rlds": write_rlds}
FRAMED = [name for name in WRITERS if name != "mcap"]  # one row a frame; MCAP keeps every rate


def short(seed=0):
    """A quarter of a second is enough to write."""
    return cut(healthy_case(seed=seed), lambda at_s: at_s < 0.25).recording


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
    with pytest.raises(BadInput, match="there already"):
        write([short(1)], tmp_path / "set")
    assert listing(tmp_path) == before


@pytest.mark.parametrize(
    ("recordings", "target", "said"),
    [
        (list, "set", "no recording"),
        (lambda: [short()], "missing/set", "no folder"),
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
        write_framed([with_streams(made, {"camera/wrist": gone})], tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_a_stream_that_not_all_episodes_have_is_named(write_framed, tmp_path):
    done = write_framed([short(0), with_streams(short(1), {"force": None})], tmp_path / "set")
    assert "force: only 1 of 2 episodes have it" in done.left_out
    assert "force" not in done.rules


def test_how_each_stream_was_resampled_is_told(write_framed, tmp_path):
    done = write_framed([short()], tmp_path / "set")
    assert done.clock == "camera/overhead"
    wanted = {"action": "hold", "joints": "linear", "tool": "slerp", "camera/overhead": "as recorded"}
    assert {name: done.rules[name] for name in wanted} == wanted


def test_nothing_in_common_cannot_be_one_dataset(write_framed, tmp_path):
    one, other = short(0), short(1)
    one = replace(one, streams={"joints": one.streams["joints"], "action": one.streams["action"]})
    other = replace(other, streams={"force": other.streams["force"]})
    with pytest.raises(BadInput, match="No stream is in every episode"):
        write_framed([one, other], tmp_path / "set")


def test_an_empty_stream_is_named(write_framed, tmp_path):
    made = short()
    nothing = {kind: np.zeros(0, np.int64) for kind in made.streams["imu"].clocks}
    empty = replace(made.streams["imu"], clocks=nothing, values=np.zeros((0, 6)))
    done = write_framed([with_streams(made, {"imu": empty})], tmp_path / "set")
    assert "imu: it has no sample" in done.left_out
