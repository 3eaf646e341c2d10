"""What is tried: maps, budgets, rounds and numbers of seeds, all stated before anything runs."""

from dataclasses import dataclass

from bench.plan_loop import Sizes

OURS, BASELINE, INFORMED = "marginal", "frequency", "informed"
STRATEGIES = (OURS, "failure_frequency", BASELINE, "uniform", "failure_index", "same", INFORMED)
CONTENDERS = tuple(name for name in STRATEGIES if name not in {BASELINE, INFORMED})
"""What is tested against the baseline; the informed rule knows what no planner knows, and is only a yardstick."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A map, a budget a round and a number of rounds; some strategies go on beyond them until a level is reached."""

    name: str
    preset: str
    budget: float
    seeds: int
    rounds: int = 4
    furthest: int = 4
    """Rounds of those that go on; the area under the curve counts the first `rounds` only."""
    going_on: tuple[str, ...] = ()
    strategies: tuple[str, ...] = STRATEGIES

    def rounds_of(self, strategy: str) -> int:
        """How many rounds does a strategy get?"""
        return self.furthest if strategy in self.going_on else self.rounds


FEWER = (OURS, "failure_frequency", BASELINE, INFORMED)
"""Beside the primary trial: the baseline, its nearest rival and the yardstick; time buys seeds, not more strategies."""
PRIMARY = Trial("covered_traps", "covered_traps", 40.0, 10, furthest=16, going_on=(OURS, BASELINE, INFORMED))
TRIALS = (
    PRIMARY,
    Trial("drift", "drift", 40.0, 6, strategies=FEWER),
    Trial("unequal_cost", "unequal_cost", 80.0, 6, strategies=FEWER),
    Trial("multi_site", "multi_site", 40.0, 4, strategies=FEWER),
    Trial("broad", "broad", 40.0, 4, strategies=FEWER),
    Trial("covered_traps_120", "covered_traps", 120.0, 4, strategies=FEWER),
)
FULL = Sizes()

SHORT = Trial("covered_traps", "covered_traps", 120.0, 2, rounds=1, furthest=1)
SHORT_SIZES = Sizes(
    laboratory=400, logged=300, evaluated=600, plenty=700, probes=3, rounds=1, steps=500, plenty_steps=600
)
