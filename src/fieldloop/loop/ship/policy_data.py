"""What a dataset states that a policy was trained on: features, their names, and the rate."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.serve.checking.dataset import DatasetFacts, read_info


def read_dataset_facts(folder: Path) -> DatasetFacts:
    """Read the features of a LeRobot dataset from meta/info.json and meta/stats.json; no row is read."""
    info = _read_json(folder / "meta" / "info.json")
    if info is None:
        raise BadInput(f"{folder} is not a LeRobot dataset: meta/info.json is missing.")
    return read_info(info, _read_json(folder / "meta" / "stats.json") or {}, folder.name or str(folder))


def _read_json(path: Path) -> Mapping[str, Any] | None:
    if not path.is_file():
        return None
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as wrong:
        raise BadInput(f"{path} is not valid JSON: {wrong}.") from wrong
    if not isinstance(read, dict):
        raise BadInput(f"{path} holds a JSON {type(read).__name__}, not an object.")
    return read
