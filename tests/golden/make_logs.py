"""Make the golden logs anew: `python tests/golden/make_logs.py`. Only when a change of the reading is meant."""

import json
from pathlib import Path

import numpy as np
from mcap.writer import CompressionType, Writer

from fieldloop.ingest import open_log
from fieldloop.model.codec import to_plain
from fieldloop_robot.messages import CompressedImage, JointState, WrenchStamped

HERE = Path(__file__).parent
START = 1_767_225_600_000_000_000


def write_log(path):
    """Two seconds of a small arm: joints at 10 Hz, force at 20 Hz, three frames of depth, a line of text."""
    import cv2

    joints = [JointState(("shoulder", "elbow"), (0.1 * i, -0.05 * i), (1.0, -0.5)) for i in range(20)]
    force = [WrenchStamped((0.1 * i, 0, 5, 0, 0, 0.01 * i), "wrist") for i in range(40)]
    depth = [cv2.imencode(".png", np.full((6, 8), 400 + i, np.uint16))[1].tobytes() for i in range(3)]
    rows = [("/joints", m, START + i * 100_000_000) for i, m in enumerate(joints)]
    rows += [("/force", m, START + i * 50_000_000) for i, m in enumerate(force)]
    rows += [
        ("/depth/overhead", CompressedImage("16UC1; png", d), START + i * 500_000_000) for i, d in enumerate(depth)
    ]
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=1500, compression=CompressionType.ZSTD)
        writer.start(profile="ros2", library="golden")
        writer.add_metadata(
            "fieldloop.episode", {"name": "golden", "task": "pick", "stratum": "bin=front", "lux": "420"}
        )
        channels = {}
        for topic, message, stamp in sorted(rows, key=lambda row: row[2]):
            if topic not in channels:
                schema = writer.register_schema(message.TYPE, "ros2msg", message.SCHEMA.encode())
                channels[topic] = writer.register_channel(topic, "cdr", schema)
            writer.add_message(channels[topic], stamp + 3_000_000, message.payload(stamp), stamp + 1_000_000)
        note = writer.register_channel("/note", "text", 0)
        writer.add_message(note, START + 5, b"hello", START + 5)
        writer.finish()


def reading(path):
    """Say everything a reader makes of a log, in plain values."""
    log = open_log(path)
    (recording,) = log.recordings
    return {
        "episode": to_plain(recording.episode),
        "defects": [to_plain(defect) for defect in (*log.defects, *recording.defects)],
        "streams": {
            name: {
                "kind": stream.kind.value,
                "unit": stream.unit,
                "columns": list(stream.columns),
                "clocks": {
                    kind.value: [len(t), *t[[0, -1]].tolist()] if len(t) else [0] for kind, t in stream.clocks.items()
                },
                "sum": None if stream.values is None else round(float(stream.values.sum()), 9),
                "frames": None if stream.pictures is None else [list(stream.pictures.size), _levels(stream)],
                "frame_id": stream.frame_id,
                "notes": dict(stream.notes),
            }
            for name, stream in recording.streams.items()
        },
    }


def _levels(stream):
    return [round(float(frame.mean()), 6) if frame.size else None for frame in stream.pictures.frames()]


def main():
    whole, cut = HERE / "arm.mcap", HERE / "arm-cut.mcap"
    write_log(whole)
    data = whole.read_bytes()
    cut.write_bytes(data[: len(data) // 3])
    for path in (whole, cut):
        path.with_suffix(".json").write_text(json.dumps(reading(path), indent=1) + "\n")


if __name__ == "__main__":
    main()
