"""Read a LeRobot dataset's own description; wrong or missing entries become defects."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldloop.ingest.stand_in import describe_pointer_bytes, describe_pointer_file
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import Note, note

INFO = "meta/info.json"
OTHER_DTYPES = ("video", "image", "string", "language")
FAR_TOO_WIDE = re.compile(r":[^}]*\d{4}|\{[^}]*\{")  # a number filled up to so many digits would fill all memory
BARE_VERSION = re.compile(r"\d+(\.\d+)*")
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
    def is_number(self) -> bool:
        """Is it kept as numbers in the table?"""
        return self.dtype not in OTHER_DTYPES

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
    cameras: tuple[str, ...]
    """Keys of the features kept as video."""

    @property
    def states_version(self) -> bool:
        """Does the dataset state its version? Else its folders decided."""
        return bool(self.raw.get("codebase_version"))

    @property
    def has_declared_features(self) -> bool:
        """Are the features declared by the dataset, not gathered from its files?"""
        return isinstance(self.raw.get("features"), dict) and bool(self.raw["features"])

    def get_total(self, name: str) -> int | None:
        """Return a stated total, None where it is not stated as a whole number."""
        return parse_whole_number(self.raw.get(name))

    def fill_path_template(self, template_name: str, default: str, **parts: Any) -> str:
        """Fill a path template of the dataset; the usual one where the dataset's own cannot be filled."""
        template = str(self.raw.get(template_name) or default)
        if FAR_TOO_WIDE.search(template):
            return default.format(**parts)
        try:
            return template.format(**parts)
        except (KeyError, IndexError, ValueError, AttributeError):
            return default.format(**parts)


def read_info(root: Path) -> tuple[Info, list[Defect]]:
    """Read meta/info.json; where it is broken the layout on disk decides, and the defect says so."""
    raw, defects = _load_info(root / INFO)
    broken = bool(defects)  # what is missing with the whole file is not reported again, entry by entry
    version = _read_version(raw.get("codebase_version"), defects)
    if not version:
        version = "v3.0" if (root / "meta/episodes").is_dir() else "v2.1"
        defects.append(
            Defect(INFO, "codebase_version", note("ingest.version_not_stated", version=version), Harm.MISLEADS)
        )
    fps = raw.get("fps")
    if not isinstance(fps, int | float) or isinstance(fps, bool) or fps <= 0:
        fps = None
        message = note("ingest.rate_not_stated", note("ingest.rate_from_timestamps"))
        defects.append(Defect(INFO, "fps", message, Harm.MISLEADS))
    declared = raw.get("features")
    features = dict(_parse_features(declared, defects)) if isinstance(declared, dict) else {}
    if not features:
        features = {key: Feature(key, "video", (), ()) for key in _list_video_folders(root, version)}
        message = note("ingest.features_not_declared", note("ingest.features_from_files"))
        defects.append(Defect(INFO, "features", message, Harm.MISLEADS))
    cameras = tuple(key for key, feature in features.items() if feature.dtype == "video")
    robot = str(raw.get("robot_type") or "")
    info = Info(version, None if fps is None else float(fps), robot, features, raw, cameras)
    return info, defects[:1] if broken else defects


def read_json_lines(path: Path, defects: list[Defect]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a .jsonl file; other lines are reported and skipped."""
    name = f"meta/{path.name}"
    if not path.is_file():
        defects.append(Defect(name, "", describe_missing_file(path)))
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    if not text.strip():
        defects.append(Defect.from_place(name, "byte", 0, note("ingest.file_empty")))
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as wrong:
            defects.append(Defect.from_place(name, "line", number, explain_invalid_json(path, wrong)))
            if describe_pointer_bytes(text[:100].encode()):
                return
            continue
        if isinstance(row, dict):
            yield row
        else:
            defects.append(Defect.from_place(name, "line", number, note("ingest.not_an_object")))


def _read_version(stated: object, defects: list[Defect]) -> str:
    """Return the stated version as the format writes it; what is written in another form is reported.

    LeRobot's own parser takes text with or without the v, and refuses a number.

    >>> found = []
    >>> _read_version("v2.1", found), _read_version("3.0", found), _read_version(3.0, found), _read_version(None, found)
    ('v2.1', 'v3.0', 'v3.0', '')
    >>> [(one.message.code, one.harm.value) for one in found]
    [('ingest.version_without_v', 'harmless'), ('ingest.version_is_number', 'misleads')]
    """
    text = str(stated or "").strip()
    if not BARE_VERSION.fullmatch(text):
        return text
    code, harm = (
        ("ingest.version_without_v", Harm.HARMLESS)
        if isinstance(stated, str)
        else ("ingest.version_is_number", Harm.MISLEADS)
    )
    defects.append(Defect(INFO, "codebase_version", note(code, stated=text, version=f"v{text}"), harm))
    return f"v{text}"


def _load_info(path: Path) -> tuple[dict[str, Any], list[Defect]]:
    if not path.is_file():
        return {}, [Defect(INFO, "", describe_missing_file(path))]
    try:
        raw = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as wrong:
        return {}, [Defect.from_place(INFO, "byte", 0, explain_invalid_json(path, wrong))]
    if not isinstance(raw, dict):
        return {}, [Defect.from_place(INFO, "byte", 0, note("ingest.not_an_object"))]
    return raw, []


def describe_missing_file(path: Path) -> Note:
    """Return that a file is missing, and what lies in its place if anything does."""
    return note("ingest.file_missing", reason=describe_pointer_file(path))


def explain_invalid_json(path: Path, error: Exception) -> Note:
    """Return why a file is not JSON: empty, a pointer to the real file, or broken."""
    if not path.stat().st_size:
        return note("ingest.file_empty")
    return note("ingest.not_json", reason=describe_pointer_file(path) or str(error))


def parse_whole_number(value: object) -> int | None:
    """Return a count or an index that was stored as an integer or as a whole float; None for anything else.

    >>> parse_whole_number(7), parse_whole_number(7.0), parse_whole_number(7.5), parse_whole_number("7")
    (7, 7, None, None)
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def _parse_features(declared: Mapping[str, Any], defects: list[Defect]) -> Iterator[tuple[str, Feature]]:
    for key, row in declared.items():
        if not isinstance(row, Mapping) or not isinstance(row.get("dtype"), str):
            defects.append(Defect(INFO, f"features.{key}", note("ingest.feature_without_dtype")))
            continue
        sides = row.get("shape")
        shape = tuple(n for n in sides if isinstance(n, int)) if isinstance(sides, list) else ()
        info = row.get("info") or row.get("video_info") or {}
        yield (
            key,
            Feature(
                key, row["dtype"], shape, _flatten_names(row.get("names")), info if isinstance(info, Mapping) else {}
            ),
        )


def _flatten_names(raw: Any) -> tuple[str, ...]:
    """Flatten the forms in use: a list, lists in lists, a dict of lists, a dict of names to places.

    >>> (_flatten_names([["a", "b"]]), _flatten_names({"motors": ["a", "b"]}),
    ...  _flatten_names({"a": 0, "b": 1}), _flatten_names(None))
    (('a', 'b'), ('a', 'b'), ('a', 'b'), ())
    >>> _flatten_names({"arm": {"left": ["a"], "right": ["b"]}})
    ('a', 'b')
    """
    if isinstance(raw, str):
        return (raw,)
    if isinstance(raw, Mapping):
        nested = all(isinstance(value, list | Mapping) for value in raw.values())
        raw = list(raw.values()) if nested else list(raw)
    return tuple(name for item in raw for name in _flatten_names(item)) if isinstance(raw, list) else ()


def _list_video_folders(root: Path, version: str) -> list[str]:
    pattern = "videos/*" if version.startswith("v3") else "videos/chunk-*/*"
    return sorted({folder.name for folder in root.glob(pattern) if folder.is_dir()})
