"""Grasps as `train.worth` wants a learner: the reference learner, with what each demonstration changes in its answers.

With the kernel held as it was learnt, leaving one demonstration out of a Gaussian process has a closed form, so that
one fit gives the influence of every demonstration on every other.
"""

from collections.abc import Sequence

import numpy as np

from fieldloop.geometry.transforms import Floats
from fieldloop.protocol import Section
from fieldloop.stats.influence import predict_without_each_row
from fieldloop.train import vision
from fieldloop.train.reference import (
    Weights,
    average_by_demonstration,
    encode_grasps,
    stack_samples,
    train_reference_policy,
)
from fieldloop.train.samples import Sample
from fieldloop.train.worth import Ints


class GraspLearner:
    """Learns samples by their numbers; losses are in spreads of a number of the grasp, linear beyond the knee."""

    def __init__(self, samples: Sequence[Sample], settings: Section, knee: float) -> None:
        self._samples, self._settings, self._knee = tuple(samples), settings, knee
        self._wanted = np.stack([encode_grasps(sample.grasp) for sample in samples])
        self._pictures, self._depths, self._owner = stack_samples(samples)
        self._last: tuple[bytes, Weights] | None = None

    def compute_losses(self, learnt: Ints, judged: Ints) -> Floats:
        """Return the loss of each judged demonstration after learning."""
        weights = self._train(learnt)
        rows = self._describe(weights, judged)
        means = np.stack([process.predict(weights.rows, rows)[0] for process in weights.processes], axis=1)
        return np.asarray(self._weigh(means - self._standardise(weights, judged)).sum(axis=1))

    def estimate_rise(self, learnt: Ints, judged: Ints) -> Floats:
        """Return how much each judged loss rises when each learnt demonstration is left out: learnt × judged."""
        weights = self._train(learnt)
        rows, wanted = self._describe(weights, judged), self._standardise(weights, judged)
        rise = np.zeros((len(judged), len(learnt)))
        for number, process in enumerate(weights.processes):
            kernel = process.compute_kernel(rows, weights.rows)
            without = predict_without_each_row(process.inverse, process.coefficients, kernel)
            before = kernel @ process.coefficients - wanted[:, number]
            rise += self._weigh(without - wanted[:, number, None]) - self._weigh(before)[:, None]
        return rise.T

    def _train(self, learnt: Ints) -> Weights:
        key = learnt.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, train_reference_policy([self._samples[i] for i in learnt], self._settings, seed=0)
        return self._last[1]

    def _describe(self, weights: Weights, judged: Ints) -> Floats:
        """Return the learner's inputs of each judged demonstration."""
        of = np.concatenate([np.flatnonzero(self._owner == one) for one in judged])
        owner = np.repeat(np.arange(len(judged)), [int((self._owner == one).sum()) for one in judged])
        seen = vision.extract_features(weights.vision, self._pictures[of], self._depths[of])
        salient, context = (average_by_demonstration(owner, part) for part in seen)
        return weights.scaling(salient, context)

    def _standardise(self, weights: Weights, judged: Ints) -> Floats:
        return np.asarray((self._wanted[judged] - weights.target_mean) / weights.target_spread)

    def _weigh(self, off: Floats) -> Floats:
        size = np.abs(off)
        return np.asarray(np.where(size <= self._knee, size**2 / 2, self._knee * (size - self._knee / 2)))
