"""Every reader, fed hurt logs for a minute: no crash, no hang, no hunger, and no silence where bytes are checked.

By default the same cases each time, so that a change is to blame when one breaks. To search for new ones, set
FIELDLOOP_FUZZ_SEED, FIELDLOOP_FUZZ_CASES and FIELDLOOP_FUZZ_SECONDS (a reader); FIELDLOOP_FUZZ_KEEP says where broken
cases are kept.
"""

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.ingest.bag_makers import Format, StoragePlugin, write_ros1, write_rosbag2
from tests.laws import test_every_reader
from tests.laws.test_every_reader import MAKERS
from tests.soak.fuzz import fuzz

from fieldloop.testing.shared import find_shared_data
from fieldloop.testing.synthetic import make_healthy_recording, replace_streams

SECONDS = float(os.environ.get("FIELDLOOP_FUZZ_SECONDS", "50"))
SEED = os.environ.get("FIELDLOOP_FUZZ_SEED", "1")
CASES = int(os.environ.get("FIELDLOOP_FUZZ_CASES", "600"))
KEEP = Path(os.environ.get("FIELDLOOP_FUZZ_KEEP") or Path(tempfile.gettempdir()) / "fieldloop-fuzz")
CHECKSUMMED = {"mcap": "", "rlds": ".tfrecord"}
"""Where every byte is under a checksum: all of the log, or the files with this in their name."""
MORE = {
    "ros1": [lambda f: write_ros1(f / "lz4.bag", Format.LZ4), lambda f: write_ros1(f / "bz2.bag", Format.BZ2)],
    "rosbag2": [
        lambda f: next(write_rosbag2(f / "single").glob("*.db3")),
        lambda f: write_rosbag2(f / "packed", mode="message"),
        lambda f: write_rosbag2(f / "archived", mode="file"),
        lambda f: write_rosbag2(f / "mcap", StoragePlugin.MCAP),
    ],
}


REAL = {
    "hdf5": ["hdf5-d4rl-adroit-human/d4rl_adroit_pen/dummy_data/pen-human-v1.hdf5"],
    "ros1": ["ros1-bags/rosbagjs/example-unsorted-chunks.bag"],
    "rosbag2": ["mcap-ros2/rosbag2/sqlite3/talker", "mcap-ros2/rosbag2/sqlite3/convert_a/rewriter_a_0.db3"],
    "mcap": ["mcap-ros2/rosbag2/mcap/talker/talker.mcap"],
}
SAMPLES = 24


def tiny(*, seed=0):
    """A second of a healthy recording: small logs are hurt and read by the hundred."""
    recording = make_healthy_recording(seed=seed)
    return replace_streams(recording, {name: cut(stream) for name, stream in recording.streams.items()})


def cut(stream):
    clocks = {kind: times[:SAMPLES].copy() for kind, times in stream.clocks.items()}
    if stream.pictures is None:
        return replace(stream, clocks=clocks, values=stream.values[:SAMPLES].copy())
    return replace(stream, clocks=clocks, pictures=replace(stream.pictures, places=stream.pictures.places[:SAMPLES]))


def find(real):
    """A log of the shared data, where this machine has them."""
    name, _, rest = real.partition("/")
    folder = find_shared_data(name)
    return folder / rest if folder else None


@pytest.mark.soak
@pytest.mark.parametrize("name", MAKERS)
def test_no_damage_breaks_a_reader(name, tmp_path, monkeypatch):
    monkeypatch.setattr(test_every_reader, "make_healthy_recording", tiny)
    logs = []
    for number, make in enumerate((MAKERS[name], *MORE.get(name, ()))):
        (tmp_path / str(number)).mkdir()
        logs.append(Path(make(tmp_path / str(number))))
    logs += [path for real in REAL.get(name, ()) if (path := find(real))]
    findings = fuzz(name, logs, seed=SEED, cases=CASES, seconds=SECONDS, keep=KEEP, checksummed=CHECKSUMMED.get(name))
    counts = f"{findings.cases} cases, {findings.complained} with defects, {findings.refused} refused"
    print(f"{name}: seed {SEED}, {counts}, slowest {findings.slowest_s:.1f} s: {findings.slowest}")  # noqa: T201 - the seed must be seen
    assert findings.cases > min(SECONDS, CASES / 2), (
        f"only {counts}: the reader or this machine is too slow to learn anything"
    )
    assert not findings.broken, f"{counts}\n{findings.report()}"
