"""The rigs an estimator is reported on, and never developed on.

Drawn by another recipe than the development rigs in every respect that an estimator could lean on. Arms: three
parallel pitch axes with shoulder offsets, seven joints that bend about x with a stepped elbow, crossed wrists, hanging
SCARA-like arms that lift, two seven-joint arms that face each other. Tools move along straight lines. Scenes: a hall
with racks, a cell with boards, a yard of bins; grain, spots and bricks instead of clouds and patches; light from other
sides. Lenses: equidistant fisheyes and Fitzgibbon's division model. No arm, stage, lens or camera pose occurs in both.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from bench.timing_truth.arms import Arm, Hinge, Limb, limb
from bench.timing_truth.lens import Lens
from bench.timing_truth.rig import JointSensor, Rig, View, behind_fingers, looking
from bench.timing_truth.scenes import Actor, Beacon, Belt, Stage, Walker
from bench.timing_truth.textures import Print
from bench.timing_truth.video import Codec
from fieldloop.geometry import transforms as tf
from fieldloop.simulate.arm.boxes import Colour, Solid

PALETTE = np.array([[0.55, 0.20, 0.50], [0.20, 0.60, 0.62], [0.70, 0.42, 0.20], [0.40, 0.40, 0.22], [0.15, 0.15, 0.18]])
GREY_ARM: tuple[Colour, Colour] = ((0.62, 0.64, 0.68), (0.18, 0.42, 0.66))
YELLOW_ARM: tuple[Colour, Colour] = ((0.86, 0.76, 0.20), (0.40, 0.38, 0.34))
DARK_ARM: tuple[Colour, Colour] = ((0.26, 0.27, 0.30), (0.70, 0.22, 0.20))
GREEN_ARM: tuple[Colour, Colour] = ((0.40, 0.62, 0.42), (0.88, 0.88, 0.84))


def _parallel(upper: float, fore: float, aside: float, tool: float, colours: tuple[Colour, Colour]) -> Limb:
    """Six joints: pan, three parallel pitch axes with a shoulder offset, a crossed tilt, a roll."""
    return limb(
        (
            Hinge((0, 0, 0.16), "z", 0.2),
            Hinge((0, aside, 0.05), "y", -0.1),
            Hinge((0, 0, upper), "y", 1.9),
            Hinge((0, -aside, fore), "y", 1.34),
            Hinge((0, 0, 0.09), "x", 0.0),
            Hinge((0, 0, 0.05), "z", 0.3),
        ),
        tool,
        0.12,
        colours,
    )


def _stepped(
    upper: float, fore: float, jut: float, tool: float, colours: tuple[Colour, Colour], base: float = 0.0
) -> Limb:
    """Seven joints that bend about x, with an elbow that juts out; the base is turned to face its work."""
    facing = tf.make_transform(tf.make_rotation_about_axis("z", base - np.pi / 2), [0.0, 0.0, 0.0])
    return limb(
        (
            Hinge((0, 0, 0.18), "z", 0.0),
            Hinge((0, 0, 0.16), "x", -0.3),
            Hinge((0, 0, 0.6 * upper), "z", 0.4),
            Hinge((0, jut, 0.4 * upper), "x", -1.5),
            Hinge((0, -jut, 0.55 * fore), "z", -0.3),
            Hinge((0, 0, 0.45 * fore), "x", -1.3),
            Hinge((0, 0.03, 0.03), "z", 0.2),
        ),
        tool,
        0.09,
        colours,
        base=facing,
    )


def _crossed(upper: float, fore: float, tool: float, colours: tuple[Colour, Colour]) -> Limb:
    """Six joints with crossed axes: pan, pitch, pitch, tilt, pitch, roll."""
    return limb(
        (
            Hinge((0, 0, 0.22), "z", -0.2),
            Hinge((0.06, 0, 0.10), "y", 0.3),
            Hinge((0, 0, upper), "y", 1.2),
            Hinge((0.04, 0, 0.5 * fore), "x", 0.2),
            Hinge((0, 0, 0.5 * fore), "y", 1.6),
            Hinge((0, 0, 0.06), "z", 0.0),
        ),
        tool,
        0.10,
        colours,
    )


def _hanging(
    first: float, second: float, drop: float, colours: tuple[Colour, Colour], at: tuple[float, float, float]
) -> Limb:
    """A SCARA-like arm under a gantry: an upright axis, a lift, an upright elbow, a tilt, a roll."""
    gantry = tf.make_transform(tf.make_rotation_about_axis("x", np.pi), at)
    hinges = (
        Hinge((0, 0, 0.04), "z", 0.6),
        Hinge((0.05, 0, 0.03), "y", 0.0),
        Hinge((first, 0, 0), "z", -1.1),
        Hinge((second, 0, 0.06), "y", 0.0),
        Hinge((0, 0, drop), "z", 0.1),
    )
    return limb(hinges, 0.17, 0.08, colours, base=gantry)


def _facing_pair() -> tuple[Limb, Limb]:
    """Two seven-joint arms on opposite sides of their work."""

    def one(x: float, turn: float) -> Limb:
        base = tf.make_transform(tf.make_rotation_about_axis("z", turn), [x, 0.0, 0.0])
        hinges = (
            Hinge((0, 0, 0.10), "z", 0.0),
            Hinge((0, 0.03, 0.12), "y", 0.1),
            Hinge((0, 0, 0.16), "z", 0.0),
            Hinge((0, -0.03, 0.14), "y", 1.5),
            Hinge((0, 0, 0.15), "z", 0.0),
            Hinge((0, 0, 0.13), "y", 1.5),
            Hinge((0, 0, 0.03), "z", 0.0),
        )
        return limb(hinges, 0.16, 0.07, GREEN_ARM, base=base)

    return one(0.0, 0.0), one(0.85, np.pi)


def _hall(
    prints: tuple[Print, Print, Print, Print], ground: Colour, things: int, actors: tuple[Actor, ...] = ()
) -> Stage:
    """A floor with a rack of shelves far behind and a pillar."""
    shelves = [
        Solid(f"shelf {i}", (0.2, 1.5, 0.25 + 0.4 * i), (2.6, 0.35, 0.05), 0.0, (0.50, 0.36, 0.24)) for i in range(4)
    ]
    posts = [
        Solid(f"post {i}", (-1.0 + 0.8 * i, 1.5, 0.8), (0.06, 0.35, 1.8), 0.0, (0.25, 0.32, 0.55)) for i in range(4)
    ]
    pillar = Solid("pillar", (-0.7, -0.9, 1.0), (0.3, 0.3, 2.2), 0.5, (0.6, 0.55, 0.3))
    floor = Solid("floor", (0.0, 0.0, -0.05), (7.0, 7.0, 0.1), 0.0, ground)
    return Stage(
        (floor, *shelves, *posts, pillar), prints, (-0.5, 0.2, 0.8), 0.45, 0.45, things, 0.10, PALETTE, actors, 0.6
    )


def _cell(
    prints: tuple[Print, Print, Print, Print], ground: Colour, things: int, actors: tuple[Actor, ...] = ()
) -> Stage:
    """A guarded cell: a fence of boards on the far side of the arm, a cabinet, a low step."""
    boards = [
        Solid(f"board {i}", (-0.8, -1.2 + 0.4 * i, 0.6), (0.03, 0.28, 1.3), 0.2, (0.75, 0.62, 0.12)) for i in range(7)
    ]
    cabinet = Solid("cabinet", (0.1, -1.0, 0.45), (0.5, 0.4, 0.9), 0.3, (0.36, 0.40, 0.46))
    step = Solid("step", (0.7, 0.75, 0.04), (0.5, 0.3, 0.08), -0.4, (0.52, 0.30, 0.24))
    floor = Solid("plate", (0.2, 0.0, -0.05), (5.0, 5.0, 0.1), 0.35, ground)
    return Stage(
        (floor, *boards, cabinet, step), prints, (0.6, -0.5, 0.7), 0.5, 0.3, things, 0.06, PALETTE, actors, 0.7
    )


def _bins(
    prints: tuple[Print, Print, Print, Print], ground: Colour, things: int, actors: tuple[Actor, ...] = ()
) -> Stage:
    """A yard of low bins around the work."""
    rims = []
    for x, y in ((0.75, 0.45), (0.75, -0.45), (0.2, 0.75), (0.2, -0.75)):
        rims += [
            Solid("rim", (x + 0.16, y, 0.06), (0.02, 0.34, 0.12), 0.0, (0.18, 0.36, 0.56)),
            Solid("rim", (x - 0.16, y, 0.06), (0.02, 0.34, 0.12), 0.0, (0.18, 0.36, 0.56)),
            Solid("rim", (x, y + 0.16, 0.06), (0.34, 0.02, 0.12), 0.0, (0.22, 0.42, 0.62)),
            Solid("rim", (x, y - 0.16, 0.06), (0.34, 0.02, 0.12), 0.0, (0.22, 0.42, 0.62)),
        ]
    floor = Solid("mat", (0.3, 0.0, -0.05), (6.0, 6.0, 0.1), -0.2, ground)
    return Stage((floor, *rims), prints, (0.1, -0.2, 1.0), 0.65, 0.25, things, 0.07, PALETTE, actors, 0.5)


_GRAIN = (Print("grain", 0.25, 0.2), Print("grain", 0.40, 0.4), Print("bricks", 0.9, 0.4), Print("spots", 0.16, 0.4))
_SPOTS = (Print("plain", 1.0, 0.0), Print("spots", 0.55, 0.35), Print("grain", 1.2, 0.4), Print("grain", 0.14, 0.4))
_BRICKS = (Print("spots", 0.22, 0.2), Print("bricks", 0.60, 0.35), Print("spots", 1.1, 0.4), Print("bricks", 0.16, 0.4))
_SPARSE = (Print("plain", 1.0, 0.0), Print("grain", 0.9, 0.12), Print("plain", 1.0, 0.0), Print("spots", 0.25, 0.25))

_PASSER_BY = Walker(
    (0.3, 1.05), np.array([0.55, 0.10, 0.10, 0.05]), np.array([0.11, 0.37, 0.23, 0.61]), np.arange(4.0) + 1,
    (0.75, 0.35, 0.1),
)  # fmt: skip
_LINE = Belt(
    (-0.4, 0.95, 0.0), (0.9, -0.2), 2.0, 0.2,
    np.array([[0.14, 0.2, 0.16], [0.2, 0.2, 0.1], [0.1, 0.1, 0.22], [0.18, 0.12, 0.12]]),
    np.array([[0.45, 0.35, 0.25], [0.3, 0.3, 0.5], [0.6, 0.6, 0.55], [0.5, 0.25, 0.25]]),
)  # fmt: skip
_SCREEN = Beacon((-0.6, 0.4, 0.7), (0.05, 0.4, 0.3), 2.1, (0.5, 0.7, 0.95))


def _rigs() -> tuple[Rig, ...]:
    ahead = (np.array([0.34, -0.26, 0.08]), np.array([0.66, 0.34, 0.42]))
    return (
        Rig(
            "parallel-hall",
            Arm("parallel-a", (_parallel(0.43, 0.38, 0.13, 0.18, GREY_ARM),), (ahead,)),
            _hall(_GRAIN, (0.50, 0.46, 0.44), 6),
            {
                "camera/external": View(
                    looking((0.75, -1.30, 0.75), (0.32, 0.0, 0.26)), Lens("equidistant", 0.78), 160, 120,
                    exposure_s=0.008, oversample=2, codec=Codec(22, 48),
                ),
                "camera/wrist": View(
                    behind_fingers(0.45, 0.10, 0.10, 3.14), Lens("equidistant", 0.60), 160, 120, on_limb=0,
                    exposure_s=0.008, codec=Codec(22, 48),
                ),
            },
            JointSensor(200.0, 15, 1e-5),
            straight=True,
        ),
        Rig(
            "stepped-cell",
            Arm("stepped-a", (_stepped(0.42, 0.40, 0.05, 0.20, DARK_ARM),), (ahead,)),
            _cell(_SPOTS, (0.58, 0.60, 0.62), 9, (_SCREEN,)),
            {
                "camera/wrist": View(
                    behind_fingers(0.15, 0.075, 0.10, 1.57), Lens("division", 0.58, (-0.12, 0.0)), 192, 144, on_limb=0,
                    exposure_s=0.011, readout_s=0.021, noise=2.5, codec=Codec(25, 45), stamped="start",
                ),
            },
            JointSensor(100.0, 14, 2e-5, 0.003),
            straight=True,
        ),
        Rig(
            "hanging-bins",
            Arm("hanging-a", (_hanging(0.34, 0.28, 0.09, YELLOW_ARM, (0.05, 0.0, 0.52)),),
                ((np.array([0.34, -0.30, 0.06]), np.array([0.60, 0.30, 0.24])),)),
            _bins(_BRICKS, (0.44, 0.40, 0.36), 8, (_LINE,)),
            {
                "camera/external": View(
                    looking((1.25, 0.15, 0.95), (0.35, 0.0, 0.25)), Lens("division", 0.80, (-0.20, 0.0)), 256, 192,
                    exposure_s=0.004, readout_s=-0.012, noise=3.0, codec=Codec(29, 90, 2),
                ),
            },
            JointSensor(500.0, 16, 0.0, 0.001),
            straight=True,
        ),
        Rig(
            "facing-pair",
            Arm("pair-b", _facing_pair(), (
                (np.array([0.20, -0.20, 0.06]), np.array([0.38, 0.22, 0.26])),
                (np.array([0.47, -0.22, 0.06]), np.array([0.65, 0.20, 0.26])),
            )),
            _cell(_GRAIN, (0.36, 0.42, 0.38), 7, (_PASSER_BY,)),
            {
                "camera/external": View(
                    looking((0.45, 1.05, 0.80), (0.42, 0.0, 0.16)), Lens("equidistant", 0.88), 192, 144,
                    exposure_s=0.014, breathing=0.4, stamped="end", flicker=0.025, codec=Codec(26, 20),
                ),
                "camera/wrist": View(
                    behind_fingers(0.30, 0.055, 0.12, -0.5), Lens("equidistant", 0.66), 128, 96, on_limb=1,
                    exposure_s=0.012, codec=Codec(26, 20), noise=3.0,
                ),
            },
            JointSensor(50.0, 13, 0.0, 0.008),
            straight=True,
        ),
        Rig(
            "crossed-night",
            Arm("crossed-a", (_crossed(0.38, 0.37, 0.20, YELLOW_ARM),), (ahead,)),
            _hall(_BRICKS, (0.33, 0.33, 0.36), 10, (_PASSER_BY,)),
            {
                "camera/external": View(
                    looking((-0.55, -0.95, 1.10), (0.42, 0.05, 0.18)), Lens("division", 0.92, (0.10, 0.0)), 160, 120,
                    hz=15.0, exposure_s=0.028, noise=5.0, codec=Codec(28, 30), stamped="start", oversample=2,
                ),
            },
            JointSensor(30.0, 12, 3e-5, 0.012),
            straight=True,
        ),
        Rig(
            "stepped-quick",
            Arm("stepped-b", (_stepped(0.36, 0.36, 0.04, 0.23, GREEN_ARM, 0.1),),
                ((np.array([0.30, -0.24, 0.07]), np.array([0.56, 0.28, 0.36])),)),
            _bins(_GRAIN, (0.56, 0.50, 0.42), 12),
            {
                "camera/wrist": View(
                    behind_fingers(0.20, 0.10, 0.08, 2.4), Lens("equidistant", 0.64), 128, 96, hz=60.0, on_limb=0,
                    exposure_s=0.005, noise=1.5, codec=Codec(24, 120),
                ),
            },
            JointSensor(200.0, 16, 1e-5, 0.002),
            straight=True,
        ),
        Rig(
            "parallel-sparse",
            Arm("parallel-b", (_parallel(0.36, 0.33, 0.10, 0.22, DARK_ARM),), (
                (np.array([0.28, -0.28, 0.07]), np.array([0.54, 0.26, 0.36])),)),
            _cell(_SPARSE, (0.70, 0.69, 0.66), 8, (_SCREEN,)),
            {
                "camera/external": View(
                    looking((1.05, 0.95, 0.65), (0.34, 0.0, 0.20)), Lens("equidistant", 0.62), 320, 240, hz=20.0,
                    exposure_s=0.020, readout_s=0.025, breathing=0.3, noise=3.5, codec=Codec(30, 40), stamped="start",
                ),
            },
            JointSensor(100.0, 14, 1e-5, 0.005),
            straight=True,
        ),
        Rig(
            "hanging-wrist",
            Arm("hanging-b", (_hanging(0.30, 0.30, 0.06, GREY_ARM, (0.0, 0.05, 0.48)),),
                ((np.array([0.32, -0.28, 0.08]), np.array([0.56, 0.32, 0.26])),)),
            _hall(_SPOTS, (0.46, 0.50, 0.52), 11),
            {
                "camera/wrist": View(
                    behind_fingers(0.22, 0.07, 0.09, 0.8), Lens("division", 0.70, (-0.25, 0.0)), 160, 120, on_limb=0,
                    exposure_s=0.016, readout_s=-0.008, noise=2.5, codec=Codec(23, 30, 1), stamped="end", flicker=0.02,
                ),
            },
            JointSensor(50.0, 12, 0.0, 0.006),
            straight=True,
        ),
    )  # fmt: skip


REPORT: Mapping[str, Rig] = MappingProxyType({rig.name: rig for rig in _rigs()})
