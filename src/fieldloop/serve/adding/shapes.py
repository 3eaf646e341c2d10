"""The length of a chunk, read from one answer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

ROW, CHUNK = 2, 3


def read_horizon(answer: NDArray[Any], names: tuple[str, ...], where: str) -> int:
    """Return how many rows of actions a policy answers: [1, rows, values] or [1, values].

    >>> read_horizon(np.zeros((1, 50, 2)), ("x", "y"), "p.onnx"), read_horizon(np.zeros((1, 2)), ("x", "y"), "p.onnx")
    (50, 1)
    """
    if answer.ndim not in (ROW, CHUNK) or answer.shape[0] != 1:
        raise BadInput(f"{where} has the shape {answer.shape}; an action is [1, values] or [1, steps, values].")
    if answer.shape[-1] != len(names):
        raise BadInput(f"{where} has {answer.shape[-1]} values; {len(names)} names are stated: {', '.join(names)}.")
    if not np.isfinite(answer).all():
        raise BadInput(f"{where} is not finite on a blank observation. Its weights or its normaliser are damaged.")
    return int(answer.shape[1]) if answer.ndim == CHUNK else 1
