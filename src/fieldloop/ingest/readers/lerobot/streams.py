"""Columns and videos of a LeRobot episode become streams."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.pictures.video import VideoSpan, read_packets
from fieldloop.ingest.readers.lerobot.info import INDEX_COLUMNS, Feature, Info
from fieldloop.ingest.readers.lerobot.layout import Entry, VideoPlace
from fieldloop.ingest.readers.lerobot.parquet_pictures import ParquetPictures
from fieldloop.ingest.words import kind_of
from fieldloop.model.episode import Defect
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

CAPTURE = "capture_ns"
"""The feature in which a fieldloop release keeps real stamps: one column a camera, the first is the frame grid."""

NAMES = {"observation.state": "joints", "action": "action"}
KINDS = {"observation.state": StreamKind.JOINT_POSITION, "action": StreamKind.ACTION}
IMAGES = "observation.images."
LARGEST_ANGLE_RAD = 4 * math.pi  # two turns either way: beyond it no arm's joint is told in radians
ASSUMED = "radians are assumed: the dataset does not say"
Times = NDArray[np.int64]


def table_streams(arrays: Mapping[str, NDArray[Any]], info: Info, times_ns: Times) -> dict[str, Stream]:
    """Make a stream of every column of numbers that is not bookkeeping."""
    streams = {}
    for key, values in arrays.items():
        if key in INDEX_COLUMNS or key == CAPTURE:
            continue
        feature = info.features.get(key) or Feature(key, str(values.dtype), values.shape[1:], ())
        name = str(feature.info.get("stream") or NAMES.get(key, key))
        kind = _kind(key, feature)
        unit, notes = _unit(kind, feature, values)
        names = feature.names if len(feature.names) == values.shape[1] else ()
        streams[name] = Stream(
            name, kind, unit, _clocks(times_ns, arrays), values, nominal_hz=info.fps, columns=names, notes=notes
        )
    return streams


def picture_streams(root: Path, info: Info, table: Any, times_ns: Times, columns: set[str]) -> dict[str, Stream]:
    """Make a stream of every column that holds encoded pictures."""
    streams = {}
    for key in sorted(columns):
        feature = info.features.get(key)
        if feature and feature.dtype == "image":
            name = camera_name(key)
            source = ParquetPictures(root, table[key])
            clocks = {ClockKind.SYNTHETIC: times_ns}
            streams[name] = Stream(name, StreamKind.RGB, "8-bit", clocks, pictures=source, nominal_hz=info.fps)
    return streams


def camera_streams(
    info: Info, entry: Entry, absent: tuple[str, ...], capture: Mapping[str, Times], defects: list[Defect]
) -> tuple[dict[str, Stream], list[bytes]]:
    """Make a stream of every video, stamped by its container; also return what names the videos' content."""
    streams: dict[str, Stream] = {}
    parts: list[bytes] = []
    for key in info.cameras:
        if key in absent:
            continue  # said once for the whole dataset
        name, feature = camera_name(key), info.features[key]
        if key not in entry.videos:
            defects.append(Defect(name, f"episode {entry.index}", "The table of episodes names no video."))
            continue
        try:
            span = _open(entry.videos[key], info.fps)
            times = span.times_ns - _start_ns(entry.videos[key], span)
        except ValueError as wrong:
            defects.append(Defect(name, entry.videos[key].path.name, f"The video cannot be read: {wrong}."))
            continue
        clocks = {ClockKind.CONTAINER: times}
        if len(capture.get(name, ())) == len(span):
            clocks[ClockKind.HEADER] = capture[name]
        depth = feature.is_depth
        streams[name] = Stream(
            name, StreamKind.DEPTH if depth else StreamKind.RGB, "m" if depth else "8-bit", clocks,
            pictures=None if depth else span, nominal_hz=_rate(feature, info),
            notes={"pixels": "depth kept as video is not decoded"} if depth else {},
        )  # fmt: skip
        parts += [key.encode(), *span.fingerprint()]
    return streams, parts


def camera_name(key: str) -> str:
    """Name a camera's stream.

    >>> camera_name("observation.images.wrist"), camera_name("observation.image")
    ('camera/wrist', 'camera/image')
    """
    return f"camera/{key.removeprefix(IMAGES).removeprefix('observation.').replace('/', '.')}"


def _open(place: VideoPlace, fps: float | None) -> VideoSpan:
    if not place.path.is_file():
        raise ValueError("the file is missing")
    packets = read_packets(place.path)
    if place.from_s is None or place.to_s is None:
        return VideoSpan(place.path, packets, 0, len(packets.pts))
    half_ns = NS_PER_S / (2 * (fps or NS_PER_S))
    bounds = [place.from_s * NS_PER_S - half_ns, place.to_s * NS_PER_S - half_ns]
    first, last = np.searchsorted(packets.times_ns, bounds)
    return VideoSpan(place.path, packets, int(first), int(last))


def _start_ns(place: VideoPlace, span: VideoSpan) -> int:
    if place.from_s is not None:
        return round(place.from_s * NS_PER_S)
    return int(span.times_ns[0]) if len(span) else 0


def _rate(feature: Feature, info: Info) -> float | None:
    rate = feature.info.get("video.fps")
    return float(rate) if isinstance(rate, int | float) and rate > 0 else info.fps


def _clocks(times_ns: Times, arrays: Mapping[str, NDArray[Any]]) -> dict[ClockKind, Times]:
    """Rows were resampled onto the first camera's frames, so its real stamps, where kept, are theirs."""
    clocks = {ClockKind.SYNTHETIC: times_ns}
    capture = arrays.get(CAPTURE)
    if capture is not None and len(capture) == len(times_ns):
        clocks[ClockKind.HEADER] = capture[:, 0].astype(np.int64)
    return clocks


def _kind(key: str, feature: Feature) -> StreamKind:
    stated = str(feature.info.get("kind") or "")
    if stated in set(StreamKind):
        return StreamKind(stated)
    if key in KINDS:
        return KINDS[key]
    if not key.startswith("observation."):
        return StreamKind.OTHER
    kind = kind_of(key.removeprefix("observation."))
    return StreamKind.OTHER if kind in (StreamKind.RGB, StreamKind.DEPTH, StreamKind.ACTION) else kind


def _unit(kind: StreamKind, feature: Feature, values: NDArray[Any]) -> tuple[str, dict[str, str]]:
    if "unit" in feature.info:
        return str(feature.info["unit"]), {}
    if kind not in (StreamKind.JOINT_POSITION, StreamKind.ACTION):
        return "", {}
    finite = np.abs(values[np.isfinite(values)]) if values.dtype.kind == "f" else np.abs(values)
    reach = float(finite.max()) if finite.size else 0.0
    words = " ".join(feature.names).lower()
    if "deg" in words or reach > LARGEST_ANGLE_RAD:
        return "", {"unit": f"not told: values reach {reach:.4g}, so they are hardly radians"}
    return "rad", {"unit": ASSUMED}
