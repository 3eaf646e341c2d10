"""Behaviour cloning as `train.worth` wants a learner: losses of held-out demonstrations, and first-order influence."""

import numpy as np

from bench.worth.tiers import Shown
from fieldloop.protocol import default_operations
from fieldloop.simulate.picking.scenes import Floats, Ints
from fieldloop.stats.influence import estimate_loss_change
from fieldloop.train.cloned_loss import compute_demonstration_gradients, compute_demonstration_losses
from fieldloop.train.cloning import Cloned, train_by_cloning

DAMPING = 100.0
"""Chosen on development seed 0: with less, few gradients decide, and careful people are recognised less often."""


class Cloner:
    """Learns demonstrations by their numbers; what was trained last is kept."""

    def __init__(self, shown: Shown, seed: int, steps: int) -> None:
        self.shown, self.seed, self.steps, self.damping = shown, seed, steps, DAMPING
        self.knee = default_operations()["train"].number("clone_error_knee")
        self._last: tuple[bytes, Cloned] | None = None

    def train(self, learnt: Ints) -> Cloned:
        """Learn from some demonstrations."""
        key = np.sort(learnt).tobytes()
        if self._last is None or self._last[0] != key:
            part = self.shown.take(np.sort(learnt))
            self._last = key, train_by_cloning(part.inputs, part.actions, None, self.seed, steps=self.steps)
        return self._last[1]

    def compute_gradients(self, policy: Cloned, wanted: Ints) -> Floats:
        """Return the gradients of demonstrations' losses at a policy's weights."""
        part = self.shown.take(wanted)
        return compute_demonstration_gradients(policy, part.inputs, part.actions, part.owner, self.knee)

    def compute_losses(self, learnt: Ints, judged: Ints) -> Floats:
        """Return the loss of each judged demonstration."""
        part = self.shown.take(judged)
        return compute_demonstration_losses(self.train(learnt), part.inputs, part.actions, part.owner, self.knee)

    def estimate_rise(self, learnt: Ints, judged: Ints) -> Floats:
        """Return how much each judged loss rises when each learnt demonstration is left out, to first order."""
        policy = self.train(learnt)
        return estimate_loss_change(
            self.compute_gradients(policy, learnt), self.compute_gradients(policy, judged), self.damping
        )
