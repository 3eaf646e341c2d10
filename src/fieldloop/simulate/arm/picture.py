"""From what a camera sees to what it delivers: light, shadow, glare, noise, and depth with its errors."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.camera import Pinhole
from fieldloop.simulate.arm.lighting import Light
from fieldloop.simulate.arm.scene import Scene

WHITE = 235.0
NOISE_TILE = 512


@cache
def _make_noise_tile() -> NDArray[np.float32]:
    """A tile of unit noise; frames take windows of it, which is as good as fresh noise and far cheaper."""
    return np.random.default_rng(0).standard_normal((NOISE_TILE, NOISE_TILE, 3), dtype=np.float32)


def get_noise_window(frame: int, seed: int, height: int, width: int) -> NDArray[np.float32]:
    place = (seed * 0x9E3779B97F4A7C15 + frame * 0xBF58476D1CE4E5B9) & (2**64 - 1)  # Weyl steps: no two frames alike
    top, left = (place >> 40) % (NOISE_TILE - height), (place >> 20) % (NOISE_TILE - width)
    return _make_noise_tile()[top : top + height, left : left + width]


def compute_exposure(
    scene: Scene, camera: Pinhole, *, is_fixed_camera: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """Return what multiplies a picture (lamp, tint, shadow) and what is added to it (glare), pixel by pixel."""
    lamp = scene.light
    u = np.linspace(-1, 1, camera.width, dtype=np.float32)[None, :]
    v = np.linspace(-1, 1, camera.height, dtype=np.float32)[:, None]
    across = u * np.cos(scene.shadow_rad) + v * np.sin(scene.shadow_rad)
    gain = WHITE * lamp.gain * (1 - lamp.shadow * (0.5 + 0.35 * across))
    times = gain[..., None] * np.array(lamp.tint, dtype=np.float32)
    if not (lamp.glare and is_fixed_camera):  # a lamp's mirror image stands still only in a camera that does
        return times.astype(np.float32), None
    x, y = 2 * scene.glare_at[0] - 1, 2 * scene.glare_at[1] - 1
    spot = 150.0 * lamp.glare * np.exp(-((u - x) ** 2 + (v - y) ** 2) / 0.10)
    return times.astype(np.float32), spot[..., None].astype(np.float32)


def expose_picture(
    albedo: NDArray[np.float32],
    gain: NDArray[np.float32],
    glare: NDArray[np.float32] | None,
    lamp: Light,
    seed: int,
    frame: int,
) -> NDArray[np.uint8]:
    """Return the picture (uint8 H×W×3, red first) that a camera delivers."""
    height, width = albedo.shape[:2]
    light = albedo * gain
    if glare is not None:
        light += glare
    light += np.float32(lamp.noise) * get_noise_window(frame, seed, height, width)
    np.clip(light, 0, 255, out=light)
    return light.astype(np.uint8)


def measure_depth(
    inverse_depth: NDArray[np.float32], gloss: NDArray[np.float32], lamp: Light, seed: int, frame: int
) -> NDArray[np.float32]:
    """Return depth (float32 H×W metres, NaN where nothing came back): noise grows with the square of distance."""
    height, width = inverse_depth.shape
    noise = get_noise_window(frame, seed, height, width)
    with np.errstate(divide="ignore"):
        depth = 1.0 / inverse_depth
    depth = depth + np.float32(lamp.depth_noise_m) * depth**2 * noise[..., 0]
    lost = (inverse_depth <= 0) | (np.abs(noise[..., 1]) < 1.2 * lamp.depth_holes * gloss)
    return np.where(lost, np.float32(np.nan), depth).astype(np.float32)
