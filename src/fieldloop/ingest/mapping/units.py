"""Convert recorded units to SI and radians."""

import math

from fieldloop.errors import BadInput

STANDARD_GRAVITY = 9.80665
SI = ("", "rad", "m", "rad/s", "m/s", "m/s²", "rad/s²", "N", "N·m", "s", "K", "Pa", "A", "V", "8-bit")
FACTORS = {
    "deg": ("rad", math.radians(1)),
    "turn": ("rad", math.tau),
    "mm": ("m", 1e-3),
    "cm": ("m", 1e-2),
    "in": ("m", 0.0254),
    "deg/s": ("rad/s", math.radians(1)),
    "rpm": ("rad/s", math.tau / 60),
    "mm/s": ("m/s", 1e-3),
    "cm/s": ("m/s", 1e-2),
    "deg/s²": ("rad/s²", math.radians(1)),
    "g": ("m/s²", STANDARD_GRAVITY),
    "mm/s²": ("m/s²", 1e-3),
    "mN": ("N", 1e-3),
    "kgf": ("N", STANDARD_GRAVITY),
    "lbf": ("N", 4.4482216152605),
    "N·mm": ("N·m", 1e-3),
    "mN·m": ("N·m", 1e-3),
    "ms": ("s", 1e-3),
    "mA": ("A", 1e-3),
    "%": ("", 1e-2),
}
SPELLINGS = {
    "degree": "deg", "degrees": "deg", "°": "deg", "radians": "rad", "meter": "m", "metre": "m", "millimeter": "mm",
    "Nm": "N·m", "N.m": "N·m", "Nmm": "N·mm", "m/s2": "m/s²", "m/s^2": "m/s²", "percent": "%", "1": "",
}  # fmt: skip


def find_si_unit_and_factor(unit: str) -> tuple[str, float]:
    """Return the SI unit and the factor that leads there; BadInput names what is known.

    >>> find_si_unit_and_factor("mm"), find_si_unit_and_factor("rad"), find_si_unit_and_factor("Nm")
    (('m', 0.001), ('rad', 1.0), ('N·m', 1.0))
    """
    plain = SPELLINGS.get(unit.strip(), unit.strip())
    if plain in SI:
        return plain, 1.0
    if plain in FACTORS:
        return FACTORS[plain]
    raise BadInput(f"The unit {unit!r} is not known. Known: {', '.join((*SI[1:], *FACTORS))}.")
