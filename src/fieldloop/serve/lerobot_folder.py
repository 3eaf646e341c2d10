"""A policy folder of LeRobot: config.json, model.safetensors and the processors beside them, read without weights."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.serve.digests import require_inside
from fieldloop.serve.safetensors import read_arrays, read_header

CONFIG, WEIGHTS, TRAINED = "config.json", "model.safetensors", "train_config.json"
PRE, POST = "policy_preprocessor.json", "policy_postprocessor.json"
ACTION = "action"
NORMALISE, UNNORMALISE, RENAME = "normalizer_processor", "unnormalizer_processor", "rename_observations_processor"


@dataclass(frozen=True, slots=True)
class Feature:
    """One input or output as a configuration states it: VISUAL, STATE, ENV or ACTION, and its shape."""

    kind: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a processor: its name, its settings, and the file of its statistics ('' where it has none)."""

    name: str
    config: Mapping[str, Any]
    state: str = ""


@dataclass(frozen=True, slots=True)
class LerobotFolder:
    """What a policy folder states. Processors are None where the folder has none."""

    folder: Path
    kind: str
    config: Mapping[str, Any]
    inputs: Mapping[str, Feature]
    outputs: Mapping[str, Feature]
    modes: Mapping[str, str]
    before: tuple[Step, ...] | None
    after: tuple[Step, ...] | None

    @property
    def horizon(self) -> int | None:
        """How many rows of actions the network answers; None where the configuration does not state it."""
        stated = self.config.get("chunk_size", self.config.get("horizon"))
        return stated if isinstance(stated, int) and not isinstance(stated, bool) else None

    @property
    def renamed(self) -> dict[str, str]:
        """What the pre-processor renames: a name of the dataset → the policy's own."""
        maps = (step.config.get("rename_map") or {} for step in self.before or () if step.name == RENAME)
        return {old: new for one in maps for old, new in one.items()}

    def get_normaliser(self, step_name: str) -> Step | None:
        """Return the step that normalises (or undoes it), None where there is none."""
        steps = self.before if step_name == NORMALISE else self.after
        return next((step for step in steps or () if step.name == step_name), None)


def is_lerobot_folder(folder: Path) -> bool:
    """Is this a LeRobot policy: a config.json that names a policy's type, its inputs and outputs?"""
    path = folder / CONFIG
    if not path.is_file():
        return False
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(config, dict) and isinstance(config.get("type"), str) and "output_features" in config


def read_lerobot_folder(folder: Path) -> LerobotFolder:
    """Read configuration and processors; no weights and no statistics are loaded."""
    config = _read_json(folder / CONFIG)
    kind = config.get("type")
    if not isinstance(kind, str):
        raise BadInput(f"{folder / CONFIG} names no type of policy, so it is not a LeRobot policy.")
    modes = config.get("normalization_mapping") or {}
    return LerobotFolder(
        folder,
        kind,
        config,
        _read_features(folder, config, "input_features"),
        _read_features(folder, config, "output_features"),
        {str(name): str(mode) for name, mode in modes.items()} if isinstance(modes, Mapping) else {},
        _read_steps(folder / PRE),
        _read_steps(folder / POST),
    )


def read_statistics(folder: Path, step: Step) -> dict[str, dict[str, NDArray[Any]]]:
    """Return the statistics of a normaliser: feature → statistic → numbers."""
    if not step.state or not (folder / step.state).is_file():
        return {}
    found: dict[str, dict[str, NDArray[Any]]] = {}
    for key, values in read_arrays(folder / step.state).items():
        feature, _, statistic = key.rpartition(".")
        found.setdefault(feature, {})[statistic] = np.asarray(values)
    return found


def has_built_in_statistics(folder: Path) -> bool:
    """Does a checkpoint keep statistics among its weights, as LeRobot before 0.4 did? Its header answers."""
    path = folder / WEIGHTS
    return path.is_file() and any(".buffer_" in name and "normalize" in name for name in read_header(path))


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise BadInput(f"{path.parent} is not a LeRobot policy: {path.name} is missing.")
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as wrong:
        raise BadInput(f"{path} is not valid JSON: {wrong}.") from wrong
    if not isinstance(read, dict):
        raise BadInput(f"{path} holds a JSON {type(read).__name__}, not an object.")
    return read


def _read_features(folder: Path, config: Mapping[str, Any], key: str) -> dict[str, Feature]:
    stated = config.get(key) or {}
    try:
        return {name: Feature(str(row["type"]), tuple(int(n) for n in row["shape"])) for name, row in stated.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise BadInput(f"{folder / CONFIG}: {key} is not a table of features with type and shape ({wrong}).") from wrong


def _read_steps(path: Path) -> tuple[Step, ...] | None:
    if not path.is_file():
        return None
    rows = _read_json(path).get("steps")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{path} lists no steps.")
    return tuple(
        Step(
            str(row.get("registry_name") or row.get("class") or ""),
            row.get("config") or {},
            _read_state_name(path, row.get("state_file")),
        )
        for row in rows
    )


def _read_state_name(path: Path, stated: Any) -> str:
    """Return the name of a step's statistics, which must lie in the policy's folder."""
    if not stated:
        return ""
    if not isinstance(stated, str):
        raise BadInput(f"{path}: state_file = {stated!r} is not the name of a file.")
    require_inside(path.parent, stated)
    return stated
