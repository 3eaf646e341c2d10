"""A batch of scenes: what lies in the bin, what stands around it, light, air and the robot that came."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Scenes:
    """Everything about n scenes, one row each; metres, kilograms, newtons, radians. Hidden from the policy."""

    cell: Ints
    sku: Ints
    person: Ints
    robot: Ints
    week: Floats
    packaging: Ints
    simulated: Bools
    film: Bools
    # the article as it lies
    x: Floats
    y: Floats
    yaw: Floats
    tilt: Floats
    floor: Floats
    long: Floats
    short: Floats
    height: Floats
    radius: Floats
    doming: Floats
    mass: Floats
    off_centre: Floats
    grip: Floats
    """Friction between this pad and this surface in this air."""
    crush: Floats
    burden: Floats
    drop: Floats
    reflectivity: Floats
    albedo: Floats
    master: Floats
    # what stands around it: n × neighbours
    other_x: Floats
    other_y: Floats
    other_yaw: Floats
    other_long: Floats
    other_short: Floats
    other_top: Floats
    other_albedo: Floats
    wall_angle: Floats
    wall_distance: Floats
    # camera, light, air, machine
    pitch_x: Floats
    pitch_y: Floats
    shift_x: Floats
    shift_y: Floats
    camera_yaw: Floats
    camera_scale: Floats
    lux: Floats
    glare_angle: Floats
    temperature: Floats
    humidity: Floats
    shelf: Floats
    cycles: Floats
    backlash: Floats

    def __len__(self) -> int:
        return len(self.cell)

    @property
    def top(self) -> Floats:
        """Height of the article's highest point."""
        return self.floor + self.height

    def take(self, rows: NDArray[Any] | slice) -> "Scenes":
        """Return some of the scenes."""
        return Scenes(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})
