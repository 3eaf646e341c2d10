"""Episodes whose frames carry their own number, encoded as asked for: a player that is off by one shows it."""

import zlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.identity import compute_content_id
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.testing.barcode import BITS_A_ROW, ROWS, Mark, MarkedPictures
from fieldloop.testing.synthetic import START_NS

CAMERAS = ("front", "wrist", "left", "right")
Encoding = tuple[str, Mapping[str, str]]
H264: Encoding = ("libx264", {"g": "60", "bf": "3", "preset": "veryfast", "crf": "23"})
H264_SHORT: Encoding = ("libx264", {"g": "10", "bf": "0", "preset": "veryfast", "crf": "23"})
AV1: Encoding = ("libsvtav1", {"g": "2", "preset": "10", "crf": "35"})

READ_MARK = f"""(canvas) => {{
  const d = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, out = [];
  for (let r = 0; r < {ROWS}; r++) {{
    let byte = 0;
    for (let k = 0; k < {BITS_A_ROW}; k++) {{
      const x = Math.floor((k + 0.5) * canvas.width / {BITS_A_ROW}), y = Math.floor((r + 0.5) * canvas.height / {ROWS});
      const at = 4 * (y * canvas.width + x);
      byte = byte * 2 + Number((d[at] + d[at + 1] + d[at + 2]) / 3 > 127);
    }}
    out.push(byte);
  }}
  return out;
}}"""
"""A function of JavaScript that reads the bytes of a mark from a canvas."""


def parse_mark(read_bytes: Sequence[int]) -> Mark | None:
    """Return the mark that these bytes are, None where their check sum is wrong.

    >>> parse_mark([1, 0, 2, 1, 89, zlib.crc32(bytes([1, 0, 2, 1, 89])) & 255])
    Mark(camera=1, episode=2, frame=345)
    """
    *content, total = read_bytes
    if zlib.crc32(bytes(content)) & 255 != total:
        return None
    return Mark(content[0], content[1] << 8 | content[2], content[3] << 8 | content[4])


def make_marked_recording(
    number: int, frames: int, *, hz: float = 30.0, cameras: int = 2, size: tuple[int, int] = (320, 240)
) -> Recording:
    """Make an episode with joints and numbered frames: camera 0 is `front`, 1 is `wrist`."""
    times = START_NS + np.round(np.arange(frames) * NS_PER_S / hz).astype(np.int64)
    clocks = {ClockKind.HEADER: times}
    angles = np.sin(np.arange(frames)[:, None] / hz + np.arange(4) + number)
    joints = Stream("joints", StreamKind.JOINT_POSITION, "rad", clocks, angles, nominal_hz=hz)
    seen = [
        Stream(
            f"camera/{name}", StreamKind.RGB, "8-bit", clocks, nominal_hz=hz,
            pictures=MarkedPictures(camera, number, frames, size),
        )
        for camera, name in enumerate(CAMERAS[:cameras])
    ]  # fmt: skip
    episode = Episode(
        compute_content_id([angles.tobytes()]), f"marked-{number}", "marked", task="count", robot="arm-1",
        start_ns=int(times[0]), end_ns=int(times[-1]),
    )  # fmt: skip
    return Recording(episode, {stream.name: stream for stream in (joints, *seen)})


def encode_again(video: Path, encoding: Encoding) -> None:
    """Replace a video by the same frames at the same times in another encoding."""
    import av

    name, options = encoding
    part = video.with_suffix(".part.mp4")
    with av.open(str(video)) as source, av.open(str(part), "w") as target:
        stream = source.streams.video[0]
        rate = Fraction(stream.average_rate or 30)
        made: Any = target.add_stream(name, rate=rate, options=dict(options))
        made.width, made.height, made.pix_fmt = stream.codec_context.width, stream.codec_context.height, "yuv420p"
        for number, frame in enumerate(source.decode(stream)):
            plain = av.VideoFrame.from_ndarray(frame.to_ndarray(format="rgb24"), format="rgb24")
            plain.pts, plain.time_base = number, 1 / rate
            target.mux(made.encode(plain))
        target.mux(made.encode(None))
    part.replace(video)
