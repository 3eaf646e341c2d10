"""The packet table of any video file, by reading through it with a demuxer: slower than its boxes, knows everything."""

from pathlib import Path

import numpy as np

from fieldloop.ingest.pictures.packets import Packets, sort_packets_by_presentation

NAMES = {"libdav1d": "av1", "libaom-av1": "av1"}


def explain_decoder_error(wrong: Exception) -> str:
    """Return what a demuxer met, without its number, class or path.

    >>> explain_decoder_error(OSError(1094995529, "Invalid data found when processing input", "a.mp4"))
    'the decoder finds no video in it (invalid data found when processing input)'
    """
    text = str(getattr(wrong, "strerror", None) or wrong)
    return f"the decoder finds no video in it ({text[:1].lower()}{text[1:]})"


def list_packets_by_demuxer(path: Path) -> Packets:
    """List a video's packets; ValueError where it is not a readable video."""
    import av

    rows: list[tuple[int, int, bool, int]] = []
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise ValueError("it has no video stream")
            stream = container.streams.video[0]
            context, base = stream.codec_context, stream.time_base
            if context is None or base is None:
                raise ValueError("its codec is not known")
            size, codec = (context.width, context.height), NAMES.get(context.name, context.name)
            for packet in container.demux(stream):
                if packet.pts is not None and packet.size and not packet.is_discard:
                    at = packet.pos if packet.pos is not None else -1
                    rows.append((packet.pts, packet.size, packet.is_keyframe, at))
    except (av.FFmpegError, OSError) as wrong:
        if not rows:
            raise ValueError(explain_decoder_error(wrong)) from wrong
    table = np.asarray(rows, np.int64).reshape(-1, 4)
    unit = (base.numerator, base.denominator)
    return sort_packets_by_presentation(
        codec, size, unit, table[:, 0], table[:, 1], table[:, 2].astype(np.bool_), table[:, 3]
    )
