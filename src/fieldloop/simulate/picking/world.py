"""One picking floor: demonstrations and attempts, drawn by purpose. The same seed gives the same bits."""

import hashlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.simulate.picking import catalogue, demonstrating, drawing, operators, physics, pick, wear
from fieldloop.simulate.picking.faults import NOTHING, Faults, choose_simulated_demonstrations, replace_left_out_cells
from fieldloop.simulate.picking.pick import LINE, Act, Pace
from fieldloop.simulate.picking.presets import get_preset
from fieldloop.simulate.picking.scenes import Bools, Floats, Ints, Scenes
from fieldloop.simulate.picking.strata import LEVELS, Strata

ARTICLES = 3_000
AT_ONCE = 1_000
"""Number of picks that are stepped together: small enough for the processor's cache."""
ROBOT_LATENCY_S = 0.015
UNUSUAL_FROM = 3
"""Bins from this code on are unusual variants, on which annotators may differ."""


@dataclass(frozen=True, slots=True, eq=False)
class Demonstrations:
    """Demonstrations: rows to learn from (`owner` is their demonstration), and one entry a demonstration."""

    inputs: NDArray[np.float32]
    actions: NDArray[np.float32]
    owner: Ints
    scenes: Scenes
    shown: demonstrating.Shown
    person: Ints
    """Who demonstrated; `scenes.person` filled the bin."""
    moments_s: Floats
    """Grasp moment of two annotators relative to the true one: n × 2."""
    cost: Floats

    @property
    def cell(self) -> Ints:
        """The stratum of each demonstration."""
        return self.scenes.cell

    @property
    def kept(self) -> Bools:
        """Which demonstrations are good enough to learn from?"""
        return self.shown.kept

    @property
    def simulated(self) -> Bools:
        """Which were made in the simulator twin?"""
        return self.scenes.simulated


@dataclass(frozen=True, slots=True, eq=False)
class Tries:
    """Results of picks: the scenes, how each ended (a row of physics.ENDS), deviations by step, latency, time."""

    scenes: Scenes
    end: Ints
    deviation: Floats
    latency_s: Floats
    cycle_s: Floats
    poses: Floats
    answers: Floats

    @property
    def cell(self) -> Ints:
        """The stratum of each try."""
        return self.scenes.cell

    @property
    def succeeded(self) -> Bools:
        """Which succeeded?"""
        return np.asarray(self.end == 0)


class World:
    """A catalogue, a map and a fleet, drawn from one seed."""

    def __init__(self, name: str, seed: int, articles: int = ARTICLES) -> None:
        """Build the floor of a preset."""
        if articles < len(catalogue.PACKAGING):
            raise BadInput(f"A catalogue needs at least {len(catalogue.PACKAGING)} articles, not {articles}.")
        self.preset, self.seed, self.strata = get_preset(name), seed, Strata(LEVELS)
        self.catalogue = catalogue.draw_catalogue(articles, self.chance("catalogue"))
        self.fleet = wear.draw_fleet_cycles(self.chance("fleet"))

    def chance(self, *purpose: str | int) -> np.random.Generator:
        """Return a generator of its own for a purpose, such as `chance("demonstration", 3)`."""
        digest = hashlib.sha256("\x1f".join(map(str, ("picking", self.seed, *purpose))).encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:16], "little"))

    @property
    def cost(self) -> Floats:
        """What one demonstration of each stratum costs, in units of an ordinary one."""
        return self.preset.cost

    def production(self, week: float = 0.0) -> Floats:
        """Return the share of each stratum in production."""
        return self.preset.production(week)

    def laboratory(self) -> Floats:
        """Return the share of each stratum on the laboratory's bench."""
        return self.preset.laboratory

    def cells(self, shares: Floats, count: int, *purpose: str | int) -> Ints:
        """Draw strata as often as they occur; shares need not sum to 1."""
        if shares.shape != (len(self.strata),) or not np.isfinite(shares).all() or shares.min() < 0 or not shares.sum():
            raise BadInput(f"Shares are {len(self.strata)} numbers from 0 up, one a stratum, and not all 0.")
        return self.chance("cells", *purpose).choice(len(self.strata), count, p=shares / shares.sum())

    def scenes(
        self, cells: Ints, purpose: str, faults: Faults, weeks: Floats | float, *, demonstrating: bool
    ) -> Scenes:
        """Draw the scenes of cells: the same purpose and cells give the same scenes, with any policy."""
        kinds = np.asarray(cells, dtype=np.intp)
        if kinds.ndim != 1 or (len(kinds) and not 0 <= kinds.min() <= kinds.max() < len(self.strata)):
            raise BadInput(f"Cells are the numbers of strata, from 0 to {len(self.strata) - 1}, in one row.")
        twin = np.zeros(len(kinds), dtype=bool)
        if demonstrating:
            twin = choose_simulated_demonstrations(kinds, self.strata, faults, self.chance("twin", purpose))
        week = np.broadcast_to(np.asarray(weeks, dtype=float), kinds.shape)
        faults = replace(faults, changes=(*self.preset.changes, *faults.changes))
        each_week = wear.CYCLES_PER_WEEK + self.preset.cycles_per_week
        ask = drawing.Ask(kinds, week, twin, faults, demonstrating, each_week)
        return drawing.draw_scenes(ask, self.strata, self.catalogue, self.fleet, self.chance("scenes", purpose))

    def demonstrate(
        self, cells: Ints, purpose: str, faults: Faults = NOTHING, week: Floats | float = 0.0
    ) -> Demonstrations:
        """Let people demonstrate once in each cell."""
        made = replace_left_out_cells(
            np.asarray(cells, dtype=np.intp), self.strata, faults, self.chance("starved", purpose)
        )
        scenes = self.scenes(made, purpose, faults, week, demonstrating=True)
        rng = self.chance("demonstration", purpose)
        person = operators.draw_people(len(made), rng)
        shown = demonstrating.demonstrate_picks(scenes, pick.draw_start_poses(len(made), pick.SHOWN, rng), person, rng)
        moments = self._draw_grasp_moments(scenes, faults, rng)
        orders = demonstrating.read_grasp_at_annotation(scenes, shown.commands, moments[:, 0])
        inputs, actions, owner = demonstrating.make_imitation_rows(scenes, shown, orders, faults.camera_lag_s, rng)
        return Demonstrations(inputs, actions, owner, scenes, shown, person, moments, self.cost[made])

    def attempt(
        self,
        policy: Act,
        cells: Ints,
        purpose: str,
        faults: Faults = NOTHING,
        weeks: Floats | float = 0.0,
        pace: Pace = LINE,
    ) -> Tries:
        """Let a policy pick once in each cell; the scenes do not depend on the policy."""
        if not len(cells):
            raise BadInput("No stratum was given, so there is nothing to pick.")
        scenes = self.scenes(cells, purpose, faults, weeks, demonstrating=False)
        parts = [
            self._attempt_batch(
                policy, scenes.take(slice(i, i + AT_ONCE)), self.chance("attempt", purpose, i), faults, pace
            )
            for i in range(0, len(scenes), AT_ONCE)
        ]
        joined = {
            name: np.concatenate([getattr(part, name) for part in parts], axis=axis)
            for name, axis in (
                ("end", 0),
                ("deviation", 0),
                ("latency_s", 0),
                ("cycle_s", 0),
                ("poses", 1),
                ("answers", 1),
            )
        }
        return Tries(scenes=scenes, **joined)

    def _attempt_batch(
        self, policy: Act, scenes: Scenes, rng: np.random.Generator, faults: Faults, pace: Pace
    ) -> Tries:
        late = ROBOT_LATENCY_S + faults.latency_s
        flown = pick.simulate_approach(
            scenes, policy, pace, pick.draw_start_poses(len(scenes), pace, rng), late, faults.run_lag_s, rng
        )
        grasp = pick.close_jaws(scenes, flown.poses[-1], flown.answers[-1], rng)
        verdicts = physics.judge_grasps(scenes, grasp)
        latency = late * np.exp(rng.normal(0, 0.1, len(scenes)))
        carrying = 0.4 + 1.2 / grasp.acceleration + 2.0 / pace.speed
        cycle = (
            pace.steps * pick.STEP_S
            + carrying * np.array([0.0, 0.3, 0.6, 0.9, 1.0])[physics.get_step_reached(verdicts.end)]
        )
        measured = verdicts.deviation + np.abs(rng.normal(0, 0.0004, verdicts.deviation.shape))
        return Tries(scenes, verdicts.end, measured, latency, cycle, flown.poses, flown.answers)

    def _draw_grasp_moments(self, scenes: Scenes, faults: Faults, rng: np.random.Generator) -> Floats:
        """Draw the grasp moments of two annotators: alike on standard variants, by their own standards on others."""
        unusual = self.strata.code("bin", scenes.cell) >= UNUSUAL_FROM
        standard = np.array(demonstrating.STANDARDS)[rng.integers(len(demonstrating.STANDARDS), size=(len(scenes), 2))]
        read = rng.normal(0, 0.01, (len(scenes), 2))
        return read + faults.label_noise * standard * unusual[:, None]
