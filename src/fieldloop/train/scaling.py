"""Scaling: raw descriptions of a scene become a short, comparable row of numbers."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry.transforms import Floats

CLIP = 4.0
"""Values are clipped at this many standard deviations."""
QUIET = 0.2
"""Smallest spread used for scaling: a feature that never varied in training must not dominate later."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """Means and spreads of the item's description, and the leading directions of the scene's."""

    salient_mean: Floats
    salient_spread: Floats
    context_mean: Floats
    context_axes: Floats
    context_spread: Floats

    def __call__(self, salient: Floats, context: Floats) -> Floats:
        """Return the learner's inputs, n × (item + components)."""
        item = (salient - self.salient_mean) / self.salient_spread
        scene = (context - self.context_mean) @ self.context_axes / self.context_spread
        return np.asarray(np.clip(np.concatenate([item, scene], axis=1), -CLIP, CLIP))


def fit_scaling(salient: Floats, context: Floats, components: int) -> Scaling:
    """Find means, spreads and principal directions of what was seen."""
    mean = context.mean(axis=0)
    _, _, directions = np.linalg.svd(context - mean, full_matrices=False)
    axes = directions[:components].T
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])  # a direction, not its mirror
    spread = np.maximum(((context - mean) @ axes).std(axis=0), QUIET)
    return Scaling(salient.mean(axis=0), salient.std(axis=0) + 1e-6, mean, axes, spread)
