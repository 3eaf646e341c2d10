"""Behaviour cloning on arrays: a small perceptron that answers inputs as the demonstrations did."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.protocol import Section, default_operations

Array = NDArray[np.float32]
Weights = NDArray[np.float64]

MOMENTUM, MEMORY, TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
"""Adam's usual constants (Kingma and Ba, 2015)."""
TABLE = 2
"""Dimensions of an array with rows and columns."""
WARM_UP = 0.15
"""The rate rises over this share of the steps and falls as a cosine over the rest."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloned:
    """What was learnt: weights and biases by layer, and how inputs and answers are scaled."""

    layers: tuple[tuple[Array, Array], ...]
    mean: Array
    spread: Array
    farthest: float
    """An input further from its mean counts as no further than this, in spreads."""
    answer_mean: Array
    answer_spread: Array

    def act(self, inputs: Array) -> Array:
        """Answer every row of inputs."""
        seen = scale_and_clip(inputs, self.mean, self.spread, self.farthest)
        with limit_to_one_thread():
            answer = _run_forward([part for layer in self.layers for part in layer], seen)[-1]
        return np.asarray(answer * self.answer_spread + self.answer_mean)


def train_by_cloning(
    inputs: Array,
    actions: Array,
    weights: Weights | None,
    seed: int,
    settings: Section | None = None,
    steps: int | None = None,
) -> Cloned:
    """Learn to answer each row of inputs with its row of actions; the same rows, weights and seed give the same bits.

    `weights` give how often a row is drawn (None: equally). `steps` overrides how long training takes.
    """
    settings = default_operations()["train"] if settings is None else settings
    inputs, actions, share = _check_arrays(inputs, actions, weights)
    rng = np.random.default_rng([seed, len(inputs)])
    floor, farthest = np.float32(settings.number("clone_spread_floor")), settings.number("clone_farthest")
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0) + floor
    answer_mean, answer_spread = actions.mean(axis=0), actions.std(axis=0) + TINY
    seen, wanted = scale_and_clip(inputs, mean, spread, farthest), (actions - answer_mean) / answer_spread
    parts = _draw_initial_weights([inputs.shape[1], *map(int, settings["clone_hidden_units"]), actions.shape[1]], rng)
    length, batch = int(settings["clone_steps"]) if steps is None else steps, int(settings["clone_batch"])
    knee = np.float32(settings.number("clone_error_knee"))
    optimiser = _Adam(parts, np.float32(settings.number("clone_decay")))
    with limit_to_one_thread():
        for rate in _schedule_learning_rates(length, settings.number("clone_rate")):
            rows = rng.integers(len(inputs), size=batch) if share is None else rng.choice(len(inputs), batch, p=share)
            optimiser.step(compute_gradients(parts, seen[rows], wanted[rows], knee), rate)
    layers = tuple(zip(parts[::2], parts[1::2], strict=True))
    return Cloned(layers, mean, spread, farthest, answer_mean, answer_spread)


def limit_to_one_thread() -> AbstractContextManager[Any]:
    """Hold matrix products to one thread: sums must not depend on how many threads share them."""
    limit: AbstractContextManager[Any] = _find_thread_pools().limit(limits=1)
    return limit


@cache
def _find_thread_pools() -> Any:
    """Look once which libraries bring threads; looking takes longer than a small product."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def scale_and_clip(inputs: Array, mean: Array, spread: Array, max_deviation: float) -> Array:
    """Return inputs in spreads from their mean, clipped."""
    scaled: Array = (inputs - mean) / spread
    return scaled.clip(-max_deviation, max_deviation, out=scaled)


class _Adam:
    """Adam with decoupled weight decay, on a list of arrays in place."""

    def __init__(self, parts: list[Array], decay: np.float32) -> None:
        self.parts, self.decay, self.count = parts, decay, 0
        self.first, self.second = [np.zeros_like(p) for p in parts], [np.zeros_like(p) for p in parts]

    def step(self, gradients: list[Array], rate: np.float32) -> None:
        self.count += 1
        unbias = np.float32(1 - float(MOMENTUM) ** self.count), np.float32(1 - float(MEMORY) ** self.count)
        for i, gradient in enumerate(gradients):
            self.first[i] += (1 - MOMENTUM) * (gradient - self.first[i])
            self.second[i] += (1 - MEMORY) * (gradient * gradient - self.second[i])
            self.parts[i] *= 1 - rate * self.decay
            self.parts[i] -= rate / unbias[0] * self.first[i] / (np.sqrt(self.second[i] / unbias[1]) + TINY)


def _schedule_learning_rates(steps: int, peak: float) -> Iterator[np.float32]:
    for step in range(steps):
        done = (step + 1) / steps
        falling = 0.5 * (1 + np.cos(np.pi * (done - WARM_UP) / (1 - WARM_UP)))
        yield np.float32(peak * (done / WARM_UP if done < WARM_UP else falling))


def _draw_initial_weights(sizes: list[int], rng: np.random.Generator) -> list[Array]:
    """Draw the first weights; the last layer begins small, so that the first answers are near the mean."""
    parts: list[Array] = []
    for wide, narrow in pairwise(sizes):
        scale = np.sqrt(2 / wide) * (0.1 if len(parts) == 2 * (len(sizes) - 2) else 1.0)
        drawn = rng.standard_normal((wide, narrow), dtype=np.float32)
        parts += [drawn * np.float32(scale), np.zeros(narrow, dtype=np.float32)]
    return parts


def _run_forward(layers: list[Array], inputs: Array) -> list[Array]:
    """Return the inputs, what every hidden layer made of them, and the answer."""
    seen = [inputs]
    for weight, bias in zip(layers[:-2:2], layers[1:-2:2], strict=True):
        seen.append(np.maximum(seen[-1] @ weight + bias, 0))
    return [*seen, seen[-1] @ layers[-2] + layers[-1]]


def compute_gradients(layers: list[Array], inputs: Array, target_actions: Array, huber_knee: np.float32) -> list[Array]:
    """Slopes of the mean error: quadratic up to the knee, linear beyond, so that odd demonstrations pull less."""
    *below, answer = _run_forward(layers, inputs)
    slope = np.clip((answer - target_actions) / huber_knee, -1, 1) / np.float32(len(inputs))
    gradients: list[Array] = []
    for layer in range(len(below) - 1, -1, -1):
        gradients = [below[layer].T @ slope, slope.sum(axis=0), *gradients]
        if layer:
            slope = (slope @ layers[2 * layer].T) * (below[layer] > 0)
    return gradients


def _check_arrays(inputs: Array, actions: Array, weights: Weights | None) -> tuple[Array, Array, Weights | None]:
    inputs, actions = np.asarray(inputs, dtype=np.float32), np.asarray(actions, dtype=np.float32)
    if not inputs.ndim == actions.ndim == TABLE or len(inputs) != len(actions):
        raise BadInput(f"Inputs {inputs.shape} and actions {actions.shape} must be tables with a row for each moment.")
    if not len(inputs):
        raise BadInput("Training has no rows to learn from, because no demonstration was kept.")
    if not (np.isfinite(inputs).all() and np.isfinite(actions).all()):
        raise BadInput("Inputs or actions hold NaN or infinite values; leave such rows out before training.")
    if weights is None:
        return inputs, actions, None
    share = np.asarray(weights, dtype=float)
    if share.shape != (len(inputs),) or not np.isfinite(share).all() or share.min() < 0 or share.sum() <= 0:
        raise BadInput("Weights must be one number from 0 up for each row, and not all 0.")
    drawn = share > 0  # what is never drawn must not set the scale either
    return inputs[drawn], actions[drawn], share[drawn] / share.sum()
