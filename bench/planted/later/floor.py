"""A picking floor with a twist: faults that hold in some conditions only, wear by the week, another pace and bench."""

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bench.planted.later.twists import RARELY_TRIED, Twist
from bench.planted.played import LINE
from fieldloop.simulate.picking.demonstrating import STANDARDS, read_grasp_at_annotation
from fieldloop.simulate.picking.faults import NOTHING, Faults
from fieldloop.simulate.picking.pick import Act, Pace
from fieldloop.simulate.picking.scenes import Scenes
from fieldloop.simulate.picking.world import Demonstrations, Tries, World

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
SPEEDS = 3
"""Number of actions that are speeds; those that depend on the annotated grasp moment follow."""


class Floor(World):
    """The floor of a preset and seed, with a twist; scenes and random numbers are as without it."""

    def __init__(self, name: str, seed: int, twist: Twist) -> None:
        super().__init__(name, seed)
        self.twist = twist

    def cells(self, shares: Floats, count: int, *purpose: str | int) -> Ints:
        if self.twist.only and purpose == ("bench",):
            shares = shares * np.where(self.strata.where(self.twist.only), RARELY_TRIED, 1.0)
        return super().cells(shares, count, *purpose)

    def scenes(
        self, cells: Ints, purpose: str, faults: Faults, weeks: Floats | float, *, demonstrating: bool
    ) -> Scenes:
        if not (self.twist.is_weekly and faults.extra_cycles):
            return super().scenes(cells, purpose, faults, weeks, demonstrating=demonstrating)
        ageing = copy(self)
        ageing.preset = replace(self.preset, cycles_per_week=self.preset.cycles_per_week + faults.extra_cycles)
        at_first = replace(faults, extra_cycles=0.0)
        return ageing.scenes(cells, purpose, at_first, weeks, demonstrating=demonstrating)

    def demonstrate(
        self, cells: Ints, purpose: str, faults: Faults = NOTHING, week: Floats | float = 0.0
    ) -> Demonstrations:
        if not self.twist.only:
            return super().demonstrate(cells, purpose, faults, week)
        sound = super().demonstrate(cells, purpose, replace(faults, camera_lag_s=0.0, label_noise=0.0), week)
        here = self.strata.where(self.twist.only)[sound.cell]
        inputs, actions, moments = sound.inputs, sound.actions, sound.moments_s
        if faults.camera_lag_s:
            lagging = super().demonstrate(cells, purpose, faults, week)  # the same people in the same scenes
            inputs = np.where(here[sound.owner, None], lagging.inputs, sound.inputs)
        if faults.label_noise:
            standard = self.chance("annotators", purpose).choice(STANDARDS, size=moments.shape)
            moments = moments + faults.label_noise * standard * here[:, None]
            orders = read_grasp_at_annotation(sound.scenes, sound.shown.commands, moments[:, 0])
            actions = np.concatenate([actions[:, :SPEEDS], orders[sound.owner].astype(np.float32)], axis=1)
        return replace(sound, inputs=inputs, actions=actions, moments_s=moments)

    def attempt(
        self,
        act: Act,
        cells: Ints,
        purpose: str,
        faults: Faults = NOTHING,
        weeks: Floats | float = 0.0,
        pace: Pace = LINE,
    ) -> Tries:
        return super().attempt(act, cells, purpose, faults, weeks, self.twist.line if pace == LINE else pace)
