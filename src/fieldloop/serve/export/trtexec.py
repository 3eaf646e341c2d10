"""The line that builds a TensorRT engine from a policy's graph with NVIDIA's `trtexec`."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def write_line(graph: Path, inputs: Sequence[Any], *, batch: int = 1) -> str:
    """Write the line: FP16, static shapes, because a shape that was not seen would be built anew in mid-stream."""
    open_batch = [node for node in inputs if node.shape and not isinstance(node.shape[0], int)]
    shapes = ",".join(f"{node.name}:{_write_shape(node.shape, batch)}" for node in open_batch)
    parts = ["trtexec", f"--onnx={graph}", "--fp16", f"--saveEngine={graph.with_suffix('.plan')}"]
    if shapes:
        parts += [f"--{end}Shapes={shapes}" for end in ("min", "opt", "max")]
    return shlex.join(parts)


def _write_shape(shape: Sequence[Any], batch: int) -> str:
    """Write a shape with a batch.

    >>> _write_shape(["N", 3, 224, 224], 1)
    '1x3x224x224'
    """
    return "x".join(str(n) for n in (batch, *shape[1:]))
