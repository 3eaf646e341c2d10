"""A LeRobot dataset's own description, read with suspicion: what it states wrongly or not at all is named."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldloop.model.episode import Defect

INFO = "meta/info.json"
INDEX_COLUMNS = ("timestamp", "frame_index", "episode_index", "index", "task_index")


@dataclass(frozen=True, slots=True)
class Feature:
    """One column or camera as the dataset declares it."""

    key: str
    dtype: str
    shape: tuple[int, ...]
    names: tuple[str, ...]
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_depth(self) -> bool:
        """Does the video hold distances?"""
        return bool(self.info.get("is_depth_map") or self.info.get("video.is_depth_map"))


@dataclass(frozen=True, slots=True)
class Info:
    """What meta/info.json says, as far as it can be read."""

    version: str
    fps: float | None
    robot: str
    features: Mapping[str, Feature]
    raw: Mapping[str, Any]

    @property
    def cameras(self) -> tuple[str, ...]:
        """Keys of the features kept as video."""
        return tuple(key for key, feature in self.features.items() if feature.dtype == "video")

    def total(self, name: str) -> int | None:
        """Return a stated total, None where it is not stated as a whole number."""
        value = self.raw.get(name)
        return value if isinstance(value, int) else None

    def path(self, which: str, default: str, **parts: Any) -> str:
        """Fill a path template of the dataset; the usual one where the dataset's own cannot be filled."""
        template = self.raw.get(which)
        try:
            return str(template or default).format(**parts)
        except (KeyError, IndexError, ValueError, AttributeError):
            return default.format(**parts)


def read_info(root: Path) -> tuple[Info, list[Defect]]:
    """Read meta/info.json; where it is broken the layout on disk decides, and the defect says so."""
    raw, defects = _load(root / INFO)
    version = str(raw.get("codebase_version") or "")
    if not version:
        version = "v3.0" if (root / "meta/episodes").is_dir() else "v2.1"
        defects.append(
            Defect(INFO, "codebase_version", f"The version is not stated; read as {version} by its folders.")
        )
    fps = raw.get("fps")
    if not isinstance(fps, int | float) or isinstance(fps, bool) or fps <= 0:
        fps = None
        defects.append(Defect(INFO, "fps", "No frame rate is stated; it is taken from the timestamps."))
    declared = raw.get("features")
    features = dict(_features(declared, defects)) if isinstance(declared, dict) else {}
    if not features:
        features = {key: Feature(key, "video", (), ()) for key in _video_folders(root, version)}
        defects.append(Defect(INFO, "features", "No features are declared; they are taken from the files."))
    return Info(version, None if fps is None else float(fps), str(raw.get("robot_type") or ""), features, raw), defects


def read_lines(path: Path, defects: list[Defect]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a .jsonl file; a line that is no object is named and passed over."""
    name = f"meta/{path.name}"
    if not path.is_file():
        defects.append(Defect(name, "", "The file is missing."))
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    if not text.strip():
        defects.append(Defect(name, "byte 0", "The file is empty."))
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as wrong:
            defects.append(Defect(name, f"line {number}", f"No JSON: {wrong}."))
            continue
        if isinstance(row, dict):
            yield row
        else:
            defects.append(Defect(name, f"line {number}", "An object was expected."))


def _load(path: Path) -> tuple[dict[str, Any], list[Defect]]:
    if not path.is_file():
        return {}, [Defect(INFO, "", "The file is missing.")]
    try:
        raw = json.loads(path.read_bytes())
    except ValueError as wrong:
        size = path.stat().st_size
        return {}, [Defect(INFO, "byte 0", "The file is empty." if not size else f"No JSON: {wrong}.")]
    if not isinstance(raw, dict):
        return {}, [Defect(INFO, "byte 0", "An object was expected.")]
    return raw, []


def _features(declared: Mapping[str, Any], defects: list[Defect]) -> Iterator[tuple[str, Feature]]:
    for key, row in declared.items():
        if not isinstance(row, Mapping) or not isinstance(row.get("dtype"), str):
            defects.append(Defect(INFO, f"features.{key}", "The feature has no dtype and was left out."))
            continue
        sides = row.get("shape")
        shape = tuple(n for n in sides if isinstance(n, int)) if isinstance(sides, list) else ()
        info = row.get("info") or row.get("video_info") or {}
        yield (
            key,
            Feature(key, row["dtype"], shape, _names(row.get("names")), info if isinstance(info, Mapping) else {}),
        )


def _names(raw: Any) -> tuple[str, ...]:
    """Flatten the three forms in use: a list, a list in a list, a dict of lists.

    >>> _names([["a", "b"]]), _names({"motors": ["a", "b"]}), _names(None)
    (('a', 'b'), ('a', 'b'), ())
    """
    if isinstance(raw, Mapping):
        raw = list(raw.values()) if all(isinstance(v, list) for v in raw.values()) else list(raw)
    if not isinstance(raw, list):
        return ()
    return tuple(name for item in raw for name in (item if isinstance(item, list) else [item]) if isinstance(name, str))


def _video_folders(root: Path, version: str) -> list[str]:
    pattern = "videos/*" if version.startswith("v3") else "videos/chunk-*/*"
    return sorted({folder.name for folder in root.glob(pattern) if folder.is_dir()})
