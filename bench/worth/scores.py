"""What each method holds of each demonstration: the higher, the sooner it is kept. None of them knows the tier.

random; length (short first); smooth (spectral arc length of the hand's speed: RINSE's idea); information (nearest
neighbours' mutual information of what is seen and done: DemInf without its autoencoder, on leading components); loss
(how badly a policy learnt from the others answers it); influence (first-order influence on the loss of held-out
demonstrations of the same set: QoQ's idea, without its maximum); trusted (the same on a few demonstrations of a careful
person, made besides); rollouts (first-order influence on the outcomes of tries: CUPID's idea); tier (the oracle).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bench.worth.learner import Cloner
from bench.worth.tiers import CAREFUL, TIERS, Shown, demonstrate, join
from fieldloop.simulate.picking import pick
from fieldloop.simulate.picking.scenes import Floats, Ints
from fieldloop.simulate.picking.world import World
from fieldloop.stats.influence import estimate_loss_change
from fieldloop.stats.shared_information import estimate_information_by_row
from fieldloop.stats.smoothness import compute_spectral_arc_length
from fieldloop.train.cloned_loss import compute_demonstration_gradients
from fieldloop.train.worth import estimate_worth

RATE_HZ = 1 / pick.STEP_S
COMPONENTS, NEIGHBOURS = 6, 5
TRUSTED, ROLLOUTS = 20, 200
EXPLORES = 0.3
"""Spread of the noise on a rollout's answers, in spreads of an answer: without it their likelihood has no gradient."""


@dataclass(frozen=True)
class Setting:
    """One set of demonstrations on its floor."""

    world: World
    shares: Floats
    shown: Shown
    seed: int
    steps: int

    @cached_property
    def learner(self) -> Cloner:
        """The learner of these demonstrations."""
        return Cloner(self.shown, self.seed, self.steps)

    @cached_property
    def with_trusted(self) -> Cloner:
        """The learner, with a careful person's demonstrations behind the others."""
        more = demonstrate(self.world, self.shares, TRUSTED, TIERS.index(CAREFUL), "trusted", failures=False)
        return Cloner(join([self.shown, more]), self.seed, self.steps)

    @property
    def trusted(self) -> Ints:
        """Numbers of the trusted demonstrations in `with_trusted`."""
        return len(self.shown) + np.arange(TRUSTED)


def by_chance(at: Setting) -> Floats:
    """Any order."""
    return at.world.chance("order").random(len(at.shown))


def by_length(at: Setting) -> Floats:
    """Short ones first."""
    return -at.shown.length.astype(float)


def by_smoothness(at: Setting) -> Floats:
    """Smooth ones first; the speed is that of the hand as it moved."""
    found = []
    for pose in at.shown.poses:
        speed = np.linalg.norm(np.diff(pose[:, :2], axis=0), axis=1) * RATE_HZ
        found.append(compute_spectral_arc_length(speed, RATE_HZ, RATE_HZ / 2, 0.05))
    return np.asarray(np.nan_to_num(np.array(found), nan=-np.inf))


def by_information(at: Setting) -> Floats:
    """Those first whose actions follow most predictably and variedly from what is seen."""
    shown = at.shown
    seen = (shown.inputs - shown.inputs.mean(axis=0)) / (shown.inputs.std(axis=0) + 0.05)
    done = (shown.actions - shown.actions.mean(axis=0)) / (shown.actions.std(axis=0) + 1e-6)
    _, _, axes = np.linalg.svd(seen[:: max(1, len(seen) // 2000)], full_matrices=False)
    parts = seen @ axes[:COMPONENTS].T
    parts = parts / parts.std(axis=0)
    noise = at.world.chance("ties").normal(0, 1e-6, (len(parts), COMPONENTS + done.shape[1]))
    rows = estimate_information_by_row(parts + noise[:, :COMPONENTS], done + noise[:, COMPONENTS:], NEIGHBOURS)
    return np.asarray(np.bincount(shown.owner, rows) / shown.length)


def by_loss(at: Setting) -> Floats:
    """Those first that a policy learnt from the others answers well."""
    found = np.zeros(len(at.shown))
    for held in np.array_split(at.world.chance("folds").permutation(len(found)), 5):
        found[held] = -at.learner.compute_losses(np.setdiff1d(np.arange(len(found)), held), held)
    return found


def by_influence(at: Setting) -> Floats:
    """Those first without which held-out demonstrations of the same set would be answered worse."""
    return estimate_worth(at.learner, np.arange(len(at.shown)), at.world.chance("worth")).value


def by_trusted(at: Setting) -> Floats:
    """Those first without which a careful person's demonstrations would be answered worse."""
    everything = np.arange(len(at.shown))
    return np.asarray(at.with_trusted.estimate_rise(everything, at.trusted).mean(axis=1))


def by_rollouts(at: Setting) -> Floats:
    """Those first that make the answers of successful tries likelier, and those of failed tries less likely."""
    learner = at.learner
    policy = learner.train(np.arange(len(at.shown)))
    chance = at.world.chance("explore")
    seen, done = [], []

    def explore(inputs: np.ndarray) -> np.ndarray:
        answer = policy.act(inputs)
        noise = chance.normal(0, EXPLORES, answer.shape).astype(np.float32) * policy.answer_spread
        seen.append(inputs)
        done.append(answer + noise)
        return np.asarray(done[-1])

    cells = at.world.cells(at.shares, ROLLOUTS, "rollouts")
    good = at.world.attempt(explore, cells, "rollouts").succeeded.astype(float)
    owner = np.tile(np.arange(ROLLOUTS), len(seen))
    # the gradient of the loss of an answer that was tried is that of its negative log likelihood
    tried = compute_demonstration_gradients(policy, np.concatenate(seen), np.concatenate(done), owner, learner.knee)
    learnt = learner.compute_gradients(policy, np.arange(len(at.shown)))
    wanted = ((good - good.mean())[:, None] * tried).mean(axis=0, keepdims=True)
    return estimate_loss_change(learnt, wanted, learner.damping)[:, 0]


def by_tier(at: Setting) -> Floats:
    """The oracle: careful ones first, and of equals the successful ones."""
    return np.asarray(-at.shown.tier.astype(float) + 0.5 * at.shown.succeeded + 1e-3 * by_chance(at))


METHODS: dict[str, Callable[[Setting], Floats]] = {
    "random": by_chance,
    "length": by_length,
    "smooth": by_smoothness,
    "information": by_information,
    "loss": by_loss,
    "influence": by_influence,
    "trusted": by_trusted,
    "rollouts": by_rollouts,
    "tier": by_tier,
}
