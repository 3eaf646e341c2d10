"""Light: how bright, how noisy, from where, and how it blinds a camera."""

from collections.abc import Mapping
from dataclasses import dataclass

from fieldloop.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Light:
    """What a level of the factor `lighting` does to pictures and to depth.

    `gain` multiplies the picture, `ambient` is the share of light without direction, `noise` is in grey levels,
    `shadow` the darkening towards one side, `glare` the strength of a bright spot, `depth_holes` the share of
    depth pixels without return on a perfectly glossy face.
    """

    name: str
    lux: tuple[float, float]
    gain: float
    ambient: float
    noise: float
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    shadow: float = 0.0
    glare: float = 0.0
    depth_noise_m: float = 0.0015
    depth_holes: float = 0.0


LIGHTS: Mapping[str, Light] = {
    light.name: light
    for light in (
        Light("bright", lux=(650.0, 950.0), gain=1.0, ambient=0.55, noise=2.0),
        Light("dim", lux=(60.0, 160.0), gain=0.32, ambient=0.80, noise=5.0, shadow=0.35, depth_noise_m=0.0025),
        Light("glare", lux=(1800.0, 5000.0), gain=1.25, ambient=0.40, noise=2.0, glare=0.9, depth_holes=0.5),
        Light("warm", lux=(300.0, 500.0), gain=0.75, ambient=0.60, noise=2.5, tint=(1.08, 0.98, 0.78), shadow=0.10),
        Light("cool", lux=(350.0, 600.0), gain=0.85, ambient=0.60, noise=2.5, tint=(0.86, 0.98, 1.10), shadow=0.10),
        Light("side", lux=(250.0, 450.0), gain=0.80, ambient=0.35, noise=2.5, shadow=0.45),
    )
}


def get_lighting_level(name: str) -> Light:
    """Return a level of lighting by name.

    >>> get_lighting_level("dim").gain < get_lighting_level("bright").gain
    True
    """
    if name not in LIGHTS:
        raise UnknownName("lighting", name, LIGHTS)
    return LIGHTS[name]
