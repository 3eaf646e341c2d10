"""How a decoder must be set up for an MP4's video: the codec in the form of RFC 6381, and its parameters as stored."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fieldloop.ingest.pictures.boxes import BODY, Box, read_moov_box

ENTRY_HEAD, ENTRY_FIELDS = 8, 78
"""Bytes of the sample entry's own head, and of the fields of a picture before its inner boxes."""


@dataclass(frozen=True, slots=True)
class CodecConfig:
    """A codec such as `avc1.64001f`, and the bytes that a decoder needs beside the packets; b'' where it needs none."""

    codec: str
    description: bytes


def read_codec_config(path: Path) -> CodecConfig:
    """Read the set-up of the first video track; ValueError where the file states none that is known."""
    state = path.stat()
    return _read_config_cached(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _read_config_cached(path: Path, _mtime_ns: int, _size: int) -> CodecConfig:
    moov, _ = read_moov_box(path)
    for track in moov.list_children():
        if track.kind == "trak" and bytes(track.require_box("mdia", "hdlr").data[8:12]) == b"vide":
            return parse_sample_description(track.require_box("mdia", "minf", "stbl", "stsd"))
    raise ValueError("it has no video stream")


def parse_sample_description(stsd: Box) -> CodecConfig:
    """Parse the first entry of a sample description."""
    kind = bytes(stsd.data[BODY + 4 : BODY + 8]).decode("latin-1")
    end = BODY + stsd.read_number(BODY)
    start = BODY + ENTRY_HEAD + ENTRY_FIELDS
    inside = {box.kind: bytes(box.data) for box in Box(kind, stsd.at + start, stsd.data[start:end]).list_children()}
    for name, write in WRITERS.items():
        if name in inside:
            return write(kind, inside[name])
    raise ValueError(f"the parameters of {kind!r} are missing")


def _write_h264(kind: str, avcc: bytes) -> CodecConfig:
    return CodecConfig(f"{kind}.{avcc[1:4].hex()}", avcc)


def _write_hevc(kind: str, hvcc: bytes) -> CodecConfig:
    """Write profile, compatibility (bits reversed), tier with level, and constraints without zeros at their end."""
    space = ("", "A", "B", "C")[hvcc[1] >> 6]
    reversed_bits = int(f"{int.from_bytes(hvcc[2:6]):032b}"[::-1], 2)
    constraints = "".join(f".{byte:X}" for byte in hvcc[6:12].rstrip(b"\0"))
    tier = "H" if hvcc[1] >> 5 & 1 else "L"
    return CodecConfig(f"{kind}.{space}{hvcc[1] & 31}.{reversed_bits:X}.{tier}{hvcc[12]}{constraints}", hvcc)


def _write_av1(kind: str, av1c: bytes) -> CodecConfig:
    """AV1 packets carry their parameters themselves."""
    depth = 12 if av1c[2] >> 5 & 1 else 10 if av1c[2] >> 6 & 1 else 8
    tier = "H" if av1c[2] >> 7 else "M"
    return CodecConfig(f"{kind}.{av1c[1] >> 5}.{av1c[1] & 31:02d}{tier}.{depth:02d}", b"")


def _write_vp9(kind: str, vpcc: bytes) -> CodecConfig:
    return CodecConfig(f"{kind}.{vpcc[4]:02d}.{vpcc[5]:02d}.{vpcc[6] >> 4:02d}", b"")


WRITERS: dict[str, Callable[[str, bytes], CodecConfig]] = {
    "avcC": _write_h264, "hvcC": _write_hevc, "av1C": _write_av1, "vpcC": _write_vp9,
}  # fmt: skip
