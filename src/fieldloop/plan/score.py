"""Score a plan: the gain it promised, the gain measured in production, and each stratum for the learning curves."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Coverage, Plan, PlanScore, StratumScore
from fieldloop.plan.parts import split_into_parts
from fieldloop.plan.rules.recovery import remove_recovery_factor
from fieldloop.plan.standardise import compare_at_equal_mix
from fieldloop.plan.strata import make_table, refuse_too_large_table
from fieldloop.protocol import Section


def score_plan(
    plan: Plan, before: Sequence[Coverage], after: Sequence[Coverage], settings: Section, policy_after: str = ""
) -> PlanScore:
    """Compare production before a plan and after a policy trained on it, on the mix the plan was drawn for.

    `before` is the coverage that the plan was drawn from, `after` that of today: with the demonstrations that came in
    and the outcomes of the policy that learnt from them. A changed mix is not counted as a gain: both are weighted by
    the shares of before. The promise is the gain of the plan, plus that of data in hand but not yet learnt when it was
    drawn.
    """
    table, _ = make_table(before), make_table(after)  # refuses impossible numbers
    refuse_too_large_table(table, settings)
    now = {c.stratum: c for c in after}
    pairs = [(c, now.get(c.stratum)) for c in before]
    expected: defaultdict[Stratum, float] = defaultdict(float)
    for quota in plan.quotas:
        expected[remove_recovery_factor(quota.stratum)] += quota.gain
    came = sum(max(0, _count_learnt_demonstrations(a) - _count_learnt_demonstrations(b)) for b, a in pairs if a)
    episodes = sum(a.attempts for _, a in pairs if a)
    counts = [((b.attempts, a.attempts if a else 0), (b.failures, a.failures if a else 0)) for b, a in pairs]
    tries, fails = np.array(counts, dtype=float).reshape(-1, 2, 2).transpose(1, 0, 2)
    measured, error = compare_at_equal_mix(table, tries, fails, split_into_parts(table), settings)
    promised = plan.expected_gain + plan.in_hand_gain
    half = _compute_normal_quantile(settings.number("confidence")) * error
    low, high = max(-1.0, measured - half), min(1.0, measured + half)
    status, message = _judge_gain(promised, plan.gain_high + plan.in_hand_gain, measured, low, high, came, episodes)
    return PlanScore(
        plan=plan.id,
        before=plan.policy,
        after=policy_after,
        expected=promised,
        expected_low=plan.gain_low + plan.in_hand_gain,
        expected_high=plan.gain_high + plan.in_hand_gain,
        measured=measured,
        measured_low=low,
        measured_high=high,
        demonstrations=came,
        episodes=episodes,
        status=status,
        message=message,
        strata=tuple(_score_stratum(b, a, expected.get(b.stratum, 0.0)) for b, a in pairs if _was_shown_or_tried(b, a)),
    )


def _count_learnt_demonstrations(covered: Coverage) -> int:
    """Return the demonstrations that a version was trained on."""
    return covered.demonstrations if covered.learnt is None else covered.learnt


def _compute_normal_quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def _judge_gain(
    gain: float, most: float, measured: float, low: float, high: float, came: int, episodes: int
) -> tuple[Status, Note]:
    if not came:
        return Status.CANNOT_TELL, note("plan.score_nothing_came", expected=gain)
    if not episodes or (low == -1.0 and high == 1.0):
        return Status.CANNOT_TELL, note("plan.score_too_few", expected=gain)

    def note_score(*details: Note) -> Note:
        return note(
            "plan.scored", *details, measured=measured, low=low, high=high, demonstrations=came, expected=gain
        )  # fmt: skip

    if high < gain:
        return Status.FAILED, note_score(note("plan.score_below"))
    if low <= 0.0:
        return Status.CANNOT_TELL, note_score(note("plan.score_unclear", attempts=episodes))
    if measured > most:
        return Status.PASSED, note_score(note("plan.score_above", most=most))
    return Status.PASSED, note_score()


def _was_shown_or_tried(before: Coverage, after: Coverage | None) -> bool:
    """Was it ever shown or tried? Most strata of a large map were not, and curves learn nothing from them."""
    return any(c.demonstrations or c.attempts for c in (before, after) if c)


def _score_stratum(before: Coverage, after: Coverage | None, expected: float) -> StratumScore:
    won = 0.0
    if after and after.attempts and before.attempts:
        won = before.exposure * (before.failures / before.attempts - after.failures / after.attempts)
    return StratumScore(
        stratum=before.stratum,
        exposure=before.exposure,
        demonstrations_before=_count_learnt_demonstrations(before),
        demonstrations_after=_count_learnt_demonstrations(after or before),
        attempts_before=before.attempts,
        failures_before=before.failures,
        attempts_after=after.attempts if after else 0,
        failures_after=after.failures if after else 0,
        expected_gain=expected,
        measured_gain=won,
    )
