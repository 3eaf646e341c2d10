"""The reference learner: a small ensemble of multi-layer perceptrons on what the camera sees before the arm moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats
from fieldloop.protocol import Section
from fieldloop.train import confidence, scaling, vision
from fieldloop.train.confidence import Familiar
from fieldloop.train.samples import ACTION_NAMES, Sample
from fieldloop.train.scaling import Scaling
from fieldloop.train.vision import Vision


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer of a perceptron: inputs × outputs, and a bias."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """All that was learnt; enough to act, and to be written as a graph."""

    vision: Vision
    scaling: Scaling
    members: tuple[tuple[Layer, ...], ...]
    target_mean: Floats
    target_spread: Floats
    familiar: Familiar
    validation_error: float
    """Mean distance between predicted and demonstrated grasp, in metres, on demonstrations held out."""
    episodes: int
    seed: int


def learn(samples: Sequence[Sample], settings: Section, seed: int, validation: Sequence[Sample] = ()) -> Weights:
    """Learn to grasp from demonstrations; the same samples, settings and seed give the same weights.

    Without `validation`, a fifth of the demonstrations is held out to measure the error and to scale confidence.
    """
    samples, validation = _split(_check_samples(samples, settings), validation, settings, seed)
    pictures, depths, owner = _stack_samples(samples)
    targets = np.stack([encode(samples[i].grasp) for i in owner])
    mean, spread = targets.mean(axis=0), targets.std(axis=0) + 1e-6
    scaled = (targets - mean) / spread
    chosen = _choose_vision(pictures, depths, owner, scaled, settings)
    seen = vision.extract_features(chosen, pictures, depths)
    scale = scaling.fit(*seen, int(settings["context_components"]))
    inputs = scale(*seen)
    share = np.array([sample.weight for sample in samples])
    members = tuple(
        _fit_member(inputs, scaled, owner, share, settings, np.random.default_rng([seed, number]))
        for number in range(int(settings["ensemble"]))
    )
    held = scale(*vision.extract_features(chosen, *_stack_samples(validation)[:2]))
    truth = np.stack([validation[i].grasp for i in _stack_samples(validation)[2]])
    answers = predict(members, held)
    firsts = np.flatnonzero(np.r_[True, np.diff(owner) != 0])  # one picture of each demonstration is remembered
    familiar = confidence.fit(inputs[firsts], held, answers, len(validation), settings)
    error = np.linalg.norm((answers.mean(axis=0) * spread + mean)[:, :3] - truth[:, :3], axis=1).mean()
    return Weights(chosen, scale, members, mean, spread, familiar, float(error), len(samples), seed)


def act(weights: Weights, pictures: NDArray[np.uint8], depths: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return actions (n × 6) and confidences (n): the NumPy twin of the exported graph."""
    inputs = weights.scaling(*vision.extract_features(weights.vision, pictures, depths))
    answers = predict(weights.members, inputs)
    grasps = decode(answers.mean(axis=0) * weights.target_spread + weights.target_mean)
    return grasps, confidence.judge(weights.familiar, inputs, answers)


def encode(grasp: Floats) -> Floats:
    """Write a grasp for regression: yaw by the sine and cosine of its double, as half a turn changes nothing."""
    x, y, z, yaw, width, force = grasp
    return np.array([x, y, z, np.sin(2 * yaw), np.cos(2 * yaw), width, force])


def decode(rows: Floats) -> Floats:
    """Read grasps back, in the order of ACTION_NAMES."""
    yaw = np.arctan2(rows[:, 3], rows[:, 4]) / 2
    decoded = np.column_stack([rows[:, :3], yaw, rows[:, 5:]])
    assert decoded.shape[1] == len(ACTION_NAMES)
    return decoded


def predict(members: Sequence[Sequence[Layer]], inputs: Floats) -> Floats:
    """Return the scaled answer of every member: members × n × outputs."""
    return np.stack([_forward(member, inputs) for member in members])


def _forward(layers: Sequence[Layer], x: Floats) -> Floats:
    for layer in layers[:-1]:
        x = np.tanh(x @ layer.weight + layer.bias)
    return x @ layers[-1].weight + layers[-1].bias


def _fit_member(
    inputs: Floats, targets: Floats, owner: NDArray[np.intp], share: Floats, settings: Section, rng: np.random.Generator
) -> tuple[Layer, ...]:
    """Fit one perceptron on demonstrations drawn by their weight."""
    from sklearn.neural_network import MLPRegressor

    draws = int(settings["draws_per_demonstration"]) * len(share)
    drawn = rng.choice(len(share), draws, p=share / share.sum())
    rows = np.concatenate([np.flatnonzero(owner == i) for i in drawn])
    model = MLPRegressor(
        hidden_layer_sizes=tuple(int(units) for units in settings["hidden_units"]),
        activation="tanh",
        solver="lbfgs",
        alpha=settings.number("weight_decay") * len(rows),  # scikit-learn divides it by the number of rows
        max_iter=int(settings["max_epochs"]),
        max_fun=10 * int(settings["max_epochs"]),
        random_state=int(rng.integers(2**31)),
    )
    _fit_quietly(model, inputs[rows], targets[rows])
    return tuple(Layer(w, b) for w, b in zip(model.coefs_, model.intercepts_, strict=True))


def _fit_quietly(model: Any, inputs: Floats, targets: Floats) -> None:
    """Fit without the warning that `max_epochs` ended it: that is what the setting is for.

    On one core: the matrices are small, threads would wait for each other, and sums would depend on their number.
    """
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(inputs, targets)


def _choose_vision(
    pictures: NDArray[np.uint8],
    depths: NDArray[np.float32],
    owner: NDArray[np.intp],
    targets: Floats,
    settings: Section,
) -> Vision:
    """Choose how colourful an item must be by cross-validated ridge regression, whole demonstrations left out."""
    sizes = (pictures.shape[1:3], depths.shape[1:3])
    options = [Vision(*sizes, threshold=float(level)) for level in settings["saliency_thresholds"]]
    return min(options, key=lambda option: _left_out_error(option, pictures, depths, owner, targets, settings))


def _left_out_error(
    option: Vision,
    pictures: NDArray[np.uint8],
    depths: NDArray[np.float32],
    owner: NDArray[np.intp],
    targets: Floats,
    settings: Section,
) -> float:
    seen = vision.extract_features(option, pictures, depths)
    inputs = scaling.fit(*seen, int(settings["context_components"]))(*seen)
    inputs = np.column_stack([inputs, np.ones(len(inputs))])
    errors, folds, ridge = [], int(settings["folds"]), settings.number("choice_ridge")
    for fold in range(folds):
        out = owner % folds == fold
        known = inputs[~out]
        slope = np.linalg.solve(known.T @ known + ridge * np.eye(known.shape[1]), known.T @ targets[~out])
        errors.append(np.abs(inputs[out] @ slope - targets[out]).mean())
    return float(np.mean(errors))


def _check_samples(samples: Sequence[Sample], settings: Section) -> list[Sample]:
    least = int(settings["min_demonstrations"])
    if len(samples) < least:
        raise BadInput(f"{len(samples)} usable demonstrations; the reference learner needs at least {least}.")
    if len({(sample.pictures.shape[1:], sample.depths.shape[1:]) for sample in samples}) > 1:
        raise BadInput("The demonstrations have pictures of different sizes; train on one size at a time.")
    if not any(sample.weight > 0 for sample in samples):
        raise BadInput("Every demonstration has weight 0, so there is nothing to learn.")
    return list(samples)


def _split(
    samples: list[Sample], validation: Sequence[Sample], settings: Section, seed: int
) -> tuple[list[Sample], list[Sample]]:
    if validation:
        return samples, list(validation)
    order = np.random.default_rng([seed, len(samples)]).permutation(len(samples))
    held = set(order[: max(len(samples) // int(settings["folds"]), 1)].tolist())
    return [s for i, s in enumerate(samples) if i not in held], [s for i, s in enumerate(samples) if i in held]


def _stack_samples(samples: Sequence[Sample]) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.intp]]:
    owner = np.repeat(np.arange(len(samples)), [len(sample.pictures) for sample in samples])
    pictures = np.concatenate([sample.pictures for sample in samples])
    return pictures, np.concatenate([sample.depths for sample in samples]), owner
