"""The families of planted worlds: how each plants a seed, what its worlds depend on, which seeds are the final ones."""

from dataclasses import dataclass

from bench.planted import planted, turns
from bench.planted.answers import Plant
from bench.planted.later import planted as later_planted
from bench.planted.later import twists


@dataclass(frozen=True, slots=True)
class Family:
    """One family; `block` is the command whose marks its tables stand between on the page."""

    plant: Plant
    sources: tuple[str, ...]
    first_seed: int
    worlds: int
    block: str


FIRST, LATER = "first", "later"
FAMILIES = {
    FIRST: Family(planted.planted, planted.SOURCES, 20_256, len(turns.TURNS), "python -m bench.diagnose"),
    LATER: Family(
        later_planted.planted,
        later_planted.SOURCES,
        40_000,
        len(twists.TURNS),
        "python -m bench.diagnose --family later",
    ),
}
