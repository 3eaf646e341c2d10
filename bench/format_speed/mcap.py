"""MCAP: messages raw, ROS 2 decoded into columns, stamps alone; against the `mcap` package in the same run.

Neither side sorts (`log_time_order=False` for theirs). Raw: theirs hands over every message as an object
(`make_reader(…, validate_crcs=True)`); ours every message as arrays and views; both check the checksums of chunks, ours
those of summary, attachments and data too. Every payload is touched on both sides, one by one; `mcap_arrays_ratio`
leaves our payloads in their buffers, as our own readers use them. Decoded: theirs makes an object of every message
(`mcap-ros2-support`); ours the streams of a Recording, clocks and identity included. All times are of the processor,
one thread each: other work on the machine counts less.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.format_speed.mcap_stamps import stamps
from bench.harness import Figure, summarise
from fieldloop.ingest.readers.mcap import McapReader
from fieldloop.ingest.readers.mcap.scan import McapScan
from fieldloop_robot.messages import Imu, JointState, Message, PoseStamped, WrenchStamped

MILLISECOND = 1_000_000
CAMERAS, PICTURE_BYTES = 2, 12_000
SMALL_TOPICS, SMALL_PER_PICTURE = 8, 3


def speed(*, short: bool) -> dict[str, Figure]:
    """Return ratios (theirs : ours, in time) and what they are made of."""
    runs = 6 if short else 9
    with tempfile.TemporaryDirectory() as folder:
        raw = _write_mixed(Path(folder, "raw.mcap"), steps=3000 if short else 6500)
        typed = _write_typed(Path(folder, "typed.mcap"), steps=5000 if short else 20_000)
        theirs, ours = _race(lambda: _their_touched(raw), lambda: _our_touched(raw), runs)
        plain, arrays = _race(lambda: _their_count(raw), lambda: _our_count(raw), runs)
        decoded, columns = _race(lambda: _their_decoded(typed), lambda: _our_decoded(typed), runs)
        times = _timed(lambda: sum(len(t) for t in stamps(raw).values()), runs)
    messages, rows = _count(plain), _count(decoded)
    return {
        "mcap_raw_ratio": _ratio(theirs, ours, "≥ 8"),
        "mcap_arrays_ratio": _ratio(plain, arrays),
        "ros2_decoded_ratio": _ratio(decoded, columns, "≥ 10"),
        "mcap_raw_msg_per_s": summarise([messages / run.seconds for run in ours], "msg/s"),
        "mcap_package_msg_per_s": summarise([messages / run.seconds for run in theirs], "msg/s"),
        "ros2_decoded_msg_per_s": summarise([rows / run.seconds for run in columns], "msg/s"),
        "mcap_stamps_msg_per_s": summarise([messages / run.seconds for run in times], "msg/s"),
    }


class Run(NamedTuple):
    """What was counted (messages, or the bytes and last bytes of payloads), in how much processor time."""

    messages: int
    seconds: float


def _race(theirs: Callable[[], int], ours: Callable[[], int], runs: int) -> tuple[list[Run], list[Run]]:
    """Run both in turn, so that what slows the machine slows both."""
    theirs(), ours()  # warm up: first-use imports do not count as reading
    pairs = [(_once(theirs), _once(ours)) for _ in range(runs)]
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert _count(first) == _count(second), "both must have read the same"
    return first, second


def _timed(work: Callable[[], int], runs: int) -> list[Run]:
    work()
    return [_once(work) for _ in range(runs)]


def _once(work: Callable[[], int]) -> Run:
    begun = time.process_time()
    return Run(work(), time.process_time() - begun)


def _count(runs: list[Run]) -> int:
    (count,) = {run.messages for run in runs}
    return count


def _ratio(theirs: list[Run], ours: list[Run], aim: str = "") -> Figure:
    return summarise([a.seconds / b.seconds for a, b in zip(theirs, ours, strict=True)], "×", aim)


def _their_count(path: Path) -> int:
    from mcap.reader import make_reader

    with path.open("rb") as file:
        return sum(1 for _ in make_reader(file, validate_crcs=True).iter_messages(log_time_order=False))


def _our_count(path: Path) -> int:
    return sum(len(arrived.payloads) for _, arrived in McapScan(path).iterate_batches())


def _their_touched(path: Path) -> int:
    from mcap.reader import make_reader

    with path.open("rb") as file:
        read = make_reader(file, validate_crcs=True).iter_messages(log_time_order=False)
        return sum(len(message.data) + message.data[-1] for _, _, message in read)


def _our_touched(path: Path) -> int:
    return sum(
        len(payload) + payload[-1] for _, arrived in McapScan(path).iterate_batches() for payload in arrived.payloads
    )


def _their_decoded(path: Path) -> int:
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        return sum(1 for _ in reader.iter_decoded_messages(log_time_order=False))


def _our_decoded(path: Path) -> int:
    (recording,) = McapReader().read(path)
    return sum(len(stream) for name, stream in recording.streams.items() if "/" not in name)


def _write_mixed(path: Path, steps: int) -> Path:
    """Two cameras of bytes that do not compress and eight small topics three times as fast, in zstd chunks of 1 MB."""
    from mcap.writer import CompressionType, Writer

    small = np.linspace(0, 1, 28).tobytes()
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=1 << 20, compression=CompressionType.ZSTD)
        writer.start()
        channels = [writer.register_channel(f"/t{i}", "", 0) for i in range(CAMERAS + SMALL_TOPICS)]
        for step in range(steps):
            at = step * 33 * MILLISECOND
            for channel in channels[:CAMERAS]:
                writer.add_message(channel, at, os.urandom(PICTURE_BYTES), at)
            for part in range(SMALL_PER_PICTURE):
                for channel in channels[CAMERAS:]:
                    writer.add_message(channel, at + part * 11 * MILLISECOND, small, at)
        writer.finish()
    return path


def _write_typed(path: Path, steps: int) -> Path:
    """Joints, wrench, IMU and pose at one rate, as a robot's recorder writes them."""
    from mcap.writer import CompressionType, Writer

    random = np.random.default_rng(0)
    names = tuple(f"joint_{i}" for i in range(7))
    kinds: dict[str, Callable[[list[float]], Message]] = {
        "/joint_states": lambda row: JointState(names, row[:7], row[7:14], row[14:21]),
        "/wrench": lambda row: WrenchStamped(row[:6], "tool"),
        "/imu": lambda row: Imu(row[:6], "base"),
        "/tool_pose": lambda row: PoseStamped(row[:7], "base"),
    }
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=1 << 20, compression=CompressionType.ZSTD)
        writer.start()
        channels = {}
        for step, row in enumerate(random.normal(size=(steps, 21)).tolist()):
            at = (1 + step) * MILLISECOND
            for topic, make in kinds.items():
                message = make(row)
                if topic not in channels:
                    schema = writer.register_schema(message.TYPE, "ros2msg", message.SCHEMA.encode())
                    channels[topic] = writer.register_channel(topic, "cdr", schema)
                writer.add_message(channels[topic], at + 2000, message.payload(at), at + 1000)
        writer.finish()
    return path
