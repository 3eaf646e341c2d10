"""One row: the demonstrations of one set on one floor, filtered by every method, and what the policies then do."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata, spearmanr

from bench.worth.learner import Cloner
from bench.worth.scores import METHODS, Setting
from bench.worth.tiers import CAREFUL, ORDINARY, SLOPPY, TIERS, Shown, demonstrate, join
from fieldloop.evaluate.looks import Looks
from fieldloop.release.worth import compare_trials
from fieldloop.simulate.picking.scenes import Bools, Floats, Ints
from fieldloop.simulate.picking.world import World
from fieldloop.train.worth import split_into_folds

SETS = ("three tiers", "same starts", "all alike")
SHARES = (0.1, 0.3, 0.5, 0.9)
RULE_METHOD, RULE_SHARE, TRIALS, LEVEL = "smooth", 0.3, 200, 0.95
LONG, SHORT_METHODS = 300, ("random", "length", "smooth", "loss", "tier")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How long to train, how many tries decide, which filters."""

    steps: int = 500
    picks: int = 1500
    shares: tuple[float, ...] = SHARES
    methods: tuple[str, ...] = tuple(METHODS)


SHORT = Sizes(300, 800, (0.3, 0.5), SHORT_METHODS)


def make_setting(name: str, seed: int, sizes: Sizes) -> Setting:
    """Let people demonstrate 300 times."""
    world = World("broad", seed)
    shares = world.laboratory()
    careful, ordinary, sloppy = (TIERS.index(tier) for tier in (CAREFUL, ORDINARY, SLOPPY))

    def show(tier: int, count: int, *, failures: bool = False) -> Shown:
        return demonstrate(world, shares, count, tier, name, failures=failures)

    if name == "same starts":
        shown = join([show(tier, LONG // 2, failures=True) for tier in (careful, sloppy)])
    elif name == "all alike":
        shown = show(ordinary, LONG)
    else:
        shown = join([show(tier, LONG // 3) for tier in (careful, ordinary, sloppy)])
    return Setting(world, shares, shown, seed, sizes.steps)


def play(name: str, seed: int, sizes: Sizes) -> dict[str, Any]:
    """Measure one row."""
    at = make_setting(name, seed, sizes)
    whole = np.arange(len(at.shown))
    row: dict[str, Any] = {"set": name, "seed": seed, "all": float(_try(at, whole, sizes.picks, "evaluate").mean())}
    row["methods"] = {}
    for method in sizes.methods:
        began = time.process_time()
        score = METHODS[method](at)
        spent = time.process_time() - began
        found = {
            "cpu_s": round(spent, 3),
            "tier_auroc": _compute_auroc(score, at.shown.tier == TIERS.index(CAREFUL)),
            "length_rho": float(np.nan_to_num(spearmanr(score, at.shown.length).statistic)),
            "success": [_judge(at, _keep(score, share), sizes) for share in sizes.shares],
            "controlled": _judge(at, _keep(control_for_length(score, at.shown.length), RULE_SHARE), sizes),
        }
        row["methods"][method] = found
        if method == RULE_METHOD:
            row["rule"] = _decide(at, _keep(score, RULE_SHARE))
            row["loss_rule"] = _compare_held_out_losses(at, score)
    return row


def control_for_length(score: Floats, length: Ints, groups: int = 3) -> Floats:
    """Return ranks among demonstrations of about the same length."""
    ranks = np.zeros(len(score))
    for part in np.array_split(np.argsort(length, kind="stable"), groups):
        ranks[part] = rankdata(score[part]) / len(part)
    return ranks


def _keep(score: Floats, share: float) -> Ints:
    """Return the numbers of those that stay when a share is left out."""
    return np.sort(np.argsort(-score, kind="stable")[: round(len(score) * (1 - share))])


def _judge(at: Setting, kept: Ints, sizes: Sizes) -> float:
    return float(_try(at, kept, sizes.picks, "evaluate").mean())


def _try(at: Setting, kept: Ints, picks: int, purpose: str) -> Bools:
    """Learn from those that are kept, and try; the scenes and chances are the same for every policy."""
    policy = Cloner(at.shown, at.seed, at.steps).train(kept)
    return at.world.attempt(policy.act, at.world.cells(at.shares, picks, purpose), purpose).succeeded


def _decide(at: Setting, kept: Ints) -> dict[str, Any]:
    """What the shipped rule decides: leave out only where trials show that it helps."""
    before = _try(at, np.arange(len(at.shown)), TRIALS, "trials")
    after = _try(at, kept, TRIALS, "trials")
    counts = ((int(before.sum()), TRIALS), (int(after.sum()), TRIALS))
    return {"before": counts[0][0], "after": counts[1][0], "helps": does_rule_leave_out(counts[0][0], counts[1][0])}


def does_rule_leave_out(before: int, after: int) -> bool:
    """Do these successes of either policy show a gain at the rule's first look?"""
    level = Looks(1 - LEVEL, 0).get_level(1)
    counts = ((before, TRIALS), (after, TRIALS))
    return compare_trials("whole", "without", RULE_METHOD, RULE_SHARE, counts, level).helps


def _compare_held_out_losses(at: Setting, score: Floats) -> dict[str, float]:
    """What would held-out demonstrations decide? The mean change of their loss, and Student's interval over them."""
    gains: list[float] = []
    whole = np.arange(len(at.shown))
    for learnt, judged in split_into_folds(whole, None, 5, at.world.chance("held out")):
        order = learnt[np.argsort(score[learnt], kind="stable")]
        losses = [at.learner.compute_losses(part, judged) for part in (learnt, order[round(RULE_SHARE * len(order)) :])]
        gains += ((losses[0] - losses[1]) / losses[0].mean()).tolist()
    half = 1.97 * float(np.std(gains, ddof=1)) / len(gains) ** 0.5
    return {"gain": float(np.mean(gains)), "half": half}


def _compute_auroc(score: Floats, good: Bools) -> float | None:
    """How often is a careful demonstration above another? None where all are alike."""
    many = int(good.sum())
    if not 0 < many < len(good):
        return None
    ranks = rankdata(score)
    return float((ranks[good].sum() - many * (many + 1) / 2) / (many * (len(good) - many)))
