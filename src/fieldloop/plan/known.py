"""The inputs of a plan."""

from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.plan import Coverage, PlanScore
from fieldloop.model.policy import Outcome


@dataclass(frozen=True, slots=True)
class Known:
    """Coverage of the deployed strata, the map, the accepted demonstrations, production of the version in force.

    Coverage alone is enough for an allocation; gaps, articles and recoveries need the rest.
    """

    coverages: Sequence[Coverage]
    deployment: Deployment | None = None
    episodes: Sequence[Episode] = ()
    outcomes: Sequence[Outcome] = ()
    policy: str = ""
    scores: Sequence[PlanScore] = ()
    """Scores of earlier plans, newest first."""
    first_order: int = 1
    """The number of the plan's first order; orders are counted on from plan to plan."""
    elsewhere: Sequence[Coverage] = ()
    """Demonstrations under conditions that are not deployed; they count for the conditions they share."""
