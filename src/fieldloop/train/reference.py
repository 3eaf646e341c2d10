"""The reference learner: a Gaussian process for each number of a grasp, on what is seen before the arm moves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats
from fieldloop.protocol import Section
from fieldloop.train import confidence, process, scaling, vision
from fieldloop.train.cloning import limit_to_one_thread
from fieldloop.train.confidence import Familiar
from fieldloop.train.process import Process
from fieldloop.train.samples import ACTION_NAMES, Sample
from fieldloop.train.scaling import Scaling
from fieldloop.train.vision import Vision

SMALLEST_FORCE_N = 0.1
"""Forces are learnt as logarithms, because a tenth too little slips whatever the item weighs."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """All that was learnt; enough to act, and to be written as a graph."""

    vision: Vision
    scaling: Scaling
    rows: Floats
    """Inputs of the demonstrations, one row each."""
    processes: tuple[Process, ...]
    target_mean: Floats
    target_spread: Floats
    familiar: Familiar
    validation_error: float
    """Mean distance between predicted and demonstrated grasp, in metres, on demonstrations that were left out."""
    episodes: int
    seed: int


def train_reference_policy(
    samples: Sequence[Sample], settings: Section, seed: int, validation: Sequence[Sample] = ()
) -> Weights:
    """Learn to grasp from demonstrations; the same samples and settings give the same weights, whatever the seed.

    Without `validation`, the error is that of each demonstration when all others were learnt from.
    """
    samples = _check_samples(samples, settings)
    pictures, depths, owner = stack_samples(samples)
    eye = Vision(pictures.shape[1:3], depths.shape[1:3], settings.number("saliency_threshold"))
    eye = replace(eye, place=vision.find_item_area(eye, pictures, depths, settings.number("place_margin")))
    salient, context = (
        average_by_demonstration(owner, seen) for seen in vision.extract_features(eye, pictures, depths)
    )
    scale = scaling.fit_scaling(salient, context, int(settings["context_components"]))
    rows, targets = scale(salient, context), np.stack([encode_grasps(sample.grasp) for sample in samples])
    mean, spread = targets.mean(axis=0), targets.std(axis=0) + 1e-6
    share = np.array([sample.weight for sample in samples])
    with limit_to_one_thread():
        processes = tuple(
            process.fit_process(rows, wanted, share / share.mean(), settings)
            for wanted in ((targets - mean) / spread).T
        )
    left_out = [learnt.predict_leave_one_out() for learnt in processes]
    familiar = confidence.fit_confidence(np.stack([variance for _, variance in left_out], axis=1), settings)
    errors = np.stack([error for error, _ in left_out], axis=1) * spread
    weights = Weights(
        eye, scale, rows, processes, mean, spread, familiar, _compute_mean_error(errors[:, :3]), len(samples), seed
    )
    if not validation:
        return weights
    held, depths, owner = stack_samples(validation)
    truth = np.stack([validation[i].grasp for i in owner])
    return replace(
        weights, validation_error=_compute_mean_error((predict_grasps(weights, held, depths)[0] - truth)[:, :3])
    )


def predict_grasps(weights: Weights, pictures: NDArray[np.uint8], depths: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return actions (n × 6) and confidences (n): the NumPy twin of the exported graph."""
    inputs = weights.scaling(*vision.extract_features(weights.vision, pictures, depths))
    answers = [learnt.predict(weights.rows, inputs) for learnt in weights.processes]
    means, variances = (np.stack(part, axis=1) for part in zip(*answers, strict=True))
    grasps = decode_grasps(means * weights.target_spread + weights.target_mean)
    return grasps, confidence.compute_confidence(weights.familiar, variances)


def encode_grasps(grasps: Floats) -> Floats:
    """Write a grasp for regression: force as a logarithm, yaw by sine and cosine of its double.

    Half a turn of the gripper changes nothing.
    """
    x, y, z, yaw, width, force = grasps
    return np.array([x, y, z, np.sin(2 * yaw), np.cos(2 * yaw), width, np.log(max(force, SMALLEST_FORCE_N))])


def decode_grasps(rows: Floats) -> Floats:
    """Read grasps back, in the order of ACTION_NAMES."""
    yaw = np.arctan2(rows[:, 3], rows[:, 4]) / 2
    decoded = np.column_stack([rows[:, :3], yaw, rows[:, 5], np.exp(rows[:, 6])])
    assert decoded.shape[1] == len(ACTION_NAMES)
    return decoded


def _compute_mean_error(errors: Floats) -> float:
    return float(np.linalg.norm(errors, axis=1).mean())


def average_by_demonstration(demonstration_index: NDArray[np.intp], frame_features: Floats) -> Floats:
    """Average what was seen over the frames of each demonstration."""
    firsts = np.flatnonzero(np.r_[True, np.diff(demonstration_index) != 0])
    return np.asarray(np.add.reduceat(frame_features, firsts, axis=0) / np.bincount(demonstration_index)[:, None])


def _check_samples(samples: Sequence[Sample], settings: Section) -> list[Sample]:
    least = int(settings["min_demonstrations"])
    if len(samples) < least:
        raise BadInput(f"{len(samples)} usable demonstrations; the reference learner needs at least {least}.")
    if len({(sample.pictures.shape[1:], sample.depths.shape[1:]) for sample in samples}) > 1:
        raise BadInput("The demonstrations have pictures of different sizes; train on one size at a time.")
    kept = [sample for sample in samples if sample.weight > 0]
    if not kept:
        raise BadInput("Every demonstration has weight 0, so there is nothing to learn.")
    return kept


def stack_samples(samples: Sequence[Sample]) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.intp]]:
    """Return all pictures, all depths, and the number of the sample of each."""
    owner = np.repeat(np.arange(len(samples)), [len(sample.pictures) for sample in samples])
    pictures = np.concatenate([sample.pictures for sample in samples])
    return pictures, np.concatenate([sample.depths for sample in samples]), owner
