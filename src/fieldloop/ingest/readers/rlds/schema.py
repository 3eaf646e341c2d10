"""What features.json declares: for every path in an Example its form, type and shape."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldloop.model.episode import Defect
from fieldloop.model.note import note

FEATURES = "features.json"
DEEPEST = 32
FROM_RECORDS = note("ingest.shapes_from_records")
FORMS = {"tensor": "tensor", "image": "image", "text": "text", "classLabel": "tensor", "boundingBox": "tensor"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """One feature that holds values. `rank` counts the sequences around it; -1 in a shape is any length."""

    path: str
    form: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    encoding: str = ""
    rank: int = 0
    description: str = ""
    optional: bool = False

    @property
    def size(self) -> int | None:
        """How many values does one of it have? None where it differs."""
        count = 1
        for side in self.shape:
            count *= side
        return count if all(side >= 0 for side in self.shape) else None


def read_schema(folder: Path) -> tuple[dict[str, Leaf], list[Defect]]:
    """Read features.json; where it is missing or broken, shapes are taken from the records, and the defect says so."""
    path = folder / FEATURES
    if not path.is_file():
        return {}, [Defect(FEATURES, "", note("ingest.file_missing", FROM_RECORDS))]
    try:
        declared = json.loads(path.read_bytes())
        leaves = {leaf.path: leaf for leaf in _parse_leaves(declared, "", 0, DEEPEST)}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as wrong:
        empty = not path.stat().st_size
        broken = note("ingest.file_unreadable", FROM_RECORDS, reason=str(wrong))
        return {}, [
            Defect.from_place(FEATURES, "byte", 0, note("ingest.file_empty", FROM_RECORDS) if empty else broken)
        ]
    if not any(leaves):
        return {}, [Defect(FEATURES, "", note("ingest.features_not_declared", FROM_RECORDS))]
    return leaves, []


def _parse_leaves(feature: Mapping[str, Any], path: str, rank: int, max_depth: int) -> Iterator[Leaf]:
    if not max_depth:
        raise ValueError(f"features are nested more than {DEEPEST} levels deep")
    if "featuresDict" in feature:
        for name, inner in feature["featuresDict"].get("features", {}).items():
            yield from _parse_leaves(inner, f"{path}/{name}" if path else str(name), rank, max_depth - 1)
        return
    if "sequence" in feature:
        yield from _parse_leaves(feature["sequence"]["feature"], path, rank + 1, max_depth - 1)
        return
    if "dataset" in feature:
        yield from _parse_leaves(feature["dataset"]["feature"], path, rank + 1, max_depth - 1)
        return
    form = next((form for form in FORMS if form in feature), "")
    stated = feature.get(form) or {}
    kind = FORMS.get(form, "")
    dtype = str(stated.get("dtype") or {"image": "uint8", "text": "string"}.get(form, "int64" if form else ""))
    if dtype in ("string", "object", "str") or (not form and "Text" in str(feature.get("pythonClassName"))):
        kind, dtype = "text", "string"
    encoding = str(stated.get("encoding") or "").lower().removeprefix("none")
    yield Leaf(
        path, kind, dtype, _parse_shape(stated.get("shape")), encoding, rank, str(feature.get("description") or ""),
        bool(stated.get("optional")),
    )  # fmt: skip


def _parse_shape(raw: Any) -> tuple[int, ...]:
    sides = raw.get("dimensions", []) if isinstance(raw, Mapping) else []
    return tuple(max(int(side), -1) for side in sides)
