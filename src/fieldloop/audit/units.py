"""Values that no picking site can have, and the unit they seem to be in."""

from collections.abc import Callable, Sequence

from fieldloop.protocol import Section

KELVIN, FREEZING_F, F_PER_C = 273.15, 32.0, 1.8  # definitions of the scales
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
"""Other units in which people write a quantity, each with its conversion to ours."""


def explain_impossible_values(quantity: str, values: Sequence[float], settings: Section) -> str:
    """Explain why values are impossible at a picking site and which unit they seem to be in; '' where possible.

    One value is outside the possible range, or all are outside the usual range and another unit explains them.

    >>> from fieldloop.protocol import default_operations
    >>> explain_impossible_values("temperature_c", [287.0, 297.0], default_operations()["audit"])
    'it can only be -60 to 60 °C; it looks like kelvin (13.85 to 23.85 °C)'
    """
    least, low, high, most = settings[quantity]
    unit = settings.settings[quantity].unit
    looks = name_fitting_units(quantity, values, (low, high), unit)
    if any(not least <= value <= most for value in values):
        can = f"it can only be {least:,.12g} to {most:,.12g} {unit}"
        return f"{can}; it looks like {looks}" if looks else can
    if looks and all(not low <= value <= high for value in values):
        return f"{low:,.12g} to {high:,.12g} {unit} is usual; it looks like {looks}"
    return ""


def find_exceeded_usual_range(
    quantity: str, values: Sequence[float], settings: Section
) -> tuple[float, float, str] | None:
    """Return the usual range and its unit where a value is outside it, None where all are inside."""
    _, low, high, _ = settings[quantity]
    if all(low <= value <= high for value in values):
        return None
    return float(low), float(high), settings.settings[quantity].unit


def name_fitting_units(quantity: str, values: Sequence[float], usual: tuple[float, float], unit: str) -> str:
    """Name the units in which all values would be within `usual`, with the values in our unit; '' for none."""
    fits = []
    for name, ours in OTHER_UNITS.get(quantity, {}).items():
        read = [ours(value) for value in values]
        if all(usual[0] <= value <= usual[1] for value in read):
            ends = dict.fromkeys(f"{value:.4g}" for value in (min(read), max(read)))
            fits.append(f"{name} ({' to '.join(ends)} {unit})")
    return " or ".join(fits)
