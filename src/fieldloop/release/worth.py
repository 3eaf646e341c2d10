"""Leave the least valuable episodes out of a release: which ones, and on what evidence.

An estimate of worth alone does not justify leaving anything out. What counts is whether a policy learnt without these
episodes succeeded more often: in trials of both policies, with the whole interval of the gain above 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from fieldloop.errors import BadInput
from fieldloop.model.note import Note, note
from fieldloop.model.release import LEAST_WORTH
from fieldloop.model.worth import EpisodeWorth, Worth, WorthEvidence
from fieldloop.stats.difference import Counts, compute_difference_interval


def compare_trials(
    whole: str, without: str, method: str, share: float, counts: tuple[Counts, Counts], level: float
) -> WorthEvidence:
    """Compare (successes, trials) of two policies: learnt from the whole release, and without its worst episodes.

    >>> compare_trials("r1", "r2", "smooth", 0.3, ((90, 200), (120, 200)), 0.95).helps
    True
    >>> compare_trials("r1", "r2", "smooth", 0.3, ((90, 200), (100, 200)), 0.95).helps
    False
    """
    before, after = counts
    low, high = compute_difference_interval(after, before, level)
    return WorthEvidence(whole, without, method, share, *before, *after, low, high)


def compare_paired_trials(
    whole: str,
    without: str,
    method: str,
    share: float,
    pairs: Sequence[tuple[bool, bool]],
    planned: int,
    get_level: Callable[[int], float],
) -> WorthEvidence:
    """Compare trials of either policy at the planned number of them, at twice that number, and so on.

    Each pair is (success of the whole release's policy, success of the other) in the same scenario, in order of time.
    `get_level` returns the confidence that a look requires, so that all looks together err no more often than one.
    The newest look that shows a difference decides; where none does, the newest look is returned.
    """
    last = len(pairs) // planned
    found: WorthEvidence | None = None
    for look in range(last, 0, -1):
        counts = _count_successes(pairs[: look * planned])
        judged = compare_trials(whole, without, method, share, counts, get_level(look))
        judged = replace(judged, look=look, planned=planned, waiting=len(pairs) - look * planned)
        if judged.helps or judged.harms:
            return judged
        found = found or judged
    so_far = compare_trials(whole, without, method, share, _count_successes(pairs), get_level(1))
    return found or replace(so_far, look=0, planned=planned)


def _count_successes(pairs: Sequence[tuple[bool, bool]]) -> tuple[Counts, Counts]:
    return (sum(before for before, _ in pairs), len(pairs)), (sum(after for _, after in pairs), len(pairs))


def order_by_worth(episodes: Sequence[EpisodeWorth]) -> tuple[EpisodeWorth, ...]:
    """Put the least valuable first; of equals the one whose id comes first."""
    return tuple(sorted(episodes, key=lambda one: (one.value, one.episode)))


def check_share(share: float) -> None:
    """Refuse a share that leaves out nothing or everything."""
    if not 0 < share < 1:
        raise BadInput(f"A share of episodes to leave out lies between 0 and 1, not at {share:g}; write 10 % as 0.1.")


def select_worst(worth: Worth, share: float, whole: str) -> tuple[tuple[str, Note], ...]:
    """Return the ids of the share of episodes with the least worth, each with the reason that a release records.

    `whole` is the id of the release that they are left out of.
    Episodes without an estimate stay in. The share is of those with one.
    """
    check_share(share)
    ordered = order_by_worth(worth.episodes)
    count = round(share * len(ordered))
    return tuple(
        (
            one.episode,
            note(
                LEAST_WORTH,
                whole=whole,
                method=worth.method.value,
                share=share,
                rank=rank,
                of=len(ordered),
                value=one.value,
                low=one.low,
                high=one.high,
            ),
        )
        for rank, one in enumerate(ordered[:count], start=1)
    )


def find_evidence(evidence: Sequence[WorthEvidence], method: str, share: float) -> WorthEvidence | None:
    """Return the newest evidence that leaving out this share by this method helps; None where there is none.

    A newer comparison of the same method and share overrules an older one.
    """
    of = [one for one in select_share(evidence, share) if one.method == method]
    return of[0] if of and of[0].helps else None


def select_share(evidence: Sequence[WorthEvidence], share: float) -> tuple[WorthEvidence, ...]:
    """Return the evidence about leaving out this share."""
    return tuple(one for one in evidence if abs(one.share - share) < 1e-9)  # noqa: PLR2004 - equal


def summarise_evidence(evidence: Sequence[WorthEvidence]) -> Note:
    """State what the newest comparison shows."""
    if not evidence:
        return note("worth.no_trials")
    newest = evidence[0]
    if not newest.look:
        return note("worth.too_few_trials", trials=newest.trials, planned=newest.planned)
    code = "worth.helps" if newest.helps else "worth.harms" if newest.harms else "worth.cannot_tell"
    more = []
    if code == "worth.cannot_tell" and newest.planned:
        more.append(note("worth.next_look", more=newest.planned - newest.waiting % newest.planned))
    if len(evidence) > 1:
        more.append(note("worth.several_comparisons", comparisons=len(evidence)))
    return note(
        code, *more, method=newest.method, share=newest.share, gain=newest.gain, low=newest.low, high=newest.high,
        trials=newest.trials + newest.trials_without,
    )  # fmt: skip
