"""One outcome per attempt, by majority of its judges."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fieldloop.model.outcome_columns import OutcomeColumns
from fieldloop.model.policy import Outcome

Key = tuple[str, str, str, str]


def settle_attempts(outcomes: Iterable[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    """Return one outcome per attempt, by majority of its judges; and the first verdict on each tied attempt.

    Attempts keep the order in which they first came. A tie leaves the outcome unknown. Verdicts without a result do
    not vote; an attempt of which no result is known is in neither list (`unknown_attempts` counts those).
    Robots number their attempts independently, so an attempt's name alone does not identify it.
    """
    judged: dict[Key | int, list[Outcome]] = {}
    for at, outcome in enumerate(select_known_results(outcomes)):
        judged.setdefault(get_attempt_key(outcome) or at, []).append(outcome)
    kept, contested = [], []
    for votes in judged.values():
        won = sum(vote.succeeded is True for vote in votes)
        if 2 * won == len(votes):
            contested.append(votes[0])
        else:
            kept.append(next(vote for vote in votes if vote.succeeded is (2 * won > len(votes))))
    return kept, contested


def count_each_attempt_once(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Count an attempt with several verdicts once; a tie counts as a failure, an unknown result not at all."""
    kept, contested = settle_attempts(outcomes)
    return [*kept, *(replace(one, succeeded=False) for one in contested)]


def list_attempts_in_place(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return one outcome per attempt at the place of its first verdict; one without a known result stays, unknown.

    A tie counts as a failure. Neither a further verdict nor a correction moves an attempt.
    """
    judged: dict[Key | int, list[Outcome]] = {}
    for at, outcome in enumerate(outcomes):
        judged.setdefault(get_attempt_key(outcome) or at, []).append(outcome)
    settled = []
    for votes in judged.values():
        first = min(votes, key=lambda vote: (vote.at_ns, vote.id))
        known = count_each_attempt_once(votes)
        settled.append(replace(known[0], id=first.id, at_ns=first.at_ns) if known else first)
    return settled


def settle(outcomes: Sequence[Outcome]) -> tuple[Sequence[Outcome], Sequence[Outcome]]:
    """Settle attempts; columns stay columns where no row names its attempt."""
    if isinstance(outcomes, OutcomeColumns) and not outcomes.names_attempts:
        return outcomes.take(outcomes.known), ()
    return settle_attempts(outcomes)


def names_attempts(outcomes: Sequence[Outcome]) -> bool:
    """Does any outcome name its attempt, so that several may be verdicts on one?"""
    if isinstance(outcomes, OutcomeColumns):
        return outcomes.names_attempts
    return any(outcome.attempt for outcome in outcomes)


def select_known_results(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return the verdicts that state a result."""
    return [outcome for outcome in outcomes if outcome.succeeded is not None]


def count_unknown_attempts(outcomes: Iterable[Outcome]) -> int:
    """Count the attempts of which no verdict states a result."""
    given = list(outcomes)
    known = {get_attempt_key(outcome) for outcome in select_known_results(given)} - {None}
    unknown = [get_attempt_key(outcome) for outcome in given if outcome.succeeded is None]
    return unknown.count(None) + len({key for key in unknown if key and key not in known})


def get_attempt_key(outcome: Outcome) -> Key | None:
    """Return the key that all verdicts on one attempt share; None for an unnamed attempt, which has one judge."""
    if not outcome.attempt:
        return None
    return (outcome.policy, outcome.site, outcome.robot, outcome.attempt)
