"""Hold a plan against what came of it: what it promised, what production shows, and each stratum for the curves."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.plan import Coverage, Plan, PlanScore, StratumScore
from fieldloop.plan.strata import Floats, tabulate
from fieldloop.protocol import Section


def score(
    plan: Plan, before: Sequence[Coverage], after: Sequence[Coverage], settings: Section, policy_after: str = ""
) -> PlanScore:
    """Compare production before a plan and after a policy trained on it, on the mix the plan was drawn for.

    `before` is the coverage that the plan was drawn from, `after` that of today: with the demonstrations that came in
    and the outcomes of the policy that learnt from them. A changed mix is not counted as a gain: both are weighted by
    the shares of before.
    """
    tabulate(before), tabulate(after)  # refuses numbers that cannot be
    now = {c.stratum: c for c in after}
    pairs = [(c, now.get(c.stratum)) for c in before]
    expected: Counter[Stratum] = Counter()
    for quota in plan.quotas:
        expected[quota.stratum] += quota.gain  # type: ignore[assignment]  # a Counter adds gains as well as counts
    came = sum(max(0, a.demonstrations - b.demonstrations) for b, a in pairs if a)
    episodes = sum(a.attempts for _, a in pairs if a)
    measured, error = _difference(pairs, int(settings.number("score_attempts")))
    half = _quantile(settings.number("confidence")) * error
    low, high = max(-1.0, measured - half), min(1.0, measured + half)
    status, message = _verdict(plan, measured, low, high, came, episodes)
    return PlanScore(
        plan=plan.id,
        before=plan.policy,
        after=policy_after,
        expected=plan.expected_gain,
        expected_low=plan.gain_low,
        expected_high=plan.gain_high,
        measured=measured,
        measured_low=low,
        measured_high=high,
        demonstrations=came,
        episodes=episodes,
        status=status,
        message=message,
        strata=tuple(_stratum(b, a, expected.get(b.stratum, 0.0)) for b, a in pairs if _says_anything(b, a)),
    )


def _difference(pairs: Sequence[tuple[Coverage, Coverage | None]], enough: int) -> tuple[float, float]:
    """Success won on the mix of before, and its standard error; infinite where nothing was tried on one side.

    Strata with too few attempts on either side are taken together: production draws them in their own proportions.
    """
    share = np.array([b.exposure for b, _ in pairs])
    tries = np.array([[b.attempts, a.attempts if a else 0] for b, a in pairs], dtype=float).reshape(-1, 2)
    fails = np.array([[b.failures, a.failures if a else 0] for b, a in pairs], dtype=float).reshape(-1, 2)
    alone = (tries >= enough).all(axis=1)
    share = np.append(share[alone], share[~alone].sum())
    tries = np.vstack([tries[alone], tries[~alone].sum(axis=0)])
    fails = np.vstack([fails[alone], fails[~alone].sum(axis=0)])
    used = share > 0.0
    share, tries, fails = share[used], tries[used], fails[used]
    if not len(share) or not tries.all():
        return 0.0, math.inf
    share = share / share.sum()
    rate = fails / tries
    # one success and one failure more, so that a small group without failures is not taken as certain
    likely = (fails + 1.0) / (tries + 2.0)
    spread: Floats = (likely * (1.0 - likely) / tries).sum(axis=1)
    return float(share @ (rate[:, 0] - rate[:, 1])), float(np.sqrt(share**2 @ spread))


def _quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def _verdict(plan: Plan, measured: float, low: float, high: float, came: int, episodes: int) -> tuple[Status, str]:
    promised = f"{_points(plan.expected_gain)} were expected"
    if not came:
        return Status.CANNOT_TELL, f"None of the plan's demonstrations came in; {promised}."
    if not episodes or (low == -1.0 and high == 1.0):
        return Status.CANNOT_TELL, f"Too little of what production does was tried before and after; {promised}."
    found = f"{_points(measured)} won ({_points(low)} to {_points(high)}) with {came} demonstrations, {promised}"
    if high < plan.expected_gain:
        return Status.FAILED, f"{found}: less came than was promised."
    if low <= 0.0:
        return Status.CANNOT_TELL, f"{found}: {episodes} attempts cannot tell it from nothing. Log more."
    return Status.PASSED, f"{found}."


def _points(gain: float) -> str:
    return f"{100.0 * gain:+.1f} points"


def _says_anything(before: Coverage, after: Coverage | None) -> bool:
    """Was it ever shown or tried? Of a large map most strata were not, and curves learn nothing from them."""
    return any(c.demonstrations or c.attempts for c in (before, after) if c)


def _stratum(before: Coverage, after: Coverage | None, expected: float) -> StratumScore:
    won = 0.0
    if after and after.attempts and before.attempts:
        won = before.exposure * (before.failures / before.attempts - after.failures / after.attempts)
    return StratumScore(
        stratum=before.stratum,
        exposure=before.exposure,
        demonstrations_before=before.demonstrations,
        demonstrations_after=after.demonstrations if after else before.demonstrations,
        attempts_before=before.attempts,
        failures_before=before.failures,
        attempts_after=after.attempts if after else 0,
        failures_after=after.failures if after else 0,
        expected_gain=expected,
        measured_gain=won,
    )
