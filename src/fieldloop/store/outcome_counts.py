"""Counts of attempts by conditions and of trials by policy and stage; an attempt with several judges counts once."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection, exists, func, select

from fieldloop.model.attempts import settle_attempts
from fieldloop.model.condition import Stratum
from fieldloop.store.contract import StratumCount, TrialCount
from fieldloop.store.judged_again import SAME, build_named_attempt_criterion, list_contested_verdicts
from fieldloop.store.outcomes import stratum_of
from fieldloop.store.sums import choose_article_for_sums
from fieldloop.store.tables import outcomes, success_strata


def count_by_stratum(connection: Connection, stage: str, policies: Sequence[str] | None) -> list[StratumCount]:
    """Count attempts by policy, conditions and article."""
    sums = success_strata.c
    query = select(sums.policy, sums.site, sums.stratum, sums.item, sums.successes, sums.episodes)
    query = query.where(sums.stage == stage)
    if policies is not None:
        query = query.where(sums.policy.in_(policies))
    counts: dict[tuple[str, str, Stratum, str], list[int]] = defaultdict(lambda: [0, 0])
    for policy, site, text, item, won, tried in connection.execute(query):
        tally = counts[policy, site, stratum_of(text), item]
        tally[0] += won
        tally[1] += tried
    votes = list_contested_verdicts(connection, None, None, stage, policies)
    for sign, counted in ((-1, votes), (1, settle_attempts(votes)[0])):
        for vote in counted:
            tally = counts[vote.policy, vote.site, vote.stratum, choose_article_for_sums(str(vote.stratum), vote.item)]
            tally[0] += sign * bool(vote.succeeded)
            tally[1] += sign
    return [StratumCount(*key, successes=won, episodes=tried) for key, (won, tried) in counts.items() if tried]


def count_trials(
    connection: Connection, stages: Sequence[str], scenarios: Sequence[str], policies: Sequence[str] | None
) -> dict[tuple[str, str], TrialCount]:
    """Count trials in some scenarios by policy and stage."""
    each = outcomes.c
    wanted = [each.stage.in_(stages), each.scenario.in_(scenarios), each.succeeded.is_not(None)]
    wanted += [each.policy.in_(policies)] if policies is not None else []
    keys = (each.policy, each.stage, each.attempt, each.site, each.robot)
    query = select(*keys, func.count(), func.count().filter(each.succeeded)).where(*wanted).group_by(*keys)
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for policy, stage, attempt, _site, _robot, verdicts, good in connection.execute(query):
        tally = counts[policy, stage]
        # like `settle_attempts`: a named attempt counts by majority, a tie counts nowhere
        won, tried = (2 * good > verdicts, 2 * good != verdicts) if attempt else (good, verdicts)
        for place, more in enumerate((verdicts, won, tried)):
            tally[place] += more
    return {key: TrialCount(*tally) for key, tally in counts.items()}


def count_unknown_results(connection: Connection, stage: str, start_ns: int, end_ns: int) -> dict[tuple[str, str], int]:
    """Count attempts without a known result by policy and site, at times in [start, end)."""
    each, other = outcomes.c, outcomes.alias("other")
    unknown = (each.stage == stage, each.succeeded.is_(None), each.at_ns >= start_ns, each.at_ns < end_ns)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    plain = select(each.policy, each.site, func.count()).where(*unknown, each.attempt == "")
    for policy, site, attempts in connection.execute(plain.group_by(each.policy, each.site)):
        counts[policy, site] += attempts
    same = [other.c[name] == each[name] for name in (*SAME, "stage")]
    judged = exists().where(*same, build_named_attempt_criterion(other), other.c.succeeded.is_not(None))
    named = (
        select(*(each[name] for name in SAME))
        .where(*unknown, build_named_attempt_criterion(outcomes), ~judged)
        .distinct()
    )
    for policy, site, _robot, _attempt in connection.execute(named):
        counts[policy, site] += 1
    return dict(counts)
