"""The families of planted worlds: how each makes a world, what it depends on, and which seeds are final."""

from dataclasses import dataclass

from bench.planted import planted, turns
from bench.planted.answers import Plant
from bench.planted.later import planted as later_planted
from bench.planted.later import twists


@dataclass(frozen=True, slots=True)
class Family:
    """One family; `block` is the command that marks the place of its tables in the document."""

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
