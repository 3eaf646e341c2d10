"""Quotas of failures with recovery: a policy that saw only successes cannot recover."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.attempts import settle_attempts
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Quota, QuotaKind
from fieldloop.model.policy import FailureClass, Outcome
from fieldloop.plan.places import Narrowest
from fieldloop.plan.rules.tiers import split_off_quota
from fieldloop.protocol import Section

FACTOR = "recovery"
"""The condition that marks episodes of such a quota."""


def ask_for_recoveries(
    quotas: Sequence[Quota], outcomes: Iterable[Outcome], settings: Section, episodes: Iterable[Episode] = ()
) -> list[Quota]:
    """Turn a share of the demonstrations into recoveries, kind by kind, where production fails in that way.

    Each kind gets one while they last, the rest by how often production failed that way. At most half of a quota is
    turned, unless it is a single demonstration, so that ordinary demonstrations stay the majority.
    """
    kinds = _read_recovery_kinds(settings)
    ordinary = [at for at, quota in enumerate(quotas) if quota.kind is QuotaKind.DEMONSTRATION]
    total = sum(quotas[at].demonstrations for at in ordinary)
    wanted = int(settings.number("recovery_share") * total)
    tries, failures = _count_attempts_by_quota(quotas, outcomes)
    shown = _count_recoveries_by_quota(quotas, episodes)
    amounts = _deal_in_proportion(wanted, [sum(c[cls] for c in failures) for _, cls in kinds])
    taken: Counter[int] = Counter()
    made: list[Quota] = []
    for (name, cls), amount in zip(kinds, amounts, strict=True):
        left = amount
        worst = [(-failures[at][cls], -failures[at].total(), -quotas[at].demonstrations, at) for at in ordinary]
        for *_, at in sorted(worst):
            quota = quotas[at]
            some = min(left, max(1, quota.demonstrations // 2) - taken[at])
            if some <= 0:
                continue
            taken[at] += some
            left -= some
            made.append(
                _make_recovery_quota(
                    quota, some, name, _note_failures_of_this_kind(tries[at], failures[at], cls), shown[at][name]
                )
            )
    left_over = [(q, q.demonstrations - taken[at]) for at, q in enumerate(quotas)]
    return [*(split_off_quota(q, left) if left < q.demonstrations else q for q, left in left_over if left), *made]


def remove_recovery_factor(stratum: Stratum) -> Stratum:
    """Return the stratum that a recovery belongs to."""
    return Stratum.of({factor: level for factor, level in stratum.levels.items() if factor != FACTOR})


def _note_failures_of_this_kind(tries: int, failures: Counter[FailureClass | None], cls: FailureClass) -> Note:
    if not tries:
        return note("plan.not_tried_here")
    if failures[cls]:
        return note("plan.failed_this_way", failures=failures[cls])
    if failures[None]:
        return note("plan.failed_unclassified", failures=failures[None])
    return note("plan.never_failed_this_way")


def _make_recovery_quota(quota: Quota, some: int, name: str, failed: Note, shown: int) -> Quota:
    before = note("plan.recovery_shown", times=shown) if shown else note("plan.recovery_never_shown")
    part = split_off_quota(quota, some)
    why = note("plan.quota_recovery", failed, before, name=name, demonstrations=some, gain=part.gain)
    stratum = Stratum.of({**quota.stratum.levels, FACTOR: name})
    return replace(part, stratum=stratum, kind=QuotaKind.RECOVERY, why=why)


def _read_recovery_kinds(settings: Section) -> list[tuple[str, FailureClass]]:
    kinds = []
    for line in settings["recoveries"]:
        name, _, of = (part.strip() for part in str(line).rpartition(":"))
        if not name or "," in name or "=" in name:
            raise BadInput(f"plan.recoveries: {line!r} is not 'name: failure class', as in 'slipped grasp: grasp'.")
        classes = [known.value for known in FailureClass]
        if of not in classes:
            raise UnknownName("failure class", of, classes, ", ".join(classes))
        kinds.append((name, FailureClass(of)))
    return kinds


def _count_attempts_by_quota(
    quotas: Sequence[Quota], outcomes: Iterable[Outcome]
) -> tuple[Counter[int], list[Counter[FailureClass | None]]]:
    """Count production's attempts and, by class, its failures in the stratum of each quota; None: not classified."""
    tries: Counter[int] = Counter()
    counts: list[Counter[FailureClass | None]] = [Counter() for _ in quotas]
    narrowest = Narrowest([q.stratum for q in quotas])
    for outcome in settle_attempts(outcomes)[0]:
        at = narrowest.find_position(outcome.stratum.add_site(outcome.site))
        if at is None:
            continue
        tries[at] += 1
        if not outcome.succeeded:
            counts[at][outcome.failure] += 1
    return tries, counts


def _count_recoveries_by_quota(quotas: Sequence[Quota], episodes: Iterable[Episode]) -> list[Counter[str]]:
    """Count the recoveries in hand by their name in the stratum of each quota."""
    counts: list[Counter[str]] = [Counter() for _ in quotas]
    narrowest = Narrowest([q.stratum for q in quotas])
    for episode in episodes:
        name = episode.stratum_with_site.level(FACTOR)
        at = narrowest.find_position(remove_recovery_factor(episode.stratum_with_site)) if name else None
        if name and at is not None:
            counts[at][name] += 1
    return counts


def _deal_in_proportion(amount: int, weights: Sequence[int]) -> list[int]:
    """Deal one to each while they last, the heaviest first; the rest in proportion, largest remainders rounded up.

    >>> _deal_in_proportion(9, [6, 3, 0]), _deal_in_proportion(2, [0, 3, 1]), _deal_in_proportion(4, [0, 0])
    ([5, 3, 1], [0, 1, 1], [2, 2])
    """
    heaviest = sorted(range(len(weights)), key=lambda at: (-weights[at], at))
    whole = [0] * len(weights)
    for at in heaviest[:amount]:
        whole[at] = 1
    left, shares = amount - sum(whole), weights if any(weights) else [1] * len(weights)
    if left <= 0 or not shares:
        return whole
    exact = [divmod(left * share, sum(shares)) for share in shares]
    behind = sorted(range(len(exact)), key=lambda at: (-exact[at][1], at))[: left - sum(part for part, _ in exact)]
    return [one + part + (at in behind) for at, (one, (part, _)) in enumerate(zip(whole, exact, strict=True))]
