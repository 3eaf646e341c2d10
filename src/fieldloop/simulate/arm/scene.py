"""One scene: a bin on a shelf, a tote, the item to pick and what stands around it."""

from dataclasses import dataclass

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.condition import Stratum
from fieldloop.simulate.arm.boxes import Solid
from fieldloop.simulate.arm.catalogue import Article, Catalogue
from fieldloop.simulate.arm.edge_cases import PLAIN, EdgeCase, draw_edge_case
from fieldloop.simulate.arm.lighting import Light, get_lighting_level
from fieldloop.simulate.arm.sites import Facility

FACTORS = ("site", "tier", "bin", "lighting")
BINS = ("front", "back", "side")

BIN_CENTRE = (0.53, 0.17)
BIN_SIZE = (0.34, 0.28)
SIDEWAYS_M = 0.07
"""How far from the middle of the bin items lie, to either side."""
"""Inner length (away from the robot) and width."""
TOTE_CENTRE = (0.47, -0.28)
TOTE_SIZE = (0.34, 0.26)
TOTE_FLOOR_M = 0.02
TOTE_RIM_M = 0.14
WALL_M = 0.010
TOTE_COLOUR = (0.36, 0.38, 0.41)
CARDBOARDS = ((0.46, 0.41, 0.35), (0.40, 0.40, 0.41), (0.52, 0.50, 0.46), (0.34, 0.34, 0.37))
SPREAD = {"front": (-0.11, -0.01), "back": (0.01, 0.10), "side": (-0.10, 0.09)}
"""Where the item lies along the bin, from its middle."""
USUAL_YAW_RAD = 0.6
"""How far items are usually turned, to either side."""
APART_M = 0.08
MAX_ACROSS_M = 0.075
"""Widest item that the gripper can still straddle."""


@dataclass(frozen=True, slots=True)
class Item:
    """The item to pick, as it lies: footprint length ≥ width, and everything that decides whether it can be held."""

    article: Article
    x: float
    y: float
    yaw_rad: float
    bottom: float
    length: float
    width: float
    height: float
    mass_kg: float
    friction: float
    crush_n: float

    @property
    def top(self) -> float:
        """Height of its upper face."""
        return self.bottom + self.height


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is true before the arm moves; hidden from policies, which see pictures of it."""

    stratum: Stratum
    site: Facility
    light: Light
    item: Item
    solids: tuple[Solid, ...]
    lux: float
    temperature_c: float
    humidity_percent: float
    shadow_rad: float
    glare_at: tuple[float, float]
    noise_seed: int
    edge: EdgeCase = PLAIN


@dataclass(frozen=True, slots=True)
class Setup:
    """How a scene is asked for beyond its stratum: a reset sheet's fixed position, and objects that do not belong.

    Edge cases: the share of the gripper that something hides from the overhead camera, the share of its picture that
    something covers, and how far from its limit a joint starts.
    """

    position: tuple[float, float] | None = None
    yaw_rad: float | None = None
    distractors: int = 0
    gripper_hidden: float = 0.0
    camera_hidden: float = 0.0
    joint_left_rad: float | None = None


def draw_scene(stratum: Stratum, site: Facility, catalogue: Catalogue, rng: np.random.Generator, setup: Setup) -> Scene:
    """Draw a scene of a stratum; the same generator state gives the same scene."""
    levels = _get_scene_levels(stratum)
    lamp = get_lighting_level(levels["lighting"])
    item = _draw_item(levels["bin"], site, catalogue.draw_article(levels["tier"], rng), rng, setup)
    neighbours = _draw_neighbours(item, site, rng)
    return Scene(
        stratum=stratum,
        site=site,
        light=lamp,
        item=item,
        solids=(*make_furniture(site), *neighbours, *_draw_distractors(setup.distractors, item, neighbours, site, rng)),
        lux=float(rng.uniform(*lamp.lux)),
        temperature_c=float(rng.uniform(*site.temperature_c)),
        humidity_percent=float(rng.uniform(*site.humidity_percent)),
        shadow_rad=float(rng.uniform(0, 2 * np.pi)),
        glare_at=(float(rng.uniform(0.2, 0.5)), float(rng.uniform(0.2, 0.8))),
        noise_seed=int(rng.integers(2**32)),
        edge=draw_edge_case(setup.gripper_hidden, setup.camera_hidden, setup.joint_left_rad, rng),
    )


def compute_place_in_bin(share_x: float, share_y: float) -> tuple[float, float]:
    """Return a place in the bin, in shares of half the area that items lie in: (0, 0) its middle, ±1 its edges.

    >>> [round(c, 3) for c in compute_place_in_bin(0.0, 1.0)]
    [0.525, 0.24]
    """
    low, high = min(a for a, _ in SPREAD.values()), max(b for _, b in SPREAD.values())
    return BIN_CENTRE[0] + (low + high) / 2 + share_x * (high - low) / 2, BIN_CENTRE[1] + share_y * SIDEWAYS_M


def make_furniture(site: Facility) -> tuple[Solid, ...]:
    """Return bench, shelf, bin and tote of a site."""
    board = Solid(
        "shelf",
        (*BIN_CENTRE, (site.bin_floor_m - WALL_M) / 2),
        (0.42, 0.36, site.bin_floor_m - WALL_M),
        0.0,
        (0.55, 0.50, 0.42),
    )
    bench = Solid("bench", (0.40, -0.05, -0.02), (1.30, 1.50, 0.04), 0.0, site.bench_colour)
    return (
        bench,
        board,
        *_make_tray("bin", BIN_CENTRE, BIN_SIZE, site.bin_floor_m, site.bin_rim_m, site.bin_colour),
        *_make_tray("tote", TOTE_CENTRE, TOTE_SIZE, TOTE_FLOOR_M, TOTE_RIM_M, TOTE_COLOUR),
    )


def _get_scene_levels(stratum: Stratum) -> dict[str, str]:
    levels = stratum.levels
    if missing := [factor for factor in FACTORS if factor not in levels]:
        raise BadInput(
            f"The floor needs {', '.join(FACTORS)} in a stratum; {str(stratum)!r} lacks {', '.join(missing)}."
        )
    if levels["bin"] not in BINS:
        raise UnknownName("bin configuration of the floor", levels["bin"], BINS)
    return levels


def _make_tray(
    name: str,
    centre: tuple[float, float],
    size: tuple[float, float],
    floor_m: float,
    rim_m: float,
    colour: tuple[float, float, float],
) -> tuple[Solid, ...]:
    (x, y), (long, wide), high = centre, size, rim_m - floor_m + WALL_M
    middle, side = floor_m - WALL_M + high / 2, WALL_M / 2
    darker = (colour[0] * 0.9, colour[1] * 0.9, colour[2] * 0.9)
    return (
        Solid(f"{name} floor", (x, y, floor_m - WALL_M / 2), (long, wide, WALL_M), 0.0, darker),
        Solid(f"{name} wall far", (x + long / 2 + side, y, middle), (WALL_M, wide + 2 * WALL_M, high), 0.0, colour),
        Solid(f"{name} wall near", (x - long / 2 - side, y, middle), (WALL_M, wide + 2 * WALL_M, high), 0.0, colour),
        Solid(f"{name} wall left", (x, y + wide / 2 + side, middle), (long, WALL_M, high), 0.0, colour),
        Solid(f"{name} wall right", (x, y - wide / 2 - side, middle), (long, WALL_M, high), 0.0, colour),
    )


def _draw_item(configuration: str, site: Facility, article: Article, rng: np.random.Generator, setup: Setup) -> Item:
    length, width, height = article.size_m
    if configuration == "side":  # lying on its side: what was high is now wide
        width, height = min(height, MAX_ACROSS_M), width
        length, width = max(length, width), min(length, width)
    low, high = SPREAD[configuration]
    x, y = BIN_CENTRE[0] + rng.uniform(low, high), BIN_CENTRE[1] + rng.uniform(-SIDEWAYS_M, SIDEWAYS_M)
    yaw = rng.uniform(-USUAL_YAW_RAD, USUAL_YAW_RAD)
    if setup.position is not None:
        x, y = setup.position
    return Item(
        article=article,
        x=float(x),
        y=float(y),
        yaw_rad=float(yaw if setup.yaw_rad is None else setup.yaw_rad),
        bottom=site.bin_floor_m,
        length=length,
        width=width,
        height=height,
        mass_kg=article.mass_kg * float(rng.uniform(0.97, 1.03)),
        friction=article.friction * site.friction_factor * float(rng.uniform(0.93, 1.07)),
        crush_n=article.crush_n,
    )


def _draw_neighbours(item: Item, site: Facility, rng: np.random.Generator) -> tuple[Solid, ...]:
    """Cartons beside the item, each at a free distance, as far as the bin has room for them."""
    placed = []
    for i in range(int(rng.integers(1, 4))):
        length, width, height = rng.uniform([0.05, 0.04, 0.03], [0.09, 0.06, 0.08])
        bearing = item.yaw_rad + i * 2 * np.pi / 3 + rng.uniform(-0.5, 0.5)
        reach = (
            abs(np.cos(bearing - item.yaw_rad)) * item.length / 2 + abs(np.sin(bearing - item.yaw_rad)) * item.width / 2
        )
        away = reach + rng.uniform(*site.gap_m) + np.hypot(length, width) / 2
        x, y = item.x + away * np.cos(bearing), item.y + away * np.sin(bearing)
        carton = Solid(
            f"neighbour {i}",
            (float(x), float(y), site.bin_floor_m + float(height) / 2),
            (float(length), float(width), float(height)),
            float(rng.uniform(0, np.pi)),
            CARDBOARDS[int(rng.integers(len(CARDBOARDS)))],
        )
        if _is_inside_bin(x, y, float(np.hypot(length, width)) / 2):
            placed.append(carton)
    return tuple(placed)


def _is_inside_bin(x: float, y: float, radius: float) -> bool:
    return bool(abs(x - BIN_CENTRE[0]) < BIN_SIZE[0] / 2 - radius and abs(y - BIN_CENTRE[1]) < BIN_SIZE[1] / 2 - radius)


def _draw_distractors(
    count: int, item: Item, neighbours: tuple[Solid, ...], site: Facility, rng: np.random.Generator
) -> tuple[Solid, ...]:
    """Small coloured things that do not belong: on the bench around the bin, and in it where there is room."""
    placed: list[Solid] = []
    for i in range(count):
        size = rng.uniform([0.02, 0.02, 0.015], [0.045, 0.04, 0.03])
        colour = tuple(float(c) for c in rng.uniform(0.15, 0.9, 3))
        x, y, floor = _find_free_spot(i, item, (*neighbours, *placed), site, rng)
        centre = (x, y, floor + float(size[2]) / 2)
        placed.append(
            Solid(
                f"distractor {i}",
                centre,
                (float(size[0]), float(size[1]), float(size[2])),
                float(rng.uniform(0, np.pi)),
                (colour[0], colour[1], colour[2]),
            )
        )
    return tuple(placed)


def _find_free_spot(
    attempt_index: int, item: Item, others: tuple[Solid, ...], site: Facility, rng: np.random.Generator
) -> tuple[float, float, float]:
    if attempt_index % 3 == 0:  # every third lies in the bin, if twenty throws find room
        for _ in range(20):
            x = BIN_CENTRE[0] + rng.uniform(-0.13, 0.13)
            y = BIN_CENTRE[1] + rng.uniform(-0.10, 0.10)
            far = np.hypot(x - item.x, y - item.y) > item.length / 2 + 0.075
            if far and all(np.hypot(x - o.centre[0], y - o.centre[1]) > APART_M for o in others):
                return float(x), float(y), site.bin_floor_m
    return float(rng.uniform(0.30, 0.75)), float(rng.uniform(-0.09, -0.03)), 0.0
