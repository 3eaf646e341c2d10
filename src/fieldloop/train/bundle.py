"""A policy bundle: one folder with the model and everything a robot must know before it may run it."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fieldloop.train.trainers import Trained

SCHEMA = "bundle/2"
MODEL_FILE = "policy.onnx"
CARD_FILE = "bundle.json"


def write_bundle(
    folder: Path,
    trained: Trained,
    *,
    name: str,
    release: str,
    control_hz: float,
    guard: Mapping[str, Any],
    guard_fingerprint: str,
) -> Path:
    """Write a bundle into a folder, which is made if need be; the same training gives the same bytes.

    The guard's limits travel inside, with their fingerprint, so that a robot without network knows what it may do.
    """
    folder.mkdir(parents=True, exist_ok=True)
    card = {
        "schema": SCHEMA,
        "name": name,
        "release": release,
        "trainer": trained.trainer,
        "seed": trained.seed,
        "episodes": trained.episodes,
        "validation_error_m": trained.validation_error,
        "version": "",
        "engine": "onnx",
        "inputs": [asdict(part) | {"shape": list(_leave_out_batch(part.shape))} for part in trained.inputs],
        "layouts": {},
        "aliases": {},
        "options": {},
        "action_names": list(trained.action_names),
        "horizon": 1,
        "takes_prompt": False,
        "max_delay_steps": None,
        "normaliser": "inside",
        "control_hz": control_hz,
        "guard": dict(guard),
        "guard_fingerprint": guard_fingerprint,
        "files": {MODEL_FILE: hashlib.sha256(trained.model).hexdigest()},
    }
    _replace_file(folder / MODEL_FILE, trained.model)
    _replace_file(folder / CARD_FILE, (json.dumps(card, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode())
    return folder


def _leave_out_batch(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Leave out a batch axis of any size.

    >>> _leave_out_batch((0, 120, 160, 3))
    (120, 160, 3)
    """
    return shape[1:] if shape and shape[0] < 1 else shape


def _replace_file(path: Path, data: bytes) -> None:
    """A reader sees the old file or the new one, never half of one."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
