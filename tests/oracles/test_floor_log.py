"""The floor's MCAP log, opened by the format's own packages in a venv of their own, value by value."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest

from fieldloop.ingest import open_log
from fieldloop.loop.floor import sitting, write_demonstrations
from fieldloop.simulate.floor import Floor

pytestmark = pytest.mark.oracle

HERE = Path(__file__).parents[2] / ".oracles" / "mcap"
READER = """
import json, sys
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

found = {}
with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, decoder_factories=[DecoderFactory()])
    facts = {m.name: dict(m.metadata) for m in reader.iter_metadata()}
    for schema, channel, message, decoded in reader.iter_decoded_messages():
        row = found.setdefault(channel.topic, {"stamps": [], "log": [], "position": []})
        row["stamps"].append(decoded.header.stamp.sec * 10**9 + decoded.header.stamp.nanosec)
        row["log"].append(message.log_time)
        if schema.name == "sensor_msgs/msg/JointState":
            row["position"].append(list(decoded.position))
json.dump({"facts": facts, "topics": found}, sys.stdout)
"""


@pytest.fixture(scope="module")
def python():
    if not (HERE / "bin" / "python").exists():
        venv.create(HERE, with_pip=True)
        subprocess.run([HERE / "bin" / "pip", "install", "-q", "mcap", "mcap-ros2-support"], check=True)
    return HERE / "bin" / "python"


def test_an_independent_reader_finds_what_ours_finds(python, tmp_path):
    floor = Floor(5)
    stratum = floor.production_mix()[0].stratum
    (log,) = write_demonstrations(
        sitting(floor, [stratum], tmp_path, floor.operators(), start_ns=1_760_000_000 * 10**9)
    )
    told = subprocess.run([python, "-c", READER, str(log)], check=True, capture_output=True, text=True)
    theirs = json.loads(told.stdout)
    (ours,) = open_log(log).recordings

    assert theirs["facts"]["fieldloop.episode"]["stratum"] == str(stratum) == str(ours.episode.stratum)
    for topic, found in theirs["topics"].items():
        stream = ours.streams[topic.removeprefix("/")]
        assert np.array_equal(stream.times_ns, found["stamps"]), topic
        assert np.array_equal(stream.clocks["log"], found["log"]), topic
        if found["position"]:
            assert np.array_equal(stream.values, found["position"]), topic
    assert len(theirs["topics"]) >= 9
    assert sys.executable != str(python)
