"""The rigs an estimator may be developed on.

Upright elbow arms, seven-joint arms that bend about y, a planar arm and a pair of small arms, over a printed table with
two walls; joints take their own shortest way from place to place. Lenses are rectilinear or bend by Brown's polynomial;
patterns are clouds and patches.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from bench.timing_truth.arms import Arm, Hinge, Limb, limb
from bench.timing_truth.lens import Lens
from bench.timing_truth.rig import JointSensor, Rig, View, behind_fingers, looking
from bench.timing_truth.scenes import Beacon, Belt, Stage, Walker
from bench.timing_truth.textures import Print
from bench.timing_truth.video import Codec
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.boxes import Colour, Solid

PALETTE = np.array([[0.75, 0.30, 0.25], [0.25, 0.45, 0.70], [0.35, 0.60, 0.35], [0.80, 0.70, 0.35], [0.85, 0.85, 0.85]])
WHITE_ARM: tuple[Colour, Colour] = ((0.86, 0.86, 0.88), (0.30, 0.32, 0.36))
ORANGE_ARM: tuple[Colour, Colour] = ((0.88, 0.48, 0.16), (0.22, 0.22, 0.24))
BLUE_ARM: tuple[Colour, Colour] = ((0.36, 0.50, 0.74), (0.80, 0.80, 0.82))
BEFORE = (np.array([0.32, -0.30, 0.06]), np.array([0.62, 0.30, 0.38]))


def _elbow(stand: float, upper: float, fore: float, tool: float, colours: tuple[Colour, Colour]) -> Limb:
    return limb(
        (
            Hinge((0, 0, 0.12), "z", 0.0),
            Hinge((0, 0, stand - 0.12), "y", 0.2),
            Hinge((0, 0, upper), "y", 1.5),
            Hinge((0, 0, 0), "z", 0.0),
            Hinge((0, 0, fore), "y", 1.44),
            Hinge((0, 0, 0.02), "z", 0.0),
        ),
        tool,
        0.11,
        colours,
    )


def _seven(stand: float, upper: float, fore: float, tool: float, colours: tuple[Colour, Colour]) -> Limb:
    return limb(
        (
            Hinge((0, 0, 0.14), "z", 0.0),
            Hinge((0, 0, stand - 0.14), "y", 0.2),
            Hinge((0, 0, upper / 2), "z", 0.0),
            Hinge((0, 0, upper / 2), "y", 1.6),
            Hinge((0, 0, fore / 2), "z", 0.0),
            Hinge((0, 0, fore / 2), "y", 1.34),
            Hinge((0, 0, 0.04), "z", 0.0),
        ),
        tool,
        0.10,
        colours,
    )


def _planar(lengths: tuple[float, float, float], tool: float, colours: tuple[Colour, Colour]) -> Limb:
    """Four upright axes under a beam; the tool hangs down."""
    first, second, third = lengths
    beam = tf.make_transform(tf.make_rotation_about_axis("x", np.pi), [0.0, 0.0, 0.36])
    hinges = (
        Hinge((0, 0, 0.02), "z", 0.5),
        Hinge((first, 0, 0), "z", -0.9),
        Hinge((second, 0, 0), "z", 0.6),
        Hinge((third, 0, 0), "z", 0.0),
    )
    return limb(hinges, tool, 0.09, colours, base=beam, points_down=False)


def _pair() -> tuple[Limb, Limb]:
    """Two small elbow arms side by side."""

    def small(aside: float) -> Limb:
        hinges = (
            Hinge((0, 0, 0.08), "z", 0.0),
            Hinge((0, 0, 0.14), "y", 0.1),
            Hinge((0, 0, 0.28), "y", 1.6),
            Hinge((0, 0, 0.12), "z", 0.0),
            Hinge((0, 0, 0.14), "y", 1.44),
            Hinge((0, 0, 0.02), "z", 0.0),
        )
        return limb(hinges, 0.17, 0.08, BLUE_ARM, base=tf.make_transform(np.eye(3), [0.0, aside, 0.0]))

    return small(0.30), small(-0.30)


def _table(prints: tuple[Print, Print, Print, Print], ground: Colour, walls: Colour) -> Stage:
    fixtures = (
        Solid("table", (0.4, 0.0, -0.03), (3.2, 3.2, 0.06), 0.0, ground),
        Solid("back wall", (-0.95, 0.0, 0.9), (0.05, 3.4, 2.0), 0.0, walls),
        Solid("side wall", (0.4, -1.3, 0.9), (3.0, 0.05, 2.0), 0.0, walls),
    )
    return Stage(
        fixtures, prints, (0.3, 0.4, 0.9), ambient=0.55, shadow=0.35, things=7, tallest_m=0.08, palette=PALETTE
    )


def _one(name: str, what: Limb, room: tuple[Floats, Floats] = BEFORE) -> Arm:
    return Arm(name, (what,), (room,))


_CLOUDS = (
    Print("cloud", 0.30, 0.25),
    Print("cloud", 0.60, 0.45),
    Print("cloud", 1.6, 0.5),
    Print("patches", 0.20, 0.4),
)
_PATCHES = (
    Print("patches", 0.35, 0.2),
    Print("patches", 0.90, 0.4),
    Print("cloud", 2.0, 0.5),
    Print("cloud", 0.20, 0.4),
)
_FAINT = (Print("plain", 1.0, 0.0), Print("cloud", 0.8, 0.18), Print("plain", 1.0, 0.0), Print("cloud", 0.3, 0.2))

_PERSON = Walker(
    (-0.55, 0.55),
    np.array([0.12, 0.08, 0.30, 0.10]),
    np.array([0.21, 0.43, 0.17, 0.55]),
    np.arange(4.0),
    (0.2, 0.3, 0.6),
)
_BELT = Belt(
    (-0.5, -0.75, 0.0), (1.0, 0.0), 1.8, 0.12, np.array([[0.16, 0.14, 0.10], [0.12, 0.18, 0.14], [0.2, 0.14, 0.08]]),
    np.array([[0.62, 0.48, 0.32], [0.70, 0.55, 0.35], [0.58, 0.44, 0.30]]),
)  # fmt: skip
_LAMP = Beacon((-0.5, -0.6, 0.6), (0.1, 0.1, 0.3), 1.3, (0.95, 0.5, 0.1))


def _rigs() -> tuple[Rig, ...]:
    return (
        Rig(
            "elbow-front",
            _one("elbow-a", _elbow(0.34, 0.42, 0.40, 0.22, WHITE_ARM)),
            _table(_CLOUDS, (0.55, 0.48, 0.40), (0.62, 0.64, 0.66)),
            {
                "camera/external": View(
                    looking((1.30, 0.62, 0.85), (0.38, 0.0, 0.22)), Lens("rectilinear", 1.05), 160, 120,
                    exposure_s=0.006, oversample=2,
                ),
                "camera/wrist": View(
                    behind_fingers(0.30, 0.085, 0.15), Lens("rectilinear", 0.80), 160, 120, on_limb=0, exposure_s=0.006,
                ),
            },
            JointSensor(100.0, 16, 1e-5),
        ),
        Rig(
            "seven-rolling",
            _one("seven-a", _seven(0.33, 0.32, 0.39, 0.24, ORANGE_ARM)),
            replace(_table(_PATCHES, (0.42, 0.46, 0.42), (0.70, 0.68, 0.62)), actors=(_PERSON,), company=0.5),
            {
                "camera/external": View(
                    looking((1.15, -0.75, 1.05), (0.36, 0.0, 0.20)), Lens("brown", 0.85, (-0.18, 0.03)), 192, 144,
                    exposure_s=0.012, readout_s=0.016, flicker=0.02, noise=3.0, codec=Codec(26, 60), stamped="start",
                ),
                "camera/wrist": View(
                    behind_fingers(0.25, 0.07, 0.13), Lens("brown", 0.62, (-0.22, 0.04)), 160, 120, on_limb=0,
                    exposure_s=0.010, readout_s=0.016, noise=3.0, codec=Codec(26, 60), stamped="start",
                ),
            },
            JointSensor(50.0, 14, 2e-5, 0.004),
        ),
        Rig(
            "planar-above",
            _one("planar-a", _planar((0.30, 0.26, 0.14), 0.20, BLUE_ARM),
                 (np.array([0.30, -0.32, 0.14]), np.array([0.58, 0.32, 0.14]))),
            replace(_table(_CLOUDS, (0.30, 0.32, 0.36), (0.5, 0.5, 0.5)), shadow=0.5, tallest_m=0.05),
            {
                "camera/external": View(
                    looking((0.50, 0.02, 1.25), (0.36, 0.0, 0.20)), Lens("brown", 0.95, (0.10, 0.0)), 128, 96, hz=60.0,
                    exposure_s=0.003, codec=Codec(28, 120, 2), oversample=2, noise=1.5,
                ),
            },
            JointSensor(500.0, 13, 0.0, 0.002),
        ),
        Rig(
            "pair-bench",
            Arm("pair-a", _pair(), (
                (np.array([0.20, 0.02, 0.05]), np.array([0.42, 0.36, 0.28])),
                (np.array([0.20, -0.36, 0.05]), np.array([0.42, -0.02, 0.28])),
            )),
            replace(_table(_PATCHES, (0.62, 0.60, 0.56), (0.45, 0.50, 0.58)), actors=(_LAMP,), company=0.6),
            {
                "camera/external": View(
                    looking((0.95, 0.0, 0.95), (0.26, 0.0, 0.12)), Lens("brown", 0.90, (-0.12, 0.02)), 192, 144,
                    exposure_s=0.016, breathing=0.5, stamped="end", flicker=0.03, codec=Codec(24, 30),
                ),
                "camera/wrist": View(
                    behind_fingers(0.35, 0.06, 0.11, 0.4), Lens("brown", 0.70, (-0.15, 0.02)), 128, 96, on_limb=0,
                    exposure_s=0.014, noise=2.5,
                ),
            },
            JointSensor(30.0, 12, 0.0, 0.010),
        ),
        Rig(
            "elbow-wide",
            _one("elbow-b", _elbow(0.28, 0.36, 0.34, 0.19, BLUE_ARM), (BEFORE[0] * 0.9, BEFORE[1] * 0.9)),
            replace(
                _table(_FAINT, (0.72, 0.72, 0.70), (0.80, 0.80, 0.78)),
                ambient=0.7, things=9, actors=(_BELT,), company=0.7,
            ),
            {
                "camera/external": View(
                    looking((0.85, 0.80, 0.70), (0.32, 0.0, 0.18)), Lens("brown", 0.55, (-0.24, 0.05)), 256, 192,
                    hz=15.0, exposure_s=0.026, noise=4.0, codec=Codec(30, 15),
                ),
            },
            JointSensor(200.0, 15, 1e-5),
        ),
        Rig(
            "seven-wrist",
            _one("seven-b", _seven(0.30, 0.40, 0.36, 0.21, WHITE_ARM)),
            replace(_table(_CLOUDS, (0.45, 0.36, 0.28), (0.52, 0.56, 0.50)), things=12, tallest_m=0.12),
            {
                "camera/wrist": View(
                    behind_fingers(0.20, 0.09, 0.12), Lens("brown", 0.58, (-0.20, 0.03)), 160, 120, hz=20.0, on_limb=0,
                    exposure_s=0.018, readout_s=-0.022, noise=3.5, codec=Codec(27, 40, 1), stamped="start",
                    breathing=0.3,
                ),
            },
            JointSensor(200.0, 16, 2e-5, 0.006),
        ),
    )  # fmt: skip


DEVELOPMENT: Mapping[str, Rig] = MappingProxyType({rig.name: rig for rig in _rigs()})
