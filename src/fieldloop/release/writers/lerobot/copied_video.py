"""Copy the packets of an episode's frames into a video of its own, without decoding: every pixel stays as it is."""

from collections.abc import Collection, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fieldloop.model.stream import VideoPart


class CopiedVideo(NamedTuple):
    """What was copied, as the format names it."""

    codec: str
    pix_fmt: str


def copy_packets(part: VideoPart, target: Path, fps: int, codecs: Collection[str]) -> CopiedVideo | None:
    """Write the frames into a new file at an even rate; None, and no file, where they cannot be cut out as they are."""
    import av

    try:
        with av.open(part.path) as source:
            stream = source.streams.video[0]
            codec = stream.codec_context.codec.canonical_name
            packets = _collect_packets(source, stream, part) if codec in codecs else None
            if packets is None:
                return None
            with av.open(str(target), "w") as container:
                copy = container.add_stream_from_template(stream, opaque=True)
                for packet in _restamp_at_even_rate(packets, fps):
                    packet.stream = copy
                    container.mux(packet)
            return CopiedVideo(codec, str(stream.codec_context.pix_fmt))
    except (av.FFmpegError, OSError, ValueError, IndexError):
        target.unlink(missing_ok=True)
        return None


def _collect_packets(source: Any, stream: Any, part: VideoPart) -> list[Any] | None:
    """Return the packets of these frames in decoding order; None unless they begin with a key frame and stay together.

    A packet of other frames among them would be missing when they are decoded alone.
    """
    if not len(part.pts):
        return None
    wanted = set(part.pts.tolist())
    source.seek(int(part.pts[0]), stream=stream, backward=True)
    found: list[Any] = []
    for packet in source.demux(stream):
        if not packet.size or packet.pts is None:
            continue
        if packet.pts in wanted:
            found.append(packet)
        elif found:
            return None
        if len(found) == len(wanted):
            break
    whole = len(found) == len(wanted) == len(part.pts) and found[0].is_keyframe and found[0].pts == part.pts[0]
    return found if whole else None


def _restamp_at_even_rate(packets: list[Any], fps: int) -> Iterator[Any]:
    """Yield packets with the frame number as timestamp; decoding comes early enough for frames that are shown late."""
    ranks = np.argsort(np.argsort([packet.pts for packet in packets]))
    delay = int((np.arange(len(packets)) - ranks).max())
    for number, (packet, rank) in enumerate(zip(packets, ranks.tolist(), strict=True)):
        packet.time_base = Fraction(1, fps)
        packet.pts, packet.dts, packet.duration = rank, number - delay, 1
        yield packet
