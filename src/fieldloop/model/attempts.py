"""One outcome per attempt, by majority of its judges."""

from collections.abc import Iterable

from fieldloop.model.policy import Outcome

Key = tuple[str, str, str, str]


def settle_attempts(outcomes: Iterable[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    """Return one outcome per attempt, by majority of its judges; and the first verdict on each tied attempt.

    Attempts keep the order in which they first came. A tie leaves the outcome unknown.
    Robots number their attempts independently, so an attempt's name alone does not identify it.
    """
    judged: dict[Key | int, list[Outcome]] = {}
    for at, outcome in enumerate(outcomes):
        judged.setdefault(attempt_of(outcome) or at, []).append(outcome)
    kept, contested = [], []
    for votes in judged.values():
        won = sum(vote.succeeded for vote in votes)
        if 2 * won == len(votes):
            contested.append(votes[0])
        else:
            kept.append(next(vote for vote in votes if vote.succeeded is (2 * won > len(votes))))
    return kept, contested


def attempt_of(outcome: Outcome) -> Key | None:
    """Return the key that all verdicts on one attempt share; None for an unnamed attempt, which has one judge."""
    if not outcome.attempt:
        return None
    return (outcome.policy, outcome.site, outcome.robot, outcome.attempt)
