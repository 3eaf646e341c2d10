"""Columns and videos of a LeRobot episode become streams."""

import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from fieldloop.ingest.meaning import add_meaning_note
from fieldloop.ingest.pictures.depth_video import parse_depth_codes
from fieldloop.ingest.pictures.video import VideoSpan, read_packets
from fieldloop.ingest.readers.lerobot.dataset import Dataset
from fieldloop.ingest.readers.lerobot.info import INDEX_COLUMNS, Feature, Info
from fieldloop.ingest.readers.lerobot.layout import Entry, VideoPlace
from fieldloop.ingest.readers.lerobot.parquet_pictures import ParquetPictures
from fieldloop.ingest.readers.lerobot.rate import Rate, choose_rate, find_frame_at
from fieldloop.ingest.readers.lerobot.rows import Rows
from fieldloop.ingest.readers.lerobot.stamps import Stamps
from fieldloop.ingest.stamps import Times
from fieldloop.ingest.state_columns import StateColumns, classify_state_columns
from fieldloop.ingest.units import guess_unit
from fieldloop.ingest.words import infer_kind_from_name
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note
from fieldloop.model.provenance import ASSUMPTION_NOTES, StreamFact
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import SHAPE, upgrade_notes

STATES = ("observation.state", "state", "observation/state", "observation.qpos", "qpos")
ACTIONS = ("action", "actions")
NAMES = dict.fromkeys(STATES, "joints") | dict.fromkeys(ACTIONS, "action")
"""Other toolchains' names of the state and the action."""

ASSUMED_MEANINGS = {
    StateColumns.MIXED: "joint positions: some of the columns are named as joints, others are not",
    StateColumns.UNNAMED: "joint positions: the dataset does not name the columns of its state",
}
IMAGES = "observation.images."
GUESSED = (StreamKind.JOINT_POSITION, StreamKind.ACTION)
HEIGHT, WIDTH, CHANNELS = "height", "width", (1, 3, 4)
PICTURE_AXES = 3
NO_RETURN = "stored as video in 4096 steps; the lowest step is read as no measurement"
KIND_VALUES = {kind.value: kind for kind in StreamKind}


def make_table_streams(rows: Rows, info: Info, times_ns: Times, rate: Rate, stamps: Stamps) -> dict[str, Stream]:
    """Make a stream of every column of numbers that is neither bookkeeping nor stamps."""
    streams: dict[str, Stream] = {}
    for key, values in rows.arrays.items():
        if key in INDEX_COLUMNS or key in stamps.columns:
            continue
        feature = info.features.get(key) or Feature(key, str(values.dtype), values.shape[1:], ())
        kind = _infer_kind(key, feature)
        usual = key if kind is StreamKind.OTHER else NAMES.get(key, key)
        name = _choose_stream_name(feature, usual, streams)
        unit, notes = _choose_unit(kind, feature, values)
        names = feature.names if len(feature.names) == values.shape[1] else ()
        notes = notes | _make_meaning_notes(key, feature)
        if "kind" not in feature.info:
            notes = add_meaning_note(key, kind, unit, feature.names, values, notes)
        real, stamp_notes = stamps.get_clock(key)
        streams[name] = Stream(
            name, kind, unit, {ClockKind.SYNTHETIC: times_ns} | real, values, columns=names,
            nominal_hz=_choose_nominal_hz(feature, rate.hz),
            notes=notes | stamp_notes | _make_rate_notes(feature,
            rate) | _make_shape_notes(feature) | _read_info_notes(feature),
            frame_id=_read_info_text(feature, "frame_id"), serial=_read_info_text(feature, "serial"),
        )  # fmt: skip
    return streams


def make_picture_streams(
    root: Path, info: Info, rows: Rows, times_ns: Times, rate: Rate, stamps: Stamps
) -> tuple[dict[str, Stream], list[bytes]]:
    """Make a stream of every column that holds encoded pictures; also return what names their content."""
    streams: dict[str, Stream] = {}
    parts: list[bytes] = []
    for key in sorted({name for shard, _, _ in rows.places for name in shard.pictures}):
        feature = info.features.get(key) or Feature(key, "image", (), ())
        name = _choose_stream_name(feature, make_camera_name(key), streams)
        source = ParquetPictures(root, key, [(shard.path, start, stop) for shard, start, stop in rows.places])
        real, stamp_notes = stamps.get_clock(key)
        depth = feature.is_depth or _infer_kind(key, feature) is StreamKind.DEPTH
        streams[name] = Stream(
            name, StreamKind.DEPTH if depth else StreamKind.RGB, "m" if depth else "8-bit",
            {ClockKind.SYNTHETIC: times_ns} | real, pictures=source, nominal_hz=_choose_nominal_hz(feature, rate.hz),
            notes=stamp_notes | _make_rate_notes(feature, rate) | _read_info_notes(feature),
            frame_id=_read_info_text(feature, "frame_id"), serial=_read_info_text(feature, "serial"),
        )  # fmt: skip
        parts += [key.encode(), *source.fingerprint()]
    return streams, parts


def make_camera_streams(
    dataset: Dataset, rate: Rate, entry: Entry, stamps: Stamps, defects: list[Defect]
) -> tuple[dict[str, Stream], list[bytes]]:
    """Make a stream of every video, stamped by its container; also return what names the videos' content."""
    streams: dict[str, Stream] = {}
    parts: list[bytes] = []
    for key in dataset.info.cameras:
        if key in dataset.absent:
            continue  # said once for the whole dataset
        feature = dataset.info.features[key]
        name = _choose_stream_name(feature, make_camera_name(key), streams)
        if key not in entry.videos:
            defects.append(Defect.from_place(name, "episode", entry.index, note("ingest.video_not_listed")))
            continue
        place = dataset.videos.find_video(key, entry.videos[key])
        try:
            span = _open_video(place, feature)
            parts += [key.encode(), *span.fingerprint()]
        except (ValueError, OSError) as wrong:
            elsewhere = dataset.videos.note_namesakes(key, place, entry.data_path)
            message = elsewhere or note("ingest.part_unreadable", part="video", reason=str(wrong))
            defects.append(Defect(name, place.path.name, message))
            continue
        stated = _read_stated_size(feature)
        if stated and stated != span.size:
            (width, height), (stated_width, stated_height) = span.size, stated
            message = note(
                "ingest.picture_size_differs", width=width, height=height, stated_width=stated_width,
                stated_height=stated_height,
            )  # fmt: skip
            defects.append(Defect(name, place.path.name, message, Harm.MISLEADS))
        clocks, stamp_notes = stamps.get_clock(key)
        if any(len(times) != len(span) for times in clocks.values()):
            clocks, stamp_notes = {}, {}
        pixels = {"pixels": NO_RETURN} if feature.is_depth else {}
        depth, shown = feature.is_depth, choose_rate(_read_stated_rate(feature) or rate.hz, span.times_ns)
        if ClockKind.SYNTHETIC not in clocks:  # else the video's stamps were made up with it
            clocks = {ClockKind.CONTAINER: span.times_ns - _find_start_ns(place, span)} | clocks
        streams[name] = Stream(
            name, StreamKind.DEPTH if depth else StreamKind.RGB, "m" if depth else "8-bit", clocks,
            pictures=span, nominal_hz=_choose_nominal_hz(feature, shown.hz),
            notes=stamp_notes | pixels | _make_rate_notes(feature, shown) | _read_info_notes(feature),
            frame_id=_read_info_text(feature, "frame_id"), serial=_read_info_text(feature, "serial"),
        )  # fmt: skip
    return streams, parts


def _choose_stream_name(feature: Feature, default_name: str, taken_names: Collection[str]) -> str:
    """Name a stream as the release did, else as usual; two features are never one stream."""
    name = str(feature.info.get("stream") or default_name)
    return feature.key if name in taken_names else name


def make_camera_name(key: str) -> str:
    """Name a camera's stream.

    >>> make_camera_name("observation.images.wrist"), make_camera_name("observation.image")
    ('camera/wrist', 'camera/image')
    """
    return f"camera/{key.removeprefix(IMAGES).removeprefix('observation.').replace('/', '.')}"


def _open_video(place: VideoPlace, feature: Feature) -> VideoSpan:
    codes = parse_depth_codes(feature.info) if feature.is_depth else None
    packets = read_packets(place.path)
    if place.from_s is None or place.to_s is None:
        return VideoSpan(place.path, packets, 0, len(packets.pts), codes)
    first, last = (find_frame_at(packets, seconds) for seconds in (place.from_s, place.to_s))
    if place.length is not None and last + 1 == first + place.length <= len(packets.pts):
        last += 1  # the stated end is the last frame's own moment
    return VideoSpan(place.path, packets, first, max(first, last), codes)


def _find_start_ns(place: VideoPlace, span: VideoSpan) -> int:
    """Return the moment of the video from which its stamps count: its first frame, unless frames before it are lost."""
    first = int(span.times_ns[0]) if len(span) else 0
    if place.from_s is None:
        return first
    stated = round(place.from_s * NS_PER_S)
    near = len(span) > 1 and abs(first - stated) <= int(span.times_ns[1] - first) // 2
    return first if near else stated


def _read_stated_size(feature: Feature) -> tuple[int, int] | None:
    """Return the width and height that a camera's feature declares, None where the order is ambiguous."""
    named = dict(zip(feature.names, feature.shape, strict=False)) if len(feature.names) == len(feature.shape) else {}
    if HEIGHT in named and WIDTH in named:
        return named[WIDTH], named[HEIGHT]
    if len(feature.shape) != PICTURE_AXES:
        return None
    first, middle, last = feature.shape
    if last in CHANNELS:
        return middle, first
    return (last, middle) if first in CHANNELS else None


def _read_stated_rate(feature: Feature) -> float | None:
    rate = feature.info.get("video.fps")
    return float(rate) if isinstance(rate, int | float) and 0 < rate < math.inf else None


def _read_info_text(feature: Feature, name: str) -> str:
    """What a release remembers of the sensor behind a feature."""
    return str(feature.info.get(name) or "")


def _read_info_notes(feature: Feature) -> dict[str, str]:
    """What a release remembers to be uncertain about a stream, and how it came onto the grid."""
    notes = feature.info.get("notes")
    return upgrade_notes({str(key): str(text) for key, text in notes.items()}) if isinstance(notes, dict) else {}


def _choose_nominal_hz(feature: Feature, default_hz: float | None) -> float | None:
    """The rate a release states for a stream, which may be none; else the usual one."""
    rate = feature.info.get("nominal_hz", default_hz)
    return float(rate) if isinstance(rate, int | float) and 0 < rate < math.inf else None


def _make_rate_notes(feature: Feature, rate: Rate) -> dict[str, str]:
    """What is odd about the usual rate; nothing where a release states the stream's own."""
    return {} if "nominal_hz" in feature.info else dict(rate.notes)


def _make_shape_notes(feature: Feature) -> dict[str, str]:
    """What a row was before it became columns."""
    sides = " × ".join(map(str, feature.shape))
    return {SHAPE: f"{sides}, row by row"} if len(feature.shape) > 1 else {}


def _make_meaning_notes(key: str, feature: Feature) -> dict[str, str]:
    """What is assumed of a state whose columns do not say that they are joints; a release states its kinds."""
    if key not in STATES or "kind" in feature.info:
        return {}
    assumed = ASSUMED_MEANINGS.get(classify_state_columns(feature.names))
    return {ASSUMPTION_NOTES[StreamFact.MEANING]: assumed} if assumed else {}


def _infer_kind(key: str, feature: Feature) -> StreamKind:
    stated = KIND_VALUES.get(str(feature.info.get("kind") or ""))
    if stated is not None:
        return stated
    if key in STATES:
        no_joint = classify_state_columns(feature.names) is StateColumns.NO_JOINT
        return StreamKind.OTHER if no_joint else StreamKind.JOINT_POSITION
    if key in ACTIONS or key.startswith("action."):
        return StreamKind.ACTION
    if not key.startswith("observation."):
        return StreamKind.OTHER
    kind = infer_kind_from_name(key.removeprefix("observation."))
    pictures = (StreamKind.RGB, StreamKind.ACTION) if feature.dtype == "image" else (*PICTURES, StreamKind.ACTION)
    return StreamKind.OTHER if kind in pictures else kind


PICTURES = (StreamKind.RGB, StreamKind.DEPTH)


def _choose_unit(kind: StreamKind, feature: Feature, values: NDArray[Any]) -> tuple[str, dict[str, str]]:
    if "unit" in feature.info:
        return str(feature.info["unit"]), {}
    return guess_unit(kind, values, feature.names) if kind in GUESSED else ("", {})
