"""One attempt, one result, however many judged it."""

from collections.abc import Iterable

from fieldloop.model.policy import Outcome


def settled(outcomes: Iterable[Outcome]) -> tuple[list[Outcome], int]:
    """Return one outcome per attempt, by majority of its judges, and how many attempts stay contested.

    An even split says nothing about the stratum and much about the judges: it is left out and counted.
    """
    kept: list[Outcome] = []
    judged: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.attempt:
            judged.setdefault((outcome.policy, outcome.attempt), []).append(outcome)
        else:
            kept.append(outcome)
    contested = 0
    for votes in judged.values():
        won = sum(vote.succeeded for vote in votes)
        if 2 * won == len(votes):
            contested += 1
        else:
            kept.append(next(vote for vote in votes if vote.succeeded is (2 * won > len(votes))))
    return kept, contested
