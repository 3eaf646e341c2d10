"""Frames for a trainer: every row's own values and pictures, windows padded inside their episode, safe in workers."""

import multiprocessing
import os
import pickle
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from tests.release.marked_set import CAMERAS, FPS, LENGTHS, truths

import fieldloop as fl
from fieldloop.errors import BadInput, UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.model.annotation import Annotation
from fieldloop.model.stream import StreamKind
from fieldloop.release.frames import FrameDataset, make_frame_table
from fieldloop.release.frames.table import _gather_camera
from fieldloop.release.writers import write_hdf5, write_lerobot, write_mcap
from fieldloop.testing.barcode import read_barcode

ROWS = sum(LENGTHS)
WRITERS = {"lerobot": (write_lerobot, ""), "hdf5": (write_hdf5, ".hdf5"), "mcap": (write_mcap, "")}


@pytest.fixture(scope="module", params=["memory", *WRITERS])
def opened(request, tmp_path_factory):
    """The planted set as it is, and as read back from three formats."""
    recordings = [one.recording for one in truths()]
    if request.param != "memory":
        write, ending = WRITERS[request.param]
        path = tmp_path_factory.mktemp("frames") / f"set{ending}"
        write(recordings, path)
        recordings = list(open_log(path).recordings)
    streams = ("joints", "action", *CAMERAS[:2])
    return FrameDataset(make_frame_table(recordings, streams=streams), tensors=False)


def by_name(dataset):
    """Return the planted episodes in the order of the dataset, which a format may change."""
    planted = {one.recording.episode.name: one for one in truths()}
    return [planted[episode.name] for episode in dataset.episodes]


def test_every_row_has_its_own_values_and_pictures(opened):
    """In random order, one by one and in batches, forwards and backwards."""
    assert len(opened) == ROWS
    assert opened.hz == pytest.approx(FPS, rel=0.01)
    planted = by_name(opened)
    order = np.random.default_rng(0).permutation(ROWS).tolist()
    for items in ([opened[i] for i in order], opened.__getitems__(order)):
        for index, item in zip(order, items, strict=True):
            truth, row = planted[item["episode_index"]], item["frame_index"]
            assert item["index"] == index
            assert item["joints"] == pytest.approx(truth.values["joints"][row])
            assert item["action"] == pytest.approx(truth.values["action"][row])
            for name in CAMERAS[:2]:
                assert read_barcode(item[name]).frame == row
                assert read_barcode(item[name]).camera == CAMERAS.index(name)


def test_windows_stay_inside_their_episode(opened):
    windowed = opened.make_windowed(deltas_s={"joints": [-2 / FPS, 0.0], CAMERAS[0]: [-1 / FPS, 0.0]}, chunk=4)
    planted = by_name(opened)
    for index in range(ROWS):
        item = windowed[index]
        truth, row = planted[item["episode_index"]], item["frame_index"]
        last = len(truth.stamps_ns) - 1
        wanted = row + np.arange(4)
        assert item["action"] == pytest.approx(truth.values["action"][np.minimum(wanted, last)])
        assert item["action_is_pad"].tolist() == (wanted > last).tolist()
        assert item["joints_is_pad"].tolist() == [row < 2, False]
        assert [read_barcode(one).frame for one in item[CAMERAS[0]]] == [max(row - 1, 0), row]
        assert item[f"{CAMERAS[0]}_is_pad"].tolist() == [row < 1, False]
        assert item[CAMERAS[1]].shape == (48, 64, 3)


def test_indices_count_from_the_end_and_end(opened):
    assert opened[-1]["index"] == ROWS - 1
    for index in (ROWS, -ROWS - 1):
        with pytest.raises(IndexError, match=f"{ROWS} frames"):
            opened[index]


def _read_in_child(dataset, indices, connection):
    connection.send([(i, read_barcode(dataset[i][CAMERAS[0]]).frame, dataset[i]["frame_index"]) for i in indices])
    connection.close()
    os._exit(0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_workers_read_their_own_frames(opened):
    """Both read while the parent is in the middle of a video; a shared place in a file would mix their frames."""
    opened[3]
    context = multiprocessing.get_context("fork")
    ends = []
    for part in (range(0, ROWS, 2), range(1, ROWS, 2)):
        ours, theirs = context.Pipe()
        worker = context.Process(target=_read_in_child, args=(opened, list(part), theirs))
        worker.start()
        ends.append((worker, ours))
    read_here = [read_barcode(opened[i][CAMERAS[0]]).frame == opened[i]["frame_index"] for i in range(ROWS)]
    for worker, ours in ends:
        assert all(shown == row for _, shown, row in ours.recv())
        worker.join(timeout=30)
    assert all(read_here)


def test_a_pickled_dataset_reads_the_same(opened):
    again = pickle.loads(pickle.dumps(opened))
    for index in (0, ROWS // 2, ROWS - 1):
        assert read_barcode(again[index][CAMERAS[1]]) == read_barcode(opened[index][CAMERAS[1]])


def test_weights_and_labels_are_by_frame():
    recordings = [one.recording for one in truths()]
    first, second = (one.episode for one in recordings[:2])
    middle = first.start_ns + 4 * 10**9 // FPS
    labels = [
        Annotation(first.id, "phase", "approach", first.start_ns, middle, "anna"),
        Annotation(first.id, "phase", "grasp", middle, first.end_ns + 1, "anna"),
    ]
    table = make_frame_table(recordings, weights={first.id: 2.0, second.id: 0.5}, labels=labels, streams=("joints",))
    dataset = FrameDataset(table, tensors=False)
    assert dataset.weights.tolist() == [2.0] * 9 + [0.5] + [1.0] * (ROWS - 10)
    names = table.label_names["phase"]
    shown = [names[item["phase"]] if item["phase"] >= 0 else "" for item in dataset.__getitems__(range(11))]
    assert set(shown[:3]) == {"approach"}
    assert set(shown[6:9]) == {"grasp"}
    assert set(shown[9:]) == {""}
    assert dataset[0]["weight"] == 2.0


class _Broken:
    """Pictures of which one does not decode."""

    size = (64, 48)

    def __len__(self):
        return 9

    def frames(self, indices=None):
        for index in range(9) if indices is None else indices:
            yield np.empty((0, 0, 3), np.uint8) if index == 5 else np.ones((48, 64, 3), np.uint8)


def test_a_picture_that_does_not_decode_is_an_error_or_zeros():
    recording = truths()[0].recording
    streams = {**recording.streams, "camera/front": replace(recording.streams["camera/front"], pictures=_Broken())}
    table = make_frame_table([replace(recording, streams=streams)], streams=("camera/front", "joints"))
    with pytest.raises(UnreadableLog, match="take-0: frame 5 of camera/front"):
        FrameDataset(table, tensors=False)[5]
    kept = FrameDataset(table, tensors=False, on_broken="zeros")
    assert (kept[5]["camera/front"].max(), kept[4]["camera/front"].min()) == (0, 1)


def test_what_cannot_be_opened_is_refused(tmp_path):
    recordings = [one.recording for one in truths()]
    with pytest.raises(BadInput, match="no stream 'jonts'"):
        make_frame_table(recordings, streams=("jonts",))
    table = make_frame_table(recordings, streams=("joints",))
    with pytest.raises(BadInput, match="No stream is called 'action'"):
        FrameDataset(table, deltas_s={"action": [0.0]})
    with pytest.raises(BadInput, match="needs actions"):
        FrameDataset(table, chunk=3)
    with pytest.raises(BadInput, match="is empty"):
        FrameDataset(table, deltas_s={"joints": []})
    with pytest.raises(BadInput, match="No episode"):
        make_frame_table([])
    write_hdf5(recordings, tmp_path / "set.hdf5")
    with pytest.raises(BadInput, match="in the split 'tset'"):
        fl.open_dataset(tmp_path / "set.hdf5", "tset")
    if not find_spec("torch"):
        with pytest.raises(BadInput, match="PyTorch"):
            fl.open_dataset(tmp_path / "set.hdf5", tensors=True)
    assert len(fl.open_dataset(tmp_path / "set.hdf5", "train", chunk=2, tensors=False)) == ROWS


def test_a_dataloader_with_workers_gives_batches_of_tensors(tmp_path):
    torch = pytest.importorskip("torch")
    write_lerobot([one.recording for one in truths()], tmp_path / "set")
    dataset = fl.open_dataset(tmp_path / "set", chunk=3, streams=("joints", "action", CAMERAS[0]))
    sampler = torch.utils.data.WeightedRandomSampler(torch.from_numpy(dataset.weights), 40)
    for batch in torch.utils.data.DataLoader(dataset, batch_size=8, sampler=sampler, num_workers=2):
        assert batch["action"].shape[:2] == (8, 3)
        pictures = batch[CAMERAS[0]].permute(0, 2, 3, 1).numpy()
        assert [read_barcode(one).frame for one in pictures] == batch["frame_index"].tolist()


def test_pictures_of_one_episode_never_stand_for_those_of_another():
    first, second = (one.recording for one in truths()[:2])
    sources = [first.streams[CAMERAS[0]].pictures, None]
    with pytest.raises(BadInput, match=f"{second.episode.name} has no pictures of {CAMERAS[0]}"):
        _gather_camera(CAMERAS[0], [first.episode, second.episode], sources, [np.arange(2)] * 2, StreamKind.RGB)
