"""RLDS both ways with TensorFlow Datasets in a venv of its own: it reads ours, we read its, value by value."""

import json
import subprocess

import numpy as np
import pytest
from tests.oracles import venvs
from tests.release.test_rlds_writer import STEPS, made

from fieldloop.ingest import open_log
from fieldloop.model.stream import StreamKind
from fieldloop.release.writers import write_rlds
from fieldloop.release.writers.framed import put_recording_on_grid
from fieldloop.release.writers.survey import survey_recordings
from fieldloop.testing.barcode import Mark
from fieldloop.testing.barcode import read_barcode as read_mark
from fieldloop.testing.shared import find_shared_data
from fieldloop.testing.synthetic import make_healthy_recording

pytestmark = pytest.mark.oracle

READER = """
import json, sys
import numpy as np
import tensorflow_datasets as tfds

def flat(tree, path=""):
    for key, value in tree.items():
        where = f"{path}/{key}" if path else key
        yield from flat(value, where) if isinstance(value, dict) else [(where, value)]

builder = tfds.builder_from_directory(sys.argv[1])
found, texts = {}, []
read = tfds.ReadConfig(interleave_cycle_length=1)
for split in sorted(builder.info.splits):
    for episode in builder.as_dataset(split=split, read_config=read):
        number, rows = len(texts), {}
        for step in tfds.as_numpy(episode["steps"]):
            for path, value in flat(step):
                rows.setdefault(path, []).append(value)
        for path, values in rows.items():
            if isinstance(values[0], bytes):
                continue
            found[f"{number}/{path}"] = np.stack(values)
        words = {path: values[0].decode() for path, values in rows.items() if isinstance(values[0], bytes)}
        about = {key: value.numpy().decode() for key, value in episode["episode_metadata"].items()}
        texts.append({"split": split, "words": words, "metadata": about})
np.savez(sys.argv[2], **found)
json.dump(texts, open(sys.argv[3], "w"))
"""

NUMBERS = {
    "count": "count", "small": "small", "reward": "reward", "action/arm": "arm", "observation/exact": "exact",
    "observation/changing": "changing",
}  # fmt: skip

WRITER = """
import sys
import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

F = tfds.features

class MadeByTfds(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        return tfds.core.DatasetInfo(builder=self, features=F.FeaturesDict({
            "steps": F.Dataset({
                "observation": {
                    "image": F.Image(shape=(24, 32, 3), encoding_format="jpeg"),
                    "raw": F.Tensor(shape=(24, 32, 3), dtype=np.uint8),
                    "squeezed": F.Tensor(shape=(24, 32, 3), dtype=np.uint8, encoding="zlib"),
                    "depth": F.Image(shape=(24, 32, 1), dtype=np.float32),
                    "millimetres": F.Image(shape=(24, 32, 1), dtype=np.uint16, encoding_format="png"),
                    "state": F.Tensor(shape=(2, 3), dtype=np.float64),
                    "exact": F.Tensor(shape=(2,), dtype=np.float64, encoding="bytes"),
                    "points": F.Sequence(F.Tensor(shape=(3,), dtype=np.float32)),
                    "nested": F.Sequence(F.Sequence(np.int32)),
                    "changing": F.Tensor(shape=(None, None), dtype=np.int32, encoding="bytes"),
                },
                "action": {"arm": F.Tensor(shape=(7,), dtype=np.float32), "open": np.bool_},
                "count": np.uint64, "small": np.int8, "reward": np.float32,
                "language_instruction": F.Text(), "label": F.ClassLabel(names=["no", "yes"]),
                "is_first": np.bool_, "is_last": np.bool_, "is_terminal": np.bool_,
            }),
            "episode_metadata": {
                "operator": F.Text(), "control_frequency": np.float32, "frame": F.Tensor(shape=(4,), dtype=np.int64),
            },
        }))

    def _split_generators(self, _):
        return {"train": self._generate_examples(range(3)), "val": self._generate_examples(range(3, 5))}

    def _generate_examples(self, numbers):
        for number in numbers:
            yield number, self._episode(number)

    def _episode(self, number):
        random, count = np.random.default_rng(number), 4 + number
        steps, kept = [], {}
        for i in range(count):
            raw = random.integers(0, 256, (24, 32, 3)).astype(np.uint8)
            smooth = np.tile(np.linspace(0, 255, 32)[None, :, None], (24, 1, 3)).astype(np.uint8)
            step = {
                "observation": {
                    "image": smooth, "raw": raw, "squeezed": 255 - raw,
                    "depth": random.normal(size=(24, 32, 1)).astype(np.float32),
                    "millimetres": random.integers(0, 5000, (24, 32, 1)).astype(np.uint16),
                    "state": random.normal(size=(2, 3)), "exact": random.normal(size=2),
                    "points": random.normal(size=(i % 3, 3)).astype(np.float32),
                    "nested": [list(range(j)) for j in range(i % 3)],
                    "changing": random.integers(0, 9, (2, 3)).astype(np.int32),
                },
                "action": {"arm": random.normal(size=7).astype(np.float32), "open": bool(i % 2)},
                "count": np.uint64(2**63 + i), "small": np.int8(-i), "reward": np.float32(i / 3),
                "language_instruction": "naïve task", "label": "yes" if i % 2 else "no",
                "is_first": i == 0, "is_last": i == count - 1, "is_terminal": i == count - 1,
            }
            steps.append(step)
            for key in ("raw", "squeezed", "depth", "millimetres", "state", "exact", "changing"):
                kept.setdefault(key, []).append(step["observation"][key])
            for key in ("count", "small", "reward"):
                kept.setdefault(key, []).append(step[key])
            kept.setdefault("arm", []).append(step["action"]["arm"])
            padded = np.full((2, 3), np.nan, np.float32)
            padded[: i % 3] = step["observation"]["points"]
            kept.setdefault("points", []).append(padded)
        np.savez(f"{sys.argv[2]}/{number}.npz", **{key: np.stack(values) for key, values in kept.items()})
        about = {"operator": f"o{number}", "control_frequency": 5.0, "frame": np.arange(4)}
        return {"steps": steps, "episode_metadata": about}

builder = MadeByTfds(data_dir=sys.argv[1])
builder.download_and_prepare()
for split in ("train", "val"):  # what TensorFlow decodes the JPEG to
    in_order = tfds.ReadConfig(interleave_cycle_length=1)
    for n, episode in enumerate(builder.as_dataset(split=split, read_config=in_order)):
        frames = [step["observation"]["image"] for step in tfds.as_numpy(episode["steps"])]
        np.save(f"{sys.argv[2]}/{split}-{n}.npy", np.stack(frames))
"""


def run(script, home, *arguments):
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": ""}
    command = [venvs.tfds(), "-c", script, *map(str, arguments)]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), **quiet}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr[-4000:]


def theirs(root, scratch):
    """Everything TFDS finds in a dataset: arrays by episode and path, and texts."""
    run(READER, scratch, root, scratch / "found.npz", scratch / "texts.json")
    return np.load(scratch / "found.npz"), json.loads((scratch / "texts.json").read_text())


def compare(recordings, target, scratch, **options):
    """Write, let TFDS read, hold every step of every stream against what the grid says it is."""
    done = write_rlds(recordings, target, **options)
    (root,) = target.glob("*/*")
    arrays, texts = theirs(root, scratch)
    features = survey_recordings(recordings, clock=options.get("clock", ""), hz=options.get("hz"))
    assert len(texts) == done.episodes == len(recordings)
    for number, recording in enumerate(recordings):
        framed = put_recording_on_grid(recording, features)
        about = texts[number]["metadata"]
        streams = {row["name"]: path for path, row in json.loads(about["fieldloop"])["streams"].items()}
        assert streams.keys() == {f.name for f in (*features.signals, *features.cameras)}
        assert np.array_equal(arrays[f"{number}/timestamp_ns"], framed.times_ns)
        assert arrays[f"{number}/is_last"].tolist() == [False] * (len(framed) - 1) + [True]
        assert about["operator"] == recording.episode.operator
        assert texts[number]["words"]["language_instruction"] == recording.episode.task
        for feature in features.signals:
            got = arrays[f"{number}/{streams[feature.name]}"]
            wanted = framed.values[feature.name]
            wanted = wanted.astype(np.float32) if wanted.dtype.kind == "f" else wanted
            assert np.array_equal(got.reshape(len(framed), -1), wanted, equal_nan=got.dtype.kind == "f"), feature.name
            assert got.dtype == wanted.dtype, feature.name
        for feature in features.cameras:
            got = arrays[f"{number}/{streams[feature.name]}"]
            for mine, frame_ in zip(framed.iterate_pictures(feature.name), got, strict=True):
                shown = frame_[:, :, 0] if feature.kind is StreamKind.DEPTH else frame_
                assert np.array_equal(mine, shown, equal_nan=mine.dtype.kind == "f"), feature.name
    return arrays, texts


def test_tfds_reads_every_step_value_and_frame_of_ours(tmp_path):
    arrays, _ = compare([made(i) for i in range(3)], tmp_path / "Marked set", tmp_path, shard_mb=1)
    for number in range(3):
        for key, camera in (("image_wrist", 1), ("image_top", 2)):
            marks = [read_mark(frame) for frame in arrays[f"{number}/observation/{key}"]]
            assert marks == [Mark(camera, number, i) for i in range(STEPS)]


def test_tfds_reads_jpeg(tmp_path):
    write_rlds([made(0)], tmp_path / "set", pictures="jpeg")
    arrays, _ = theirs(tmp_path / "set/set/1.0.0", tmp_path)
    assert [read_mark(frame) for frame in arrays["0/observation/image_top"]] == [Mark(2, 0, i) for i in range(STEPS)]


def test_tfds_reads_what_was_resampled_from_many_rates(tmp_path):
    compare([make_healthy_recording(seed=i) for i in range(2)], tmp_path / "healthy", tmp_path, hz=10.0)


def test_tfds_reads_a_real_set_written_again(tmp_path):
    found = find_shared_data("rlds-octo-bridge")
    if found is None:
        pytest.skip("the shared data set rlds-octo-bridge is not on this machine (FIELDLOOP_SHARED)")
    recordings = list(open_log(found).recordings)[:5]
    compare(recordings, tmp_path / "bridge", tmp_path)


def test_we_read_every_value_of_a_set_that_tfds_wrote(tmp_path):
    (tmp_path / "expected").mkdir()
    run(WRITER, tmp_path, tmp_path / "data", tmp_path / "expected")
    log = open_log(tmp_path / "data")
    found = list(log.recordings)
    assert log.defects == ()
    assert [r.episode.get_fact("split") for r in found] == ["train"] * 3 + ["val"] * 2
    seen = {"train": 0, "val": 0}
    for recording in found:
        assert recording.defects == ()
        number = int(recording.episode.operator.removeprefix("o"))
        expected, streams = np.load(tmp_path / f"expected/{number}.npz"), recording.streams
        assert recording.episode.task == "naïve task"
        assert recording.episode.get_fact("frame") == "[0, 1, 2, 3]"
        assert streams["reward"].nominal_hz == 5.0
        count = len(expected["reward"])
        for name, key in NUMBERS.items():
            wanted = expected[key].reshape(count, -1)
            assert np.array_equal(streams[name].values, wanted), name
            assert streams[name].values.dtype == wanted.dtype, name
        state = expected["state"].reshape(count, -1).astype(np.float32).astype(np.float64)
        assert np.array_equal(streams["observation/state"].values, state)
        assert np.array_equal(
            streams["observation/points"].values, expected["points"].reshape(count, -1), equal_nan=True
        )
        assert streams["action/open"].values[:, 0].tolist() == [bool(i % 2) for i in range(count)]
        assert streams["label"].values[:, 0].tolist() == [i % 2 for i in range(count)]
        for name, key in {"camera/raw": "raw", "camera/squeezed": "squeezed"}.items():
            assert np.array_equal(list(streams[name].pictures.frames()), expected[key])
        assert np.array_equal(list(streams["depth/depth"].pictures.frames()), expected["depth"][:, :, :, 0])
        millimetres = expected["millimetres"][:, :, :, 0]
        metres = np.where(millimetres == 0, np.nan, millimetres.astype(np.float32) / np.float32(1000))
        assert np.array_equal(list(streams["depth/millimetres"].pictures.frames()), metres, equal_nan=True)
        split = recording.episode.get_fact("split")
        jpeg = np.load(tmp_path / f"expected/{split}-{seen[split]}.npy").astype(int)
        seen[split] += 1
        assert np.abs(np.stack(list(streams["camera/image"].pictures.frames())).astype(int) - jpeg).max() <= 3
