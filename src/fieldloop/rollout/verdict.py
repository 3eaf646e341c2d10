"""Compare candidate and incumbent: a loss, no loss, or how many more episodes are needed."""

import math

from fieldloop.errors import BadInput
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section
from fieldloop.stats import difference

Counts = tuple[int, int]

MOST_EPISODES = 1_000_000
"""A forecast beyond this many episodes is reported as out of reach."""


def judge_candidate(
    candidate: Counts, incumbent: Counts, days: float, share: float, settings: Section
) -> tuple[Status, Note]:
    """Judge a candidate against its incumbent: FAILED on a real drop, PASSED on no loss shown, else what is missing."""
    for successes, episodes in (candidate, incumbent):
        if not 0 <= successes <= episodes:
            raise BadInput(
                f"{successes} successes of {episodes} episodes is impossible. Count both over the same days."
            )
    return (
        _judge_drop(candidate, incumbent, settings)
        or _hold_if_too_few_episodes(candidate, incumbent, settings)
        or _judge_possible_loss(candidate, incumbent, share, settings)
        or _hold_if_too_soon(days, settings)
        or (
            Status.PASSED,
            note(
                "rollout.no_loss",
                _make_both_arms_note(candidate, incumbent),
                margin_points=100 * settings.number("max_drop"),
            ),
        )
    )


def _judge_drop(candidate: Counts, incumbent: Counts, settings: Section) -> tuple[Status, Note] | None:
    """A drop counts when it is larger than allowed and beyond chance over all looks, not only this one."""
    if not candidate[1] or not incumbent[1]:
        return None
    drop = incumbent[0] / incumbent[1] - candidate[0] / candidate[1]
    threshold = difference.compute_anytime_threshold(
        candidate[1], incumbent[1], int(settings.number("min_episodes")), settings.number("confidence")
    )
    if drop <= settings.number("max_drop") or difference.compute_drop_score(candidate, incumbent) <= threshold:
        return None
    return Status.FAILED, note("rollout.dropped", _make_both_arms_note(candidate, incumbent), drop_points=100 * drop)


def _hold_if_too_few_episodes(candidate: Counts, incumbent: Counts, settings: Section) -> tuple[Status, Note] | None:
    least = int(settings.number("min_episodes"))
    if not incumbent[1]:
        return Status.CANNOT_TELL, note("rollout.no_incumbent_episodes")
    if candidate[1] < least:
        return Status.CANNOT_TELL, note("rollout.too_few", more=least - candidate[1], needed=least)
    return None


def _judge_possible_loss(
    candidate: Counts, incumbent: Counts, share: float, settings: Section
) -> tuple[Status, Note] | None:
    """Require a confidence that all looks on this rung share, because the question is asked repeatedly."""
    margin, level = settings.number("max_drop"), 1 - (1 - settings.number("confidence")) / settings.number("looks")
    if difference.compute_difference_lower_bound(candidate, incumbent, level) > -margin:
        return None
    more = count_more_episodes_needed(candidate, incumbent, share, margin, level)
    needed = note("rollout.more_needed", more=more) if more else note("rollout.out_of_reach", most=MOST_EPISODES)
    return Status.CANNOT_TELL, note(
        "rollout.loss_possible", _make_both_arms_note(candidate, incumbent), needed, margin_points=100 * margin
    )


def _hold_if_too_soon(days: float, settings: Section) -> tuple[Status, Note] | None:
    step = settings.number("step_days")
    if days < step:
        return Status.CANNOT_TELL, note("rollout.too_soon", days=step - days)
    return None


def count_more_episodes_needed(
    candidate: Counts, incumbent: Counts, share: float, margin: float, level: float
) -> int | None:
    """Return how many more candidate episodes show no loss, at both observed rates and this split."""
    ours, theirs = candidate[0] / candidate[1], incumbent[0] / incumbent[1]
    beside = (1.0 - share) / share if share else 1.0

    def shows_no_loss(more_episodes: int) -> bool:
        n, m = candidate[1] + more_episodes, incumbent[1] + int(more_episodes * beside)
        return (
            difference.compute_difference_lower_bound((math.floor(ours * n), n), (math.ceil(theirs * m), m), level)
            > -margin
        )

    high = 1
    while not shows_no_loss(high):
        high *= 2
        if high > MOST_EPISODES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows_no_loss(middle) else (middle, high)
    return high


def _make_both_arms_note(candidate: Counts, incumbent: Counts) -> Note:
    return note(
        "rollout.both_arms",
        candidate_rate=candidate[0] / candidate[1],
        candidate_episodes=candidate[1],
        incumbent_rate=incumbent[0] / incumbent[1],
        incumbent_episodes=incumbent[1],
    )
