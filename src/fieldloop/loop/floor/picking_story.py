"""Simulate a case on the picking floor from its parameters in story.json; the same file gives the same bits."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.floor.parse_faults import parse_faults
from fieldloop.model.codec import from_plain
from fieldloop.model.condition import Stratum
from fieldloop.plan import read_order_list
from fieldloop.say.numbers import format_number
from fieldloop.simulate.picking import pick
from fieldloop.simulate.picking.faults import Faults
from fieldloop.simulate.picking.sites import ROBOTS_PER_SITE
from fieldloop.simulate.picking.strata import SITES
from fieldloop.simulate.picking.world import Demonstrations, Tries, World
from fieldloop.text_files import read_text
from fieldloop.train.cloning import Cloned, train_by_cloning

FILE = "story.json"
DAYS_A_WEEK = 7.0


@dataclass(frozen=True, slots=True)
class Story:
    """Parameters of a simulated case: the floor, the first demonstrations, the faults, and each later round."""

    preset: str
    seed: int
    shown: str
    demonstrations: int
    episodes: int
    days: float
    fault: tuple[str, ...] = ()
    rounds: tuple[tuple[tuple[Stratum, int], ...], ...] = ()

    def write_json(self) -> str:
        """Return it as JSON."""
        plain = asdict(self) | {"rounds": [[[str(stratum), n] for stratum, n in one] for one in self.rounds]}
        return json.dumps(plain, indent=2) + "\n"


@dataclass(frozen=True, slots=True, eq=False)
class PlayedStory:
    """A simulated case: all demonstrations, and the policy's attempts in the laboratory and in production."""

    world: World
    shown: tuple[Demonstrations, ...]
    laboratory: Tries
    line: Tries


def read_story(folder: Path) -> Story:
    """Read the story of a folder that `simulate case` wrote."""
    file = folder / FILE
    if not file.is_file():
        raise BadInput(f"{folder} has no {FILE}: it was not written by `fieldloop simulate case`.")
    return from_plain(Story, json.loads(read_text(file)))


def read_orders(folder: Path) -> tuple[tuple[Stratum, int], ...]:
    """Read what a plan asks for, as `plan folder --orders` wrote it: orders.csv or orders.json."""
    there = [folder / f"orders{ending}" for ending in (".csv", ".json") if (folder / f"orders{ending}").is_file()]
    if len(there) != 1:
        orders_file = (
            f"{folder} has {' and '.join(f.name for f in there)}; keep one." if there else f"{folder} has no orders."
        )
        raise BadInput(
            f"{orders_file} Write the orders: fieldloop plan folder {folder} --orders {folder / 'orders.csv'}"
        )
    return read_order_list(read_text(there[0]), there[0].name)


def simulate_story(story: Story) -> PlayedStory:
    """Demonstrate, train from scratch, and run the policy."""
    wrong, world = parse_faults(story.fault), World(story.preset, story.seed)
    _refuse_faults_without_effect(wrong, story.days)
    mix = world.laboratory() if story.shown == "laboratory" else world.production()
    asked = [
        world.cells(mix, story.demonstrations, "shown"),
        *(_find_strata_indices(world, one) for one in story.rounds),
    ]
    names = ["shown", *(f"round {n}" for n in range(1, len(asked)))]
    shown = tuple(world.demonstrate(cells, name, wrong) for cells, name in zip(asked, names, strict=True) if len(cells))
    policy = train_policy(shown, story.seed)
    bench = world.cells(
        world.laboratory() if story.shown == "laboratory" else mix, max(story.episodes // 3, 1), "bench"
    )
    weeks = np.linspace(0.0, story.days / DAYS_A_WEEK, story.episodes, endpoint=False)
    line = _draw_production_strata(world, weeks)
    return PlayedStory(
        world,
        shown,
        world.attempt(policy.act, bench, "bench", pace=pick.LAB),
        world.attempt(policy.act, line, "line", wrong, weeks),
    )


def train_policy(shown: tuple[Demonstrations, ...], seed: int) -> Cloned:
    """Train a policy from scratch on all demonstrations."""
    return train_by_cloning(
        np.concatenate([d.inputs for d in shown]), np.concatenate([d.actions for d in shown]), None, seed
    )


def _draw_production_strata(world: World, weeks: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.intp]:
    """Draw the strata that production meets, by the mix of each week.

    Every week uses the same random numbers, so that the result does not depend on weeks where the mix is constant.
    """
    cells, week = np.empty(len(weeks), dtype=np.intp), weeks.astype(int)
    for one in np.unique(week).tolist():
        cells[week == one] = world.cells(world.production(one), len(weeks), "line")[week == one]
    return cells


def _refuse_faults_without_effect(wrong: Faults, days: float) -> None:
    """Refuse a fault of an unknown robot or site, a fault after the end, and wear of size 0."""
    robots = [f"{site}-{number + 1}" for site in SITES for number in range(ROBOTS_PER_SITE)]
    for name in wrong.worn_robots:
        if name not in robots:
            raise UnknownName("robot of the picking floor", name, robots)
    for change in wrong.changes:
        if change.site not in SITES:
            raise UnknownName("site of the picking floor", change.site, SITES)
        if change.week * DAYS_A_WEEK >= days:
            raise BadInput(
                f"{change.kind}={change.site}@{format_number(change.week, 6)}: the case ends after "
                f"{format_number(days / DAYS_A_WEEK, 3)} weeks, so nothing would change. "
                "Name an earlier week, or a longer time: --days"
            )
    if wrong.worn_robots and not wrong.extra_cycles:
        raise BadInput("worn=… names the worn robots; give the amount of wear too: extra_cycles=30000.")


def _find_strata_indices(world: World, wanted: tuple[tuple[Stratum, int], ...]) -> np.typing.NDArray[np.intp]:
    """Find the strata on the floor, which has fewer factors than a plan may name."""
    place = {stratum: at for at, stratum in enumerate(world.strata.nouns)}
    cells = []
    for stratum, count in wanted:
        here = stratum.only(world.strata.factors)
        if here not in place:
            raise BadInput(f"The floor {world.preset.name!r} has no stratum {here}.")
        cells += [place[here]] * count
    return np.array(cells, dtype=np.intp)
