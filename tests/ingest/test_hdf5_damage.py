"""Damaged and hostile HDF5: what is readable is read, the rest is named, and nothing outside the file is touched."""

import shutil
import struct
import tracemalloc
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.hdf5_makers import ROWS, SIDES, aloha, d4rl, jpeg, pictures, robomimic

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.ingest.readers.hdf5 import Hdf5Reader
from fieldloop.model.episode import Harm
from fieldloop.release.writers import write_hdf5
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.writer import make_sample_recording

COUNTERS = Path("/proc/self/io")


def read(path):
    log = open_log(path)
    recordings = list(log.recordings)
    return recordings, [*log.defects, *(defect for r in recordings for defect in r.defects)]


def said_of(defects, subject):
    return [write_note_facts(defect.message) for defect in defects if defect.subject == subject]


def test_rows_before_the_cut_are_read(tmp_path):
    path = aloha(tmp_path / "episode_0.hdf5")
    with h5py.File(path) as file:
        last = max(
            (leaf.id.get_offset(), name) for name, leaf in file["observations/images"].items()
        )  # the camera that lies at the end
        row = int(np.prod((*SIDES, 3)))
    cut = tmp_path / "cut.hdf5"
    cut.write_bytes(path.read_bytes()[: last[0] + 5 * row + 7])
    (recording,), defects = read(cut)
    assert f"ingest.file_cut_off present_bytes={cut.stat().st_size} " in said_of(defects, "file")[0]
    name = f"images/{last[1]}"
    assert len(recording.streams[name]) == 5
    seed = ("cam_high", "cam_left_wrist").index(last[1])
    np.testing.assert_array_equal(list(recording.streams[name].pictures.frames()), pictures(ROWS, seed)[:5])
    assert len(recording.streams["qpos"]) == ROWS


def test_a_file_that_was_never_closed_is_read(tmp_path):
    whole = tmp_path / "open.hdf5"
    with h5py.File(whole, "w", libver="latest") as file:
        rows = file.create_dataset("joint_pos", (0, 6), np.float64, maxshape=(None, 6), chunks=(4, 6))
        file.swmr_mode = True
        rows.resize(10, axis=0)
        rows[:] = np.arange(60).reshape(10, 6)
        rows.flush()
        shutil.copy(whole, tmp_path / "copied.hdf5")  # as a crash would leave it
    (recording,), defects = read(tmp_path / "copied.hdf5")
    assert "ingest.file_not_closed" in said_of(defects, "file")[0]
    np.testing.assert_array_equal(recording.streams["joint_pos"].values, np.arange(60).reshape(10, 6))


def test_a_broken_chunk_costs_its_own_rows_only(tmp_path):
    path = tmp_path / "broken.hdf5"
    values = np.random.default_rng(0).normal(size=(20, 3))
    with h5py.File(path, "w") as file:
        kept = file.create_dataset("joint_pos", data=values, chunks=(5, 3), compression="gzip")
        camera = file.create_dataset("camera_image", data=pictures(20), chunks=(1, *SIDES, 3), compression="gzip")
        places = [(kept.id.get_chunk_info(1)), (camera.id.get_chunk_info(6))]
    data = bytearray(path.read_bytes())
    for place in places:
        data[place.byte_offset : place.byte_offset + place.size] = b"\xff" * place.size
    path.write_bytes(data)
    (recording,), defects = read(path)
    assert "ingest.rows_unreadable lost=5 rows=20 " in said_of(defects, "joint_pos")[0]
    joints = recording.streams["joint_pos"]
    whole = [*range(5), *range(10, 20)]
    np.testing.assert_array_equal(joints.values, values[whole])
    np.testing.assert_array_equal(joints.times_ns, np.asarray(whole) * 50_000_000)  # a gap, and no shift
    assert said_of(defects, "camera_image") == ["ingest.pictures_unreadable places=1 row=6"]
    frames = list(recording.streams["camera_image"].pictures.frames())
    assert [i for i, frame in enumerate(frames) if not frame.size] == [6]
    np.testing.assert_array_equal(frames[7], pictures(20)[7])


def test_arrays_of_different_lengths_numbers_that_are_none_and_odd_types_are_named(tmp_path):
    path = robomimic(tmp_path / "lift.hdf5", demos=1)
    with h5py.File(path, "a") as file:
        obs = file["data/demo_0/obs"]
        del obs["robot0_joint_pos"], file["data/demo_0/next_obs"]
        obs["robot0_joint_pos"] = np.zeros((ROWS - 3, 7))
        obs["robot0_joint_vel"][3, 2] = np.nan
        obs.create_dataset("ragged", (ROWS,), h5py.vlen_dtype(np.float64))
        obs.create_group("nothing")
        obs["labels"] = np.asarray([f"{i:04d}".encode() for i in range(ROWS)])
    (recording,), defects = read(path)
    place = "data/demo_0/obs"
    assert said_of(defects, f"{place}/robot0_joint_pos") == [
        "ingest.rows_differ rows=9 others=most arrays of demo_0 usual=12 row=9"
    ]
    assert np.isnan(recording.streams["robot0_joint_vel"].values[3, 2])  # integrity.not_finite judges it
    assert "ingest.type_not_supported" in said_of(defects, f"{place}/ragged")[0]
    assert "ingest.type_not_supported" in said_of(defects, f"{place}/labels")[0]
    assert len(recording.streams["robot0_joint_pos"]) == ROWS - 3
    assert len(recording.streams["actions"]) == ROWS


def test_nothing_outside_the_file_is_read(tmp_path):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.arange(100, dtype=np.float64).tobytes())
    robomimic(tmp_path / "other.hdf5", demos=1)
    inside = tmp_path / "in"
    inside.mkdir()
    layout = h5py.VirtualLayout((10, 7), np.float64)
    layout[:] = h5py.VirtualSource(tmp_path / "other.hdf5", "data/demo_0/actions", (12, 7))[:10]
    with h5py.File(inside / "links.hdf5", "w") as file:
        file["joint_pos"] = np.zeros((10, 6))
        file["linked"] = h5py.ExternalLink(str(tmp_path / "other.hdf5"), "data/demo_0/obs")
        file["soft"] = h5py.SoftLink("/linked/robot0_joint_pos")
        file.create_dataset("outside", (100,), np.float64, external=[(str(secret), 0, 800)])
        file.create_virtual_dataset("virtual", layout)
        file["again"] = file["/"]
    (recording,), defects = read(inside / "links.hdf5")
    assert recording.streams.keys() == {"joint_pos"}
    assert {d.subject for d in defects} == {"linked", "soft", "outside", "virtual", "again"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"chunks": (1, 1000)}, "ingest.values_never_written"),
        ({"chunks": (1, 1000), "written": 1}, "ingest.values_exceed_storage"),
        ({"chunks": (1 << 16, 1000), "compression": "gzip"}, "ingest.values_never_written"),
    ],
)
def test_a_declared_size_alone_asks_for_no_memory(tmp_path, options, said):
    written = options.pop("written", 0) if "written" in options else 0
    with h5py.File(tmp_path / "huge.hdf5", "w") as file:
        rows = file.create_dataset("joint_pos", (1 << 40, 1000), np.float64, **options)
        if written:
            rows[0] = 1
        file["joint_vel"] = np.zeros((5, 2))
    (recording,), defects = read(tmp_path / "huge.hdf5")
    assert recording.streams.keys() == {"joint_vel"}
    assert said in said_of(defects, "joint_pos")[0]


@pytest.mark.parametrize("name", ["timestamps_ns", "stamps_ns/camera_overhead"])
def test_stamps_of_our_own_ask_for_no_more_memory_than_is_stored(tmp_path, name):
    path = write_hdf5([make_sample_recording(1)], tmp_path / "ours.hdf5").path
    with h5py.File(path, "a") as file:
        demo = file["data/demo_0"]
        attributes, shape = dict(demo[name].attrs), (1 << 27, *demo[name].shape[1:])
        del demo[name]
        huge = demo.create_dataset(name, shape, np.int64, chunks=(1 << 16, *shape[1:]), compression="gzip")
        huge.attrs.update(attributes)
        huge[:1] = 1
    tracemalloc.start()
    recordings, defects = read(path)
    assert tracemalloc.get_traced_memory()[1] < 200 << 20
    tracemalloc.stop()
    assert len(recordings) == 1
    assert "ingest.values_exceed_storage" in [d.message.code for d in defects]


@pytest.mark.parametrize("options", [{}, {"chunks": (4,)}, {"chunks": (4,), "compression": "gzip"}])
def test_a_row_that_claims_gigabytes_is_not_believed(tmp_path, options):
    path = tmp_path / "long.hdf5"
    with h5py.File(path, "w") as file:
        rows = file.create_dataset("camera_image", (4,), h5py.vlen_dtype(np.uint8), **options)
        for i, frame in enumerate(pictures(4)):
            rows[i] = jpeg(frame)
        file["joint_vel"] = np.zeros((5, 2))
        at = rows.id.get_offset()
        if at is None:  # the second row: four gigabytes
            pack, unpack = (zlib.compress, zlib.decompress) if "compression" in options else (bytes, bytes)
            stored = bytearray(unpack(rows.id.read_direct_chunk((0,))[1]))
            stored[16:20] = b"\xf0\xff\xff\xff"
            rows.id.write_direct_chunk((0,), pack(bytes(stored)))
    if at is not None:
        data = bytearray(path.read_bytes())
        data[at + 16 : at + 20] = b"\xf0\xff\xff\xff"
        path.write_bytes(data)
    (recording,), defects = read(path)
    assert [(d.subject, d.place) for d in defects] == [("camera_image", "row 1")]
    frames = list(recording.streams["camera_image"].pictures.frames())
    assert [frame.size > 0 for frame in frames] == [True, False, True, True]


def texts_in_a_heap(path):
    """A file whose texts and pictures lie in one heap; returns its bytes and where the heap begins."""
    with h5py.File(path, "w") as file:
        rows = file.create_dataset("camera_image", (4,), h5py.vlen_dtype(np.uint8))
        file["joint_vel"] = np.zeros((5, 2))
        file.attrs["task"], file.attrs["operator"] = "put the bolt in the tray", "op-9"
        for i, frame in enumerate(pictures(4)):
            rows[i] = jpeg(frame)
    data = bytearray(path.read_bytes())
    assert data.count(b"GCOL") == 1
    return data, data.index(b"GCOL")


@pytest.mark.parametrize("step", [0, 1 << 40])
def test_a_heap_that_leads_nowhere_does_not_keep_the_reader_busy(tmp_path, step):
    data, heap = texts_in_a_heap(tmp_path / "heap.hdf5")
    second = heap + 16 + 16 + 24  # behind the first text: nothing of free space, which the library walks for ever
    struct.pack_into("<HHIQ", data, second, 0, 0, 0, step)
    (tmp_path / "heap.hdf5").write_bytes(data)
    (recording,), defects = read(tmp_path / "heap.hdf5")
    assert (recording.episode.task, recording.episode.operator) == ("put the bolt in the tray", "")
    assert [d.place for d in defects if d.message.code == "ingest.heap_damaged"] == [f"byte {second}"]
    assert "joint_vel" in recording.streams


def test_a_heap_that_is_cut_keeps_what_lies_before(tmp_path):
    data, heap = texts_in_a_heap(tmp_path / "heap.hdf5")
    (tmp_path / "heap.hdf5").write_bytes(data[: heap + 1500])
    (recording,), defects = read(tmp_path / "heap.hdf5")
    assert "ingest.file_cut_off" in said_of(defects, "file")[0]
    assert any("ingest.heap_damaged" in message for message in said_of(defects, "file"))
    assert recording.episode.operator == "op-9"


def test_a_heap_is_found_only_by_what_leads_to_it(tmp_path):
    path = tmp_path / "large.hdf5"
    with h5py.File(path, "w") as file:
        file["joint_pos"] = np.zeros((10, 2))
        file.attrs["task"] = "lift"
        file.create_dataset("camera_image", (4000, 64, 64, 3), np.uint8)[-1] = 1  # 49 MB, of which none is asked for

    def read_bytes():
        counted = next(line for line in COUNTERS.read_text().splitlines() if line.startswith("rchar"))
        return int(counted.split()[1])

    if not COUNTERS.is_file():
        pytest.skip("this system does not count what a process reads")
    before = read_bytes()
    assert Hdf5Reader().count(path) == 1
    assert read_bytes() - before < 4 << 20


def test_a_heap_of_a_million_empty_objects_is_left_early(tmp_path):
    data, heap = texts_in_a_heap(tmp_path / "heap.hdf5")
    data[heap + 8 : heap + 16] = struct.pack("<Q", 32 << 20)
    data[heap + 16 :] = struct.pack("<HHIQ", 1, 0, 0, 0) * (2 << 20)
    (tmp_path / "heap.hdf5").write_bytes(data)
    _, defects = read(tmp_path / "heap.hdf5")
    assert "ingest.heap_damaged" in [d.message.code for d in defects]


def test_a_file_with_nothing_in_it_says_so(tmp_path):
    with h5py.File(tmp_path / "empty.hdf5", "w") as file:
        file.create_group("data")
    recordings, defects = read(tmp_path / "empty.hdf5")
    assert recordings == []
    assert said_of(defects, "file") == ["ingest.no_episode"]


def test_a_file_behind_a_user_block_is_found_and_its_cut_too(tmp_path):
    path = robomimic(tmp_path / "lift.hdf5", demos=1, userblock_size=1024)
    (recording,), defects = read(path)
    assert (len(recording.streams["actions"]), defects) == (ROWS, [])
    (frame,) = recording.streams["agentview_image"].pictures.frames([2])
    np.testing.assert_array_equal(frame, pictures()[2])
    cut = tmp_path / "cut.hdf5"
    cut.write_bytes(path.read_bytes()[:-100])
    assert "ingest.file_cut_off" in said_of(read(cut)[1], "file")[0]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    made = [robomimic(folder / "a.hdf5", 1), robomimic(folder / "b.hdf5", 1, libver="latest"), d4rl(folder / "c.hdf5")]
    return [path.read_bytes() for path in made]


HURTS = {
    "which": st.integers(0, 2),
    "places": st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=8),
    "keep": st.floats(0.02, 1),
}


def hurt(data, places, keep):
    data = bytearray(data)
    for at, value in places:
        data[int(at * (len(data) - 1))] = value
    return bytes(data[: int(len(data) * keep)])


def read_hurt(path):
    """Read all there is; whatever a damaged file makes a reader say, it raises nothing but UnreadableLog."""
    reader = Hdf5Reader()
    if not reader.recognises(path):
        return
    try:
        recordings = list(reader.read(path))
        reader.defects(path)
    except UnreadableLog:
        return
    for recording in recordings:
        for stream in recording.streams.values():
            assert stream.pictures is None or len(list(stream.pictures.frames([0]))) == 1


@settings(max_examples=60, deadline=None)
@given(**HURTS)
def test_hurt_bytes_never_break_the_reader(small, tmp_path_factory, which, places, keep):
    path = tmp_path_factory.mktemp("hurt") / "hurt.hdf5"
    path.write_bytes(hurt(small[which], places, keep))
    read_hurt(path)


@pytest.mark.soak
@settings(max_examples=5_000, deadline=None)
@given(**HURTS)
def test_thousands_of_hurt_files_never_break_the_reader(small, tmp_path_factory, which, places, keep):
    path = tmp_path_factory.getbasetemp() / "hurt.hdf5"
    path.write_bytes(hurt(small[which], places, keep))
    read_hurt(path)


def test_arrays_of_unknown_meaning_may_have_other_lengths_where_no_layout_promises_rows(tmp_path):
    path = tmp_path / "calibration.h5"
    with h5py.File(path, "w") as file:
        file["A_T"] = np.ones((24, 6))
        file["measured_FT"], file["raw"] = np.ones((300, 6)), np.ones((300, 12))
        file["qpos"] = np.ones((200, 7))
    (recording,), _ = read(path)
    harms = {defect.subject: defect.harm for defect in recording.defects}
    assert harms == {"A_T": Harm.HARMLESS, "qpos": Harm.UNCLEAR}
