"""The packets that a stretch of video is decoded from, in decoding order, with their place in the file."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.pictures.codec_config import CodecConfig, read_codec_config
from fieldloop.ingest.pictures.packets import Packets
from fieldloop.ingest.pictures.video import VideoSpan

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedSpan:
    """Packets in decoding order; `shown` is the frame's number in the stretch, negative where it only leads in.

    A packet behind the last frame is in the list where a frame of the stretch refers to it.
    """

    path: Path
    config: CodecConfig
    positions: Numbers
    sizes: Numbers
    shown: Numbers
    keys: NDArray[np.bool_]


def list_encoded_packets(video: VideoSpan) -> EncodedSpan:
    """List the packets of a stretch of video; ValueError where they cannot be given out as they are stored."""
    packets, first, last = video.packets, *video.bounds
    if video.depth is not None:
        raise ValueError("its frames are distances")
    if last <= first:
        raise ValueError("it has no frames")
    config = read_codec_config(video.path)
    chosen = select_decoding_order(packets, first, last)
    if (packets.positions[chosen] < 0).any():
        raise ValueError("the places of its packets are not known")
    return EncodedSpan(
        video.path, config, packets.positions[chosen], packets.sizes[chosen], chosen - first, packets.keys[chosen]
    )


def select_decoding_order(packets: Packets, first: int, last: int) -> Numbers:
    """Choose the packets for frames `first` to `last` (not included), as their numbers in the order they are shown.

    A file holds packets in the order they are decoded. Decoding begins at the last key frame that is both stored
    before every packet of the stretch and shown no later than its first frame.
    """
    order: Numbers = np.argsort(packets.positions, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    wanted = place[first:last]
    keys = order[: int(wanted.min()) + 1]
    keys = keys[packets.keys[keys] & (keys <= first)]
    begin = int(place[keys[-1]]) if len(keys) else 0
    return order[begin : int(wanted.max()) + 1]
