"""Scenes to film an arm in: what stands still, what it is printed with, and who else moves about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bench.timing_truth.textures import Print
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.boxes import Boxes, Solid, convert_to_boxes, join_boxes


class Actor(Protocol):
    """Something that moves or flickers without the robot's doing."""

    def at(self, time_s: float) -> Boxes:
        """Return what it looks like at a moment."""


@dataclass(frozen=True, slots=True, eq=False)
class Walker:
    """A person who strolls and turns behind the bench: trunk and head, on a path of slow sines."""

    home: tuple[float, float]
    sway_m: Floats
    pace_hz: Floats
    phase_rad: Floats
    colour: tuple[float, float, float]

    def at(self, time_s: float) -> Boxes:
        """Return trunk and head at a moment."""
        sway = (self.sway_m * np.sin(2 * np.pi * self.pace_hz * time_s + self.phase_rad)).reshape(2, -1).sum(axis=1)
        x, y = self.home[0] + float(sway[0]), self.home[1] + float(sway[1])
        turn = float(sway.sum())
        trunk = Solid("trunk", (x, y, 0.35), (0.24, 0.40, 0.9), turn, self.colour)
        return convert_to_boxes([trunk, Solid("head", (x, y, 0.92), (0.16, 0.16, 0.22), turn, (0.72, 0.56, 0.46))])


@dataclass(frozen=True, slots=True, eq=False)
class Belt:
    """Parcels on a conveyor: evenly spaced, at constant speed, coming round again."""

    start: tuple[float, float, float]
    along: tuple[float, float]
    length_m: float
    speed: float
    sizes: Floats
    colours: Floats

    def at(self, time_s: float) -> Boxes:
        """Return the parcels at a moment."""
        steps = np.arange(len(self.sizes)) * self.length_m / len(self.sizes) + self.speed * time_s
        away = np.mod(steps, self.length_m)
        places = np.array(self.start) + away[:, None] * np.array([*self.along, 0.0])
        places[:, 2] += self.sizes[:, 2] / 2
        return Boxes(tf.make_transform(np.eye(3), places), self.sizes, self.colours)


@dataclass(frozen=True, slots=True, eq=False)
class Beacon:
    """A warning lamp or a screen: it stands still and its brightness goes up and down."""

    centre: tuple[float, float, float]
    size: tuple[float, float, float]
    hz: float
    colour: tuple[float, float, float]

    def at(self, time_s: float) -> Boxes:
        """Return the lamp as bright as it is at a moment."""
        bright = 0.55 + 0.45 * float(np.sin(2 * np.pi * self.hz * time_s))
        lit = convert_to_boxes([Solid("beacon", self.centre, self.size, 0.0, self.colour)])
        return Boxes(lit.frames, lit.sizes, lit.colours * bright)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What stands still (each box with its print), the prints, who else moves, and the light."""

    solids: Boxes
    which: NDArray[np.int64]
    prints: tuple[Print, ...]
    actors: tuple[Actor, ...]
    sun: Floats
    ambient: float
    shadow: float
    """How dark a shadow on the ground is: 0 none, 1 black."""

    def cast(self, time_s: float) -> Boxes | None:
        """Return everybody who moves by himself at a moment."""
        return join_boxes(*(actor.at(time_s) for actor in self.actors)) if self.actors else None


ARM_PRINT, GROUND_PRINT, WALL_PRINT, THING_PRINT = range(4)
"""Places in `Scene.prints`; the first solid is the ground, on whose upper face shadows fall."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """The part of a scene that belongs to a rig: ground and walls, prints, light, and which company it keeps."""

    fixtures: tuple[Solid, ...]
    prints: tuple[Print, Print, Print, Print]
    sun: tuple[float, float, float]
    ambient: float
    shadow: float
    things: int
    tallest_m: float
    palette: Floats
    actors: tuple[Actor, ...] = ()
    company: float = 0.0
    """In which share of the episodes the actors are there."""


def set_up(stage: Stage, room: Sequence[tuple[Floats, Floats]], rng: np.random.Generator) -> Scene:
    """Put things on the ground for one episode, where the arm works and around it."""
    low, high = np.min([r[0] for r in room], axis=0), np.max([r[1] for r in room], axis=0)
    things = []
    for i in range(stage.things):
        x, y = rng.uniform(low[:2] - 0.15, high[:2] + 0.15)
        size = rng.uniform(0.03, [0.14, 0.14, stage.tallest_m])
        colour = np.clip(stage.palette[rng.integers(len(stage.palette))] * rng.uniform(0.7, 1.2), 0, 1)
        place = (float(x), float(y), float(size[2]) / 2)
        things.append(Solid(f"thing {i}", place, tuple(size.tolist()), float(rng.uniform(0, np.pi)), tuple(colour)))
    which = [GROUND_PRINT] + [WALL_PRINT] * (len(stage.fixtures) - 1) + [THING_PRINT] * len(things)
    sun = np.array(stage.sun) / np.linalg.norm(stage.sun)
    actors = stage.actors if rng.random() < stage.company else ()
    solids = convert_to_boxes((*stage.fixtures, *things))
    return Scene(solids, np.array(which), stage.prints, actors, sun, stage.ambient, stage.shadow)
