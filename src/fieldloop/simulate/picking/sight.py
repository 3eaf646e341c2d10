"""Observations of the policy: a small crop of the wrist camera around the tool, and a few numbers."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking.catalogue import MASTER_SIZE
from fieldloop.simulate.picking.scenes import Floats, Scenes

Image = NDArray[np.float32]

PIXELS = 12
HALF_VIEW_M = 0.11
CAMERA_ABOVE_M = 0.45
"""How far the wrist camera is from what it looks at; a tilted mount shifts the view by tilt times this."""
EDGE_M = 0.004
WALL_TOP_M = 0.25
ORDINARY_LUX = 800.0
SENSORS = 6
NUMBERS = MASTER_SIZE + SENSORS
INPUTS = 2 * PIXELS * PIXELS + NUMBERS


def make_pixel_grid(pixels: int = PIXELS, fovea: float = 0.6) -> tuple[Image, Image]:
    """Return the directions of the pixels in the camera's frame: denser in the middle, where precision matters."""
    line = ((np.arange(pixels) + 0.5) / pixels * 2 - 1).astype(np.float32)
    line = HALF_VIEW_M * line * (1 - fovea + fovea * line**2)
    u, v = np.meshgrid(line, line, indexing="xy")
    return u.reshape(1, -1), v.reshape(1, -1)


def render_crop(
    scenes: Scenes, pose: Floats, rng: np.random.Generator, pixel_grid: tuple[Image, Image] | None = None
) -> Image:
    """Draw depth and brightness around a tool pose (n × x, y, yaw): n × (2 · pixels)."""
    u, v = make_pixel_grid() if pixel_grid is None else pixel_grid
    x, y = _compute_pixel_positions(scenes, pose, u, v)
    height = np.broadcast_to(_make_column(scenes.floor), x.shape).copy()
    bright = np.full(x.shape, 0.35, dtype=np.float32)
    _draw_neighbours(scenes, x, y, height, bright)
    du, dv = _rotate_into_shape_axes(x - _make_column(scenes.x), y - _make_column(scenes.y), scenes.yaw)
    out = _compute_distance_outside(
        du, dv, _make_column(scenes.long), _make_column(scenes.short), _make_column(scenes.radius)
    )
    round_off = np.minimum((du / _make_column(scenes.long)) ** 2 + (dv / _make_column(scenes.short)) ** 2, 1)
    top = (
        _make_column(scenes.floor)
        + _make_column(scenes.height) * (1 - _make_column(scenes.doming) * round_off)
        + _make_column(scenes.tilt) * du
    )
    albedo = np.where(scenes.simulated, 0.7, scenes.albedo)
    _draw_shape_on_top(height, bright, out, top, _make_column(albedo))
    angle = scenes.wall_angle
    beyond = _make_column(scenes.wall_distance) - x * _make_column(np.cos(angle)) - y * _make_column(np.sin(angle))
    _draw_shape_on_top(height, bright, beyond, np.float32(WALL_TOP_M), np.float32(0.6))
    return _apply_light_and_sensor(
        scenes, (height - np.float32(0.10)) / np.float32(0.10), bright, (x, y, out), (u, v), rng
    )


def read_sensors(scenes: Scenes, rng: np.random.Generator) -> Image:
    """The item master's record, lamp, thermometer, hygrometer, shelf sensor, the camera's inclinometer: n × NUMBERS."""
    noise = rng.normal(0, 1, (len(scenes), SENSORS))
    read = np.column_stack(
        [
            np.log(scenes.lux / ORDINARY_LUX),
            (scenes.temperature - 20) / 10 + 0.05 * noise[:, 1],
            (scenes.humidity - 0.5) * 3 + 0.05 * noise[:, 2],
            (scenes.shelf + 0.003 * noise[:, 3]) / 0.1,
            scenes.pitch_x / 0.02 + 0.08 * noise[:, 4],
            scenes.pitch_y / 0.02 + 0.08 * noise[:, 5],
        ]
    )
    return np.column_stack([scenes.master, read]).astype(np.float32)


def _make_column(values: Floats) -> Image:
    """Return a column in single precision, to be joined with pixels."""
    return values.astype(np.float32)[:, None]


def _compute_pixel_positions(scenes: Scenes, pose: Floats, u: Image, v: Image) -> tuple[Image, Image]:
    """Where in the world each pixel looks: mount errors turn, scale and shift the view."""
    turn = pose[:, 2] + scenes.camera_yaw
    cosine, sine = _make_column(np.cos(turn) * scenes.camera_scale), _make_column(np.sin(turn) * scenes.camera_scale)
    shift_u = CAMERA_ABOVE_M * scenes.pitch_x + scenes.shift_x
    shift_v = CAMERA_ABOVE_M * scenes.pitch_y + scenes.shift_y
    middle_x = pose[:, 0] + np.cos(pose[:, 2]) * shift_u - np.sin(pose[:, 2]) * shift_v
    middle_y = pose[:, 1] + np.sin(pose[:, 2]) * shift_u + np.cos(pose[:, 2]) * shift_v
    x = cosine * u - sine * v + _make_column(middle_x)
    y = sine * u + cosine * v + _make_column(middle_y)
    return x, y


def _rotate_into_shape_axes(x: Image, y: Image, yaw: Floats) -> tuple[Image, Image]:
    cosine, sine = _make_column(np.cos(yaw)), _make_column(np.sin(yaw))
    return cosine * x + sine * y, cosine * y - sine * x


def _compute_distance_outside(du: Image, dv: Image, half_length: Image, half_width: Image, radius: Image) -> Image:
    over_u, over_v = np.abs(du) - (half_length - radius), np.abs(dv) - (half_width - radius)
    corner = np.sqrt(np.square(np.maximum(over_u, 0)) + np.square(np.maximum(over_v, 0)))
    return np.asarray(corner + np.minimum(np.maximum(over_u, over_v), 0) - radius)


def _draw_neighbours(scenes: Scenes, x: Image, y: Image, height: Image, bright: Image) -> None:
    for k in range(scenes.other_x.shape[1]):
        rows = np.flatnonzero(scenes.other_top[:, k] > 0)
        if not len(rows):
            continue
        long, short, top, albedo, ox, oy = (
            part[rows, k].astype(np.float32)[:, None]
            for part in (
                scenes.other_long, scenes.other_short, scenes.other_top, scenes.other_albedo, scenes.other_x,
                scenes.other_y,
            )
        )  # fmt: skip
        du, dv = _rotate_into_shape_axes(x[rows] - ox, y[rows] - oy, scenes.other_yaw[rows, k])
        out = np.maximum(np.abs(du) - long, np.abs(dv) - short)
        h, b = height[rows], bright[rows]
        _draw_shape_on_top(h, b, out, top, albedo)
        height[rows], bright[rows] = h, b


def _draw_shape_on_top(
    height: Image, bright: Image, distance_outside_shape: Image, top: Image | np.float32, albedo: Image | np.float32
) -> None:
    """Lay a shape over what is there, where it is the higher; edges fade over a few millimetres."""
    share = np.clip(0.5 - distance_outside_shape / np.float32(EDGE_M), 0, 1)
    share *= top > height
    height += share * (top - height)
    bright += share * (albedo - bright)


def _apply_light_and_sensor(
    scenes: Scenes,
    depth: Image,
    bright: Image,
    visible_parts: tuple[Image, Image, Image],
    pixel_grid: tuple[Image, Image],
    rng: np.random.Generator,
) -> Image:
    """Apply light and sensor: noise in the dark, glare, holes in the depth of shiny things (none in the twin)."""
    x, y, out = visible_parts
    u, v = pixel_grid
    count, pixels = depth.shape

    real = ~scenes.simulated
    level = np.log(scenes.lux / ORDINARY_LUX) * real
    dark, glare = np.maximum(-level, 0), np.maximum(level, 0)
    noise = rng.standard_normal((2, count, pixels), dtype=np.float32)
    holes = rng.standard_normal((4, count, 1), dtype=np.float32) * np.float32(0.022)
    sizes = rng.random((2, count, 1), dtype=np.float32)
    depth = depth + noise[0] * _make_column((0.015 + 0.020 * dark) * real)
    slope = (u * _make_column(np.cos(scenes.glare_angle)) + v * _make_column(np.sin(scenes.glare_angle))) / np.float32(
        HALF_VIEW_M
    )
    bright = np.asarray(
        bright * _make_column(np.exp(-0.45 * dark + 0.25 * glare)) + _make_column(0.20 * glare) * slope, np.float32
    )
    lost = _make_column(0.016 * (scenes.reflectivity * (0.25 + 0.8 * glare) + (1 - scenes.albedo) * 0.35 * dark) * real)
    for k in range(2):
        away = np.square(x - _make_column(scenes.x) - holes[2 * k]) + np.square(
            y - _make_column(scenes.y) - holes[2 * k + 1]
        )
        hole = (away < np.square(lost * sizes[k])) & (out < EDGE_M)
        depth = np.where(hole, np.float32(-1), depth)
        bright = np.where(hole, bright + _make_column(0.5 * glare), bright)
    bright = np.clip(bright + noise[1] * _make_column((0.02 + 0.03 * dark) * real), 0, np.float32(1.2))
    return np.concatenate([depth, bright], axis=1)
