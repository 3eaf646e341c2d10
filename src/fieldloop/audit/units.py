"""Numbers that no pick floor can have, and the unit that they look to be in."""

from collections.abc import Callable, Sequence

from fieldloop.protocol import Section

KELVIN, FREEZING_F, F_PER_C = 273.15, 32.0, 1.8
METRES = {"millimetres": lambda x: x / 1000.0, "centimetres": lambda x: x / 100.0}

OTHER_UNITS: dict[str, dict[str, Callable[[float], float]]] = {
    "temperature_c": {"kelvin": lambda x: x - KELVIN, "°F": lambda x: (x - FREEZING_F) / F_PER_C},
    "humidity_percent": {"shares of one": lambda x: 100.0 * x},
    "ceiling_m": METRES,
    "bin_side_m": METRES,
    "article_side_m": METRES,
    "mass_kg": {"grams": lambda x: x / 1000.0},
    "target_cycle_s": {"milliseconds": lambda x: x / 1000.0, "minutes": lambda x: x * 60.0},
}
"""In which other units people write a quantity, and what that would be in ours."""


def impossible(quantity: str, values: Sequence[float], settings: Section) -> str:
    """Say why values cannot be true of a pick floor and what they look like, '' where they can.

    That is, one lies outside of what is possible, or all outside of what is usual while another unit explains them.

    >>> from fieldloop.protocol import default_operations
    >>> impossible("temperature_c", [287.0, 297.0], default_operations()["audit"])
    'it can only be -60 to 60 °C; it looks like kelvin (13.85 to 23.85 °C)'
    """
    least, low, high, most = settings[quantity]
    unit = settings.settings[quantity].unit
    looks = in_another_unit(quantity, values, (low, high), unit)
    if any(not least <= value <= most for value in values):
        can = f"it can only be {least:,.12g} to {most:,.12g} {unit}"
        return f"{can}; it looks like {looks}" if looks else can
    if looks and all(not low <= value <= high for value in values):
        return f"{low:,.12g} to {high:,.12g} {unit} is usual; it looks like {looks}"
    return ""


def unusual(quantity: str, values: Sequence[float], settings: Section) -> str:
    """Say what is usual where a value is not, '' where all are."""
    _, low, high, _ = settings[quantity]
    if all(low <= value <= high for value in values):
        return ""
    return f"{low:,.12g} to {high:,.12g} {settings.settings[quantity].unit} is usual"


def in_another_unit(quantity: str, values: Sequence[float], usual: tuple[float, float], unit: str) -> str:
    """Name the units in which all values would lie within `usual`, and what they would be in ours; '' for none."""
    fits = []
    for name, ours in OTHER_UNITS.get(quantity, {}).items():
        read = [ours(value) for value in values]
        if all(usual[0] <= value <= usual[1] for value in read):
            ends = dict.fromkeys(f"{value:.4g}" for value in (min(read), max(read)))
            fits.append(f"{name} ({' to '.join(ends)} {unit})")
    return " or ".join(fits)
