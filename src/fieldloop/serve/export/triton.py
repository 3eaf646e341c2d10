"""A model repository of NVIDIA Triton: one folder with config.pbtxt, and the graph under its version."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

TYPES = {
    "tensor(float)": "TYPE_FP32", "tensor(double)": "TYPE_FP64", "tensor(float16)": "TYPE_FP16",
    "tensor(uint8)": "TYPE_UINT8", "tensor(int8)": "TYPE_INT8", "tensor(uint16)": "TYPE_UINT16",
    "tensor(int16)": "TYPE_INT16", "tensor(int32)": "TYPE_INT32", "tensor(int64)": "TYPE_INT64",
    "tensor(bool)": "TYPE_BOOL",
}  # fmt: skip
MAX_BATCH = 32
"""Robots in one batch; Triton only uses it where the graph leaves the batch open."""


def write_repository(folder: Path, name: str, graph: bytes, *, instances: str = "KIND_CPU") -> tuple[Path, ...]:
    """Write the repository; point `tritonserver --model-repository` at the folder."""
    from fieldloop.serve.engines.onnx import open_session

    version = folder / name / "1"
    version.mkdir(parents=True)
    model = version / "model.onnx"
    model.write_bytes(graph)
    session = open_session(model)
    config = folder / name / "config.pbtxt"
    config.write_text(write_config(name, session.get_inputs(), session.get_outputs(), instances), encoding="utf-8")
    return config, model


def write_config(name: str, inputs: Sequence[Any], outputs: Sequence[Any], instances: str) -> str:
    """Write config.pbtxt. A graph with a fixed batch gets max_batch_size 0, and its dimensions whole."""
    batched = all(not isinstance(node.shape[0], int) for node in inputs if node.shape)
    batched = batched and all(node.shape and not isinstance(node.shape[0], int) for node in outputs)
    parts = [f'name: "{name}"', 'backend: "onnxruntime"', f"max_batch_size: {MAX_BATCH if batched else 0}"]
    parts += [_write_tensors("input", inputs, batched=batched), _write_tensors("output", outputs, batched=batched)]
    if batched:
        parts.append("dynamic_batching { }")
    parts.append(f"instance_group [ {{ kind: {instances} count: 1 }} ]")
    return "\n".join(parts) + "\n"


def _write_tensors(side: str, nodes: Sequence[Any], *, batched: bool) -> str:
    rows = []
    for node in nodes:
        shape = node.shape[1:] if batched else node.shape
        dims = ", ".join(str(n) if isinstance(n, int) else "-1" for n in shape) or "1"
        reshape = "" if shape or not batched else " reshape { shape: [ ] }"
        rows.append(f'  {{ name: "{node.name}" data_type: {TYPES[node.type]} dims: [ {dims} ]{reshape} }}')
    return f"{side} [\n" + ",\n".join(rows) + "\n]"
