"""Memory stays flat: a log of pictures far larger than memory may take, read in a process of its own."""

import io
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.harness import Figure
from fieldloop.ingest.readers.mcap.records import CHUNK, DATA_END, FOOTER, MAGIC, RECORD_HEAD
from fieldloop_robot.messages import CompressedImage

SHORT_BYTES, LONG_BYTES = 1 << 30, 10 << 30
PICTURE_BYTES, PICTURES, CHUNK_BYTES = 200_000, 80, 4_000_000
KILOBYTES = 1024
CHILD = "import sys; from bench.format_speed.memory import read_whole; read_whole(sys.argv[1])"


def peak(*, short: bool) -> dict[str, Figure]:
    """Return the largest memory that reading a log of 1 GB (short) or 10 GB took, and how large the log was."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "pictures.mcap")
        messages = _write(log, SHORT_BYTES if short else LONG_BYTES)
        size = log.stat().st_size
        child = subprocess.run(
            [sys.executable, "-P", "-c", CHILD, str(log)], check=True, stdout=subprocess.PIPE, text=True, env=_paths()
        )
    counted, kilobytes, seconds = child.stdout.split()
    assert int(counted) == messages, "every picture must have been read"
    return {
        "peak_mb": Figure(int(kilobytes) / KILOBYTES, unit="MB", aim="< 1000"),
        "memory_log_gb": Figure(size / (1 << 30), unit="GB"),
        "memory_log_mb_per_s": Figure(size / (1 << 20) / float(seconds), unit="MB/s of processor time"),
    }


def read_whole(path: str) -> None:
    """Read a log with pictures, look at three of them; print how many there are, the peak (kB) and the time (s)."""
    from fieldloop.ingest import open_log

    (recording,) = open_log(Path(path)).recordings
    assert not recording.defects, recording.defects
    (stream,) = recording.streams.values()
    assert stream.pictures is not None
    shown = list(stream.pictures.frames([0, len(stream) // 2, len(stream) - 1]))
    assert len(shown) == len({0, len(stream) // 2, len(stream) - 1})
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(len(stream), _peak_kilobytes(), used.ru_utime + used.ru_stime)


def _peak_kilobytes() -> int:
    """Read the peak of this program alone: ru_maxrss still counts the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def _paths() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _write(path: Path, size: int) -> int:
    """Write the same few chunks over and over until the log is as large as asked; return how many pictures it holds."""
    begin, chunks, end = _parts(_small())
    repeats = size // len(chunks) + 1
    with path.open("wb") as file:
        file.write(begin)
        for _ in range(repeats):
            file.write(chunks)
        file.write(end)
    return repeats * PICTURES


def _small() -> bytes:
    """Return a log of bytes that do not compress, as pictures in uncompressed chunks."""
    from mcap.writer import CompressionType, Writer

    made = io.BytesIO()
    writer = Writer(made, chunk_size=CHUNK_BYTES, compression=CompressionType.NONE)
    writer.start()
    schema = writer.register_schema(CompressedImage.TYPE, "ros2msg", CompressedImage.SCHEMA.encode())
    channel = writer.register_channel("/camera", "cdr", schema)
    for number in range(PICTURES):
        at = (1 + number) * 10_000_000
        writer.add_message(channel, at, CompressedImage("jpeg", os.urandom(PICTURE_BYTES)).payload(at), at)
    writer.finish()
    return made.getvalue()


def _parts(log: bytes) -> tuple[bytes, bytes, bytes]:
    """Cut a log into what comes before its chunks, its chunks with their indexes, and an end without a summary."""
    places: dict[int, int] = {}
    at = len(MAGIC)
    while DATA_END not in places:
        opcode, length = RECORD_HEAD.unpack_from(log, at)
        places.setdefault(opcode, at)
        at += RECORD_HEAD.size + length
    end = RECORD_HEAD.pack(DATA_END, 4) + bytes(4) + RECORD_HEAD.pack(FOOTER, 20) + bytes(20) + MAGIC
    return log[: places[CHUNK]], log[places[CHUNK] : places[DATA_END]], end
