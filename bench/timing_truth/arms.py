"""Arms of many builds: one or two chains, and the boxes that each link looks like."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.geometry import chain as kin
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.chain import Chain, Joint
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.boxes import Boxes, Colour

LIMIT_RAD = 3.0
SPEED_RAD_PER_S = 3.0
POINTING = 0.4
"""How many metres of misplacement one radian of wrong pointing is worth when an arm reaches for a place."""
POSTURE = 2e-3
"""How strongly a reaching arm prefers its own posture where the place leaves it a choice."""


@dataclass(frozen=True, slots=True)
class Hinge:
    """One joint of a drawing: where it sits on the link before it, its axis, and the angle the arm likes to hold."""

    place: tuple[float, float, float]
    axis: str
    rest_rad: float


@dataclass(frozen=True, slots=True, eq=False)
class Limb:
    """One chain with the boxes of its links, the posture it likes, and whether its tool points at the ground."""

    chain: Chain
    links: tuple[int, ...]
    link_from_box: Floats
    sizes: Floats
    colours: Floats
    rest_rad: Floats
    points_down: bool

    def looks(self, base_from_links: Floats) -> Boxes:
        """Return the boxes of a limb whose links are where they are; the stand belongs to no link."""
        frames = np.concatenate([np.eye(4)[None], base_from_links])[list(self.links)]
        return Boxes(frames @ self.link_from_box, self.sizes, self.colours)

    def reach(self, places: Floats, start_rad: Floats, steps: int = 40) -> Floats:
        """Return joint angles that bring the tool near each place, by damped least squares; the nearest it can."""
        angles = np.broadcast_to(start_rad, (*places.shape[:-1], len(self.chain.joints))).copy()
        weight = POINTING if self.points_down else 0.0
        for _ in range(steps):
            tool, slope = kin.compute_jacobian(self.chain, angles)
            lean = np.cross(tool[..., :3, 2], [0.0, 0.0, -1.0])
            error = np.concatenate([places - tool[..., :3, 3], weight * lean], axis=-1)
            slope = np.concatenate([slope[..., :3, :], weight * slope[..., 3:, :]], axis=-2)
            back = np.swapaxes(slope, -1, -2)
            pull = POSTURE * (self.rest_rad - angles)
            normal = back @ slope + POSTURE * np.eye(angles.shape[-1])
            angles = angles + np.linalg.solve(normal, back @ error[..., None] + pull[..., None])[..., 0]
        return np.asarray(np.clip(angles, -LIMIT_RAD, LIMIT_RAD))


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """A robot: its limbs, and the place before each in which it works (lower and upper corner, m)."""

    name: str
    limbs: tuple[Limb, ...]
    rooms: tuple[tuple[Floats, Floats], ...]

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of all joints, limb by limb."""
        if len(self.limbs) == 1:
            return self.limbs[0].chain.names
        return tuple(f"{side}_{name}" for side, limb in zip("ab", self.limbs, strict=True) for name in limb.chain.names)

    def split(self, joints_rad: Floats) -> list[Floats]:
        """Return each limb's columns of all joint angles."""
        ends = np.cumsum([len(limb.chain.joints) for limb in self.limbs])[:-1]
        return np.split(joints_rad, ends, axis=-1)


def limb(
    hinges: Sequence[Hinge],
    tool_m: float,
    thick_m: float,
    colours: tuple[Colour, Colour],
    *,
    base: Floats | None = None,
    points_down: bool = True,
) -> Limb:
    """Build a limb from a drawing: each link is a box from its joint to the next, with a knuckle at each joint."""
    root = np.eye(4) if base is None else base
    places = [tf.make_transform(np.eye(3), hinge.place) for hinge in hinges]
    places[0] = root @ places[0]
    chain = Chain(
        tuple(
            Joint(f"joint_{i + 1}", place, hinge.axis, -LIMIT_RAD, LIMIT_RAD, SPEED_RAD_PER_S)
            for i, (hinge, place) in enumerate(zip(hinges, places, strict=True))
        ),
        tf.make_transform(np.eye(3), (0.0, 0.0, tool_m)),
    )
    spans = [np.array(hinge.place) for hinge in hinges] + [np.array([0.0, 0.0, 0.6 * tool_m])]
    boxes: list[tuple[int, Floats, Floats, Colour]] = []
    for i, span in enumerate(spans):
        slim = thick_m * (1 - 0.5 * i / len(spans))
        if np.linalg.norm(span) > slim / 2:
            frame = tf.make_transform(np.eye(3), span / 2) if i else root @ tf.make_transform(np.eye(3), span / 2)
            boxes.append((i, frame, np.abs(span) + slim * (np.abs(span) < slim), colours[0]))
        if 0 < i < len(spans) - 1:
            boxes.append((i, np.eye(4), np.full(3, 1.25 * slim), colours[1]))
    return Limb(
        chain,
        tuple(box[0] for box in boxes),
        np.array([box[1] for box in boxes]),
        np.array([box[2] for box in boxes]),
        np.array([box[3] for box in boxes]),
        np.array([hinge.rest_rad for hinge in hinges]),
        points_down,
    )
