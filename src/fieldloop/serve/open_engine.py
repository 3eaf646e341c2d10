"""Open a bundle with the engine that its card names; an engine's libraries load only when it is used."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.serve.bundle import read_bundle
from fieldloop.serve.engine import Engine

ENGINES: Mapping[str, str] = {
    "onnx": "fieldloop.serve.engines.onnx:load_bundle",
    "torchscript": "fieldloop.serve.engines.torchscript:load_bundle",
    "lerobot": "fieldloop.serve.engines.lerobot:load_bundle",
    "openpi": "fieldloop.serve.engines.openpi:load_bundle",
    "groot": "fieldloop.serve.engines.groot:load_bundle",
}
"""Engine name → `module:function`; the function takes (folder, threads, policy, computing) and returns an Engine."""

COMPUTING = ("device", "torch_mode", "precision", "max_batch")
"""Settings of the section `serve` that say where and how a policy computes on this machine."""


def open_engine(folder: Path, threads: int = 1, policy: str = "", computing: Mapping[str, Any] | None = None) -> Engine:
    """Open a bundle; `policy` is the id it is known by elsewhere, its content's own unless given."""
    name = read_bundle(folder, verify=False).engine
    if name not in ENGINES:
        raise BadInput(f"{folder} needs the engine {name!r}; this fieldloop has {', '.join(sorted(ENGINES))}.")
    module, function = ENGINES[name].split(":")
    opener: Any = getattr(importlib.import_module(module), function)
    opened: Engine = opener(folder, threads, policy, computing)
    return opened
