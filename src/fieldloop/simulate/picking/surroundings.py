"""What stands around an article: neighbours, things that lie on it, the walls of its bin."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking import operators, sites
from fieldloop.simulate.picking.scenes import Ints
from fieldloop.simulate.picking.shapes import compute_half_extent
from fieldloop.simulate.picking.strata import BINS

Columns = dict[str, NDArray[Any]]

NEIGHBOURS = 4
NO_WALL_M = 9.0
EITHER = 0.5


def draw_surroundings(
    bin_codes: Ints,
    item: Columns,
    item_pose: Columns,
    person: Ints,
    site: Ints,
    rng: np.random.Generator,
) -> Columns:
    count, many = len(bin_codes), (len(bin_codes), NEIGHBOURS)
    occluded, buried, jammed, empty = (
        (bin_codes == BINS.index(b))[:, None] for b in ("occluded", "buried", "jammed", "nearly_empty")
    )
    long, short, radius = (item[name][:, None] for name in ("long", "short", "radius"))
    yaw, x, y = (item_pose[name][:, None] for name in ("yaw", "x", "y"))
    some = np.where(empty, rng.integers(0, 2, (count, 1)), rng.integers(0, 3, (count, 1)))
    some = np.where(jammed, 4, np.where(buried, 4, some))
    some = np.where(occluded, np.maximum(some, 1), some)
    there = np.arange(NEIGHBOURS)[None] < some
    bearing = rng.uniform(0, 2 * np.pi, (count, 1)) + np.arange(NEIGHBOURS) * 2 * np.pi / np.maximum(some, 1)
    # crowded bins are packed in rows along the article's sides
    in_rows = yaw + np.arange(NEIGHBOURS) * np.pi / 2
    bearing = np.where(jammed | buried, in_rows + rng.normal(0, 0.12, many), bearing + rng.normal(0, 0.3, many))
    # what occludes lies across one end of the article
    on_top = occluded & (np.arange(NEIGHBOURS)[None] == 0)
    end = np.where(rng.random((count, 1)) < EITHER, 0.0, np.pi)
    bearing = np.where(on_top, yaw + end, bearing)
    other_long = np.where(jammed, rng.uniform(0.035, 0.05, many), rng.uniform(0.018, 0.045, many))
    other_short = rng.uniform(0.015, 0.030, many)
    gap = np.where(buried, rng.uniform(0.019, 0.036, many), rng.uniform(0.022, 0.080, many))
    gap = gap * operators.get_habit_of_people("crowds", person)[:, None]
    gap = np.where(jammed, rng.uniform(-0.001, 0.0165, many), gap)
    gap = np.where(on_top, -rng.uniform(0.8, 1.0, many) * long, gap)
    away = compute_half_extent(bearing - yaw, long, short, radius) + gap + other_short
    rise = np.where(jammed | buried, rng.uniform(0, 0.03, many), rng.uniform(-0.05, 0.03, many))
    rise = np.where(on_top, rng.uniform(0.005, 0.020, many), rise)
    top = (item_pose["floor"] + item["height"])[:, None] + rise
    return {
        "other_x": x + away * np.cos(bearing),
        "other_y": y + away * np.sin(bearing),
        "other_yaw": bearing + np.pi / 2 + rng.normal(0, 0.25, many),
        "other_long": other_long,
        "other_short": other_short,
        "other_top": np.where(there, np.maximum(top, 0.01), -1.0),
        "other_albedo": rng.uniform(0.1, 0.9, many),
    } | _draw_wall(bin_codes, item, item_pose, site, rng)


def _draw_wall(bins: Ints, item: Columns, item_pose: Columns, site: Ints, rng: np.random.Generator) -> Columns:
    count = len(bins)
    back, side, empty = (bins == BINS.index(b) for b in ("back", "side", "nearly_empty"))
    angle = rng.uniform(0, 2 * np.pi, count)
    angle = np.where(back, np.pi / 2, np.where(side, np.where(item_pose["x"] > 0, 0.0, np.pi), angle))
    chance = np.where(empty, 0.9, np.where(back | side, 0.6, sites.get_property_of_sites("wall_share", site)))
    long, short, radius = (item[name] for name in ("long", "short", "radius"))
    close = np.where(empty, rng.uniform(0.008, 0.035, count), rng.uniform(0.02, 0.07, count))
    stands = (
        item_pose["x"] * np.cos(angle)
        + item_pose["y"] * np.sin(angle)
        + compute_half_extent(angle - item_pose["yaw"], long, short, radius)
    )
    return {
        "wall_angle": angle,
        "wall_distance": np.where(rng.random(count) < chance, stands + close, NO_WALL_M),
    }
