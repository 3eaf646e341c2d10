"""Draws scenes: an article of the cell's packaging, placed by a person, in the cell's bin, light and site."""

from dataclasses import dataclass

import numpy as np

from fieldloop.simulate.picking import operators, sites, wear
from fieldloop.simulate.picking.catalogue import PACKAGING, Catalogue
from fieldloop.simulate.picking.faults import Faults
from fieldloop.simulate.picking.scenes import Bools, Floats, Ints, Scenes
from fieldloop.simulate.picking.strata import BINS, SITES, Strata
from fieldloop.simulate.picking.surroundings import EITHER, Columns, draw_surroundings

FLAT_M = 0.022
"""Flatter articles do not stay on another face."""
LUX = ((600.0, 950.0), (60.0, 250.0), (1800.0, 6000.0))
FILM_FRICTION, FILM_SHEEN = 0.72, 0.25
"""Packing film left on an article: how much friction it leaves, and how much brighter it looks."""
BURDEN = (1.0, 1.0, 1.0, 1.4, 1.3, 1.0, 1.0, 1.4)
"""Load to lift, by bin, as a multiple of the article: things on top come along, tight packing drags."""
TWIN_FRICTION = 0.55
"""The simulator twin gives every surface this friction, in any air, with pads as new."""


@dataclass(frozen=True, slots=True, eq=False)
class Ask:
    """Which scenes to draw: one cell and week each, which of them in the twin, under which faults."""

    cells: Ints
    weeks: Floats
    simulated: Bools
    faults: Faults
    demonstrating: bool
    cycles_per_week: float


def draw_scenes(
    request: Ask, strata: Strata, catalogue: Catalogue, fleet_cycles: Floats, rng: np.random.Generator
) -> Scenes:
    """Draw a scene for every cell asked."""
    count = len(request.cells)
    site, bins = strata.code("site", request.cells), strata.code("bin", request.cells)
    kind, lamp = strata.code("packaging", request.cells), strata.code("lighting", request.cells)
    person = operators.draw_people(count, rng, request.faults.operators_left_out if request.demonstrating else ())
    robot = rng.integers(sites.ROBOTS_PER_SITE, size=count)
    item = _draw_articles(kind, bins, catalogue, rng)
    lies = _draw_item_poses(bins, person, rng)
    air = _draw_climate_and_light(site, lamp, bins, request, rng)
    machine = _draw_robot_state(site, robot, request, fleet_cycles, rng)
    friction = item["friction"] * machine.pop("pads") * sites.compute_cold_friction(air["temperature"])
    friction = friction * sites.compute_damp_friction(air["humidity"])
    film = rng.random(count) < operators.get_habit_of_people("leaves_film", person)
    friction = np.where(film, FILM_FRICTION, 1.0) * friction
    item["albedo"] = np.clip(item["albedo"] + FILM_SHEEN * film, 0, 1)
    item["reflectivity"] = np.clip(item["reflectivity"] + FILM_SHEEN * film, 0, 1)
    item.pop("friction")
    return Scenes(
        cell=request.cells, person=person, robot=robot, week=request.weeks, packaging=kind, simulated=request.simulated,
        grip=np.where(request.simulated, TWIN_FRICTION, friction),
        film=film,
        burden=np.array(BURDEN)[bins],
        drop=np.where(kind == PACKAGING.index("fragile"), 0.022, 0.040),
        **item, **lies, **air, **machine, **draw_surroundings(bins, item, lies, person, site, rng),
    )  # fmt: skip


def _draw_articles(packaging: Ints, bins: Ints, catalogue: Catalogue, rng: np.random.Generator) -> Columns:
    sku = np.zeros(len(packaging), dtype=np.intp)
    luck = rng.random(len(packaging))
    for code in range(len(PACKAGING)):
        mine = packaging == code
        sku[mine] = np.searchsorted(catalogue.get_probabilities_by_packaging(code).cumsum(), luck[mine] * (1 - 1e-9))
    long, short, height = catalogue.long[sku], catalogue.short[sku], catalogue.height[sku]
    radius = catalogue.roundness[sku]
    # lying on another face: the size in the item master misleads now
    over = (bins == BINS.index("reoriented")) & (height > FLAT_M)
    lying = np.where(over, np.clip(height / 2, 0.012, 0.055), short)
    height = np.where(over, short * 2, height)
    radius = np.where(over, 0.15 * np.minimum(radius, lying), radius)
    long, short = np.maximum(long, lying), np.minimum(long, lying)
    return {
        "sku": sku, "long": long, "short": short, "height": height, "radius": np.minimum(radius, short),
        "doming": catalogue.doming[sku], "mass": catalogue.mass[sku], "off_centre": catalogue.off_centre[sku],
        "friction": catalogue.friction[sku], "crush": catalogue.crush[sku], "albedo": catalogue.albedo[sku],
        "reflectivity": catalogue.reflectivity[sku], "master": catalogue.master[sku],
    }  # fmt: skip


def _draw_item_poses(bins: Ints, person: Ints, rng: np.random.Generator) -> Columns:
    count = len(bins)
    back, side, empty, over = (bins == BINS.index(b) for b in ("back", "side", "nearly_empty", "reoriented"))
    spread = np.where(empty, 0.018, 0.013)
    aside = np.where(rng.random(count) < EITHER, -0.02, 0.02)
    yaw = operators.get_habit_of_people("lays_at", person) + rng.normal(0, 1, count) * operators.get_habit_of_people(
        "lays_within", person
    )
    return {
        "x": rng.normal(0, 1, count) * spread + np.where(side, aside, 0.0),
        "y": rng.normal(0, 1, count) * spread + np.where(back, 0.02, 0.0),
        "yaw": yaw + np.where(empty, 0.3, 0.0) * rng.normal(0, 1, count),
        "tilt": rng.normal(0, 1, count) * np.where(over, 0.35, 0.02),
        "floor": np.where(empty, 0.0, rng.uniform(0.03, 0.10, count)),
    }


def _draw_climate_and_light(site: Ints, lamp: Ints, bins: Ints, request: Ask, rng: np.random.Generator) -> Columns:
    count = len(site)
    low, high = np.array(LUX)[lamp].T
    lux = np.exp(rng.uniform(np.log(low), np.log(high)))
    lux = np.where(bins == BINS.index("back"), 0.7 * lux, lux)
    for change in request.faults.changes:
        if change.kind == "lamp":
            lux = np.where((site == SITES.index(change.site)) & (request.weeks >= change.week), 4.0 * lux, lux)
    temperature = sites.draw_between("temperature_c", site, rng)
    if request.demonstrating and request.faults.temperatures_left_out is not None:
        temperature = _redraw_temperature_gap(temperature, request.faults.temperatures_left_out, site, rng)
    return {
        "lux": lux,
        "glare_angle": rng.uniform(0, 2 * np.pi, count),
        "temperature": temperature,
        "humidity": sites.draw_between("humidity", site, rng),
        "shelf": sites.draw_between("shelf_m", site, rng),
    }


def _redraw_temperature_gap(
    temperatures_c: Floats, excluded_range_c: tuple[float, float], site: Ints, rng: np.random.Generator
) -> Floats:
    """Redraw temperatures inside the gap; where a site has no others, take the nearer end of the gap."""
    for _ in range(20):
        inside = (temperatures_c > excluded_range_c[0]) & (temperatures_c < excluded_range_c[1])
        temperatures_c = np.where(inside, sites.draw_between("temperature_c", site, rng), temperatures_c)
    inside = (temperatures_c > excluded_range_c[0]) & (temperatures_c < excluded_range_c[1])
    return np.where(
        inside,
        np.where(
            temperatures_c - excluded_range_c[0] < excluded_range_c[1] - temperatures_c,
            excluded_range_c[0],
            excluded_range_c[1],
        ),
        temperatures_c,
    )


def _draw_robot_state(site: Ints, robot: Ints, request: Ask, fleet_cycles: Floats, rng: np.random.Generator) -> Columns:
    count, real = len(site), ~request.simulated
    cycles = fleet_cycles[site, robot] + request.cycles_per_week * request.weeks
    if not request.demonstrating:
        names = np.array([f"{place}-{number + 1}" for place in SITES for number in range(sites.ROBOTS_PER_SITE)])
        mine = names[site * sites.ROBOTS_PER_SITE + robot]
        worn = np.isin(mine, request.faults.worn_robots) if request.faults.worn_robots else np.ones(count, dtype=bool)
        cycles = cycles + request.faults.extra_cycles * worn
    moved = np.zeros(count)
    for change in request.faults.changes:
        if change.kind == "mount":
            moved = np.where((site == SITES.index(change.site)) & (request.weeks >= change.week), 1.0, moved)
    mount = {
        name: sites.get_property_of_sites(name, site) + rng.normal(0, spread, count)
        for name, spread in (("pitch_x", 0.0015), ("pitch_y", 0.0015), ("camera_yaw", 0.01), ("camera_scale", 0.01))
    }
    nominal = {"pitch_x": 0.0, "pitch_y": 0.0, "camera_yaw": 0.0, "camera_scale": 1.0}
    return {name: np.where(real, value, nominal[name]) for name, value in mount.items()} | {
        "shift_x": 0.012 * moved,
        "shift_y": -0.008 * moved,
        "cycles": cycles,
        "backlash": np.where(real, wear.compute_backlash_m(cycles), 0.0),
        "pads": np.where(real, wear.compute_pad_friction(cycles), 1.0),
    }
