"""How badly a cloned policy answers demonstrations, and how its weights would change it: losses and their gradients."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.train.cloning import Array, Cloned, compute_gradients, limit_to_one_thread, scale_and_clip

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def compute_demonstration_losses(policy: Cloned, inputs: Array, actions: Array, owner: Ints, knee: float) -> Floats:
    """Return the mean loss of each demonstration's rows; `owner` numbers the demonstrations from 0.

    The loss is that of training: errors in spreads of an action, squared up to the knee, linear beyond.
    """
    off = np.abs(policy.act(inputs) - actions) / policy.answer_spread
    losses = np.where(off <= knee, off**2 / (2 * knee), off - knee / 2).sum(axis=1)
    counts = np.bincount(owner)
    return np.asarray(np.bincount(owner, losses) / np.maximum(counts, 1))


def compute_demonstration_gradients(policy: Cloned, inputs: Array, actions: Array, owner: Ints, knee: float) -> Floats:
    """Return the gradient of each demonstration's mean loss by all weights, a row each."""
    parts = [part for layer in policy.layers for part in layer]
    seen = scale_and_clip(inputs, policy.mean, policy.spread, policy.farthest)
    wanted = (actions - policy.answer_mean) / policy.answer_spread
    order = np.argsort(owner, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(owner[order])) + 1)
    with limit_to_one_thread():
        found = [compute_gradients(parts, seen[rows], wanted[rows], np.float32(knee)) for rows in groups]
    return np.stack([np.concatenate([part.ravel() for part in gradients]) for gradients in found]).astype(np.float64)
