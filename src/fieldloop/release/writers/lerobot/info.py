"""How the dataset describes itself in meta/info.json: every feature with where it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.release.writers.features import Feature
from fieldloop.release.writers.framed import add_resampling_notes
from fieldloop.release.writers.grid import Rule
from fieldloop.release.writers.lerobot.depth import SHIFT_M, DepthScale
from fieldloop.release.writers.lerobot.files import Limits
from fieldloop.release.writers.lerobot.tables import DATA_PATH
from fieldloop.release.writers.lerobot.video import VIDEO_PATH, Encoding

CAPTURE = "capture_ns"
"""The feature with real stamps: the frame grid first, then for each camera when its picture was really taken, then
for each signal whose rows are samples of other moments than the grid's."""

GRID = "frame grid"
INTEGERS = ("frame_index", "episode_index", "index", "task_index")


@dataclass(frozen=True, slots=True)
class Origin:
    """How a stream came onto the grid: by which clock and rule, and how often rows come."""

    clock: ClockKind
    rule: str
    grid_hz: float


def choose_stored_type(feature: Feature) -> str:
    """Return the type a signal is kept in: what learners take in as float32, all else as it was.

    What has no kind may be anything, a clock even, so it is not rounded.
    """
    if feature.dtype == "float64" and feature.kind is StreamKind.OTHER:
        return "float64"
    return "float32" if feature.dtype.startswith("float") else feature.dtype


def describe_signal(feature: Feature, origin: Origin) -> dict[str, Any]:
    """Describe a column of numbers."""
    names = list(feature.columns) or None
    info = _describe_origin(feature, origin)
    return {"dtype": choose_stored_type(feature), "shape": [feature.width], "names": names, "info": info}


def describe_camera(feature: Feature, origin: Origin, fps: int, encoding: Encoding) -> dict[str, Any]:
    """Describe a video."""
    width, height = feature.size
    depth = feature.kind is StreamKind.DEPTH
    channels = 1 if depth else 3
    info = {
        "video.height": height, "video.width": width, "video.codec": encoding.codec, "video.pix_fmt": encoding.pix_fmt,
        "video.fps": fps, "video.channels": channels, "has_audio": False, "is_depth_map": depth,
        "video.video_backend": "pyav",
    }  # fmt: skip
    info |= {f"video.{key}": _parse_number(encoding.options[key]) for key in ("g", "preset") if key in encoding.options}
    if depth:
        scale = DepthScale()
        info |= {
            "video.depth_min": scale.nearest_m, "video.depth_max": scale.farthest_m, "video.shift": SHIFT_M,
            "video.use_log": True, "depth_unit": "m", "video.extra_options": {"x265-params": "lossless=1"},
        }  # fmt: skip
    elif "crf" in encoding.options:
        info["video.crf"] = _parse_number(encoding.options["crf"])
    return {
        "dtype": "video", "shape": [height, width, channels], "names": ["height", "width", "channels"],
        "info": info | _describe_origin(feature, origin),
    }  # fmt: skip


def describe_dataset(
    features: Mapping[str, Any], stamped: Sequence[str], totals: Mapping[str, int], limits: Limits, **stated: Any
) -> dict[str, Any]:
    """Return meta/info.json.

    `stamped` names the streams with stamps beside the grid's; `stated` has the frame rate, the robot, splits and the
    clock.
    """
    whole: dict[str, Any] = dict(features)
    stamps = {"unit": "ns", "grid": stated["clock"]}
    whole[CAPTURE] = {"dtype": "int64", "shape": [1 + len(stamped)], "names": [GRID, *stamped], "info": stamps}
    whole["timestamp"] = {"dtype": "float32", "shape": [1], "names": None}
    whole |= {key: {"dtype": "int64", "shape": [1], "names": None} for key in INTEGERS}
    return {
        "codebase_version": "v3.0", "robot_type": stated["robot"] or None, **totals,
        "chunks_size": limits.files_a_chunk, "fps": stated["fps"],
        "data_files_size_in_mb": limits.data_mb, "video_files_size_in_mb": limits.video_mb, "splits": stated["splits"],
        "data_path": DATA_PATH, "video_path": VIDEO_PATH if _has_video(features) else None, "features": whole,
    }  # fmt: skip


def _has_video(features: Mapping[str, Any]) -> bool:
    return any(feature["dtype"] == "video" for feature in features.values())


def _describe_origin(feature: Feature, origin: Origin) -> dict[str, Any]:
    """Return what a reader needs to restore the stream, with guesses marked as such."""
    as_recorded = origin.rule == Rule.AS_RECORDED.value
    return {
        "stream": feature.name, "kind": feature.kind.value, "unit": feature.unit, "frame_id": feature.frame_id,
        "serial": feature.serial, "clock": origin.clock.value, "resampled": origin.rule,
        "nominal_hz": feature.nominal_hz if as_recorded else origin.grid_hz,
        "notes": dict(feature.notes) | add_resampling_notes(feature.notes, origin.rule, feature.hz),
    }  # fmt: skip


def _parse_number(text: str) -> int | str:
    return int(text) if text.isdigit() else text
