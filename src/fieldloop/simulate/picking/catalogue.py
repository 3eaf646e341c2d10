"""Thousands of articles: how often each is picked, and its physical properties."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

PACKAGING = ("carton", "bottle", "polybag", "foil", "fragile")
GRAVITY = 9.81
MASTER_SIZE = 10
"""Length of an article's record in the item master: three dimensions, a mass, six words of description."""
RANGES: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "short": ((0.020, 0.018, 0.022, 0.018, 0.016), (0.045, 0.036, 0.048, 0.040, 0.042)),
    "slender": ((1.0, 1.0, 1.1, 1.2, 1.0), (1.9, 1.25, 1.7, 2.0, 2.2)),
    "height": ((0.03, 0.08, 0.018, 0.015, 0.025), (0.10, 0.16, 0.045, 0.045, 0.09)),
    "density": ((100.0, 300.0, 75.0, 75.0, 100.0), (450.0, 550.0, 250.0, 300.0, 500.0)),
    "friction": ((0.45, 0.30, 0.35, 0.25, 0.30), (0.70, 0.50, 0.60, 0.42, 0.55)),
    "force_window": ((1.0, 0.9, 0.95, 0.9, 0.8), (1.8, 1.5, 1.6, 1.4, 1.3)),
    "reflectivity": ((0.0, 0.1, 0.2, 0.6, 0.0), (0.2, 0.5, 0.6, 1.0, 0.5)),
    "albedo": ((0.4, 0.1, 0.2, 0.5, 0.1), (0.9, 0.9, 0.95, 1.0, 0.9)),
    "roundness": ((0.0, 0.85, 0.3, 0.05, 0.0), (0.15, 1.0, 0.6, 0.3, 0.5)),
    "doming": ((0.0, 0.05, 0.35, 0.15, 0.05), (0.02, 0.2, 0.6, 0.4, 0.35)),
}
"""Range of each attribute, by packaging."""
LONGEST_M = 0.075
MASS_KG = (0.05, 1.8)
OFF_CENTRE = (0.05, 0.05, 0.15, 0.10, 0.22)
"""Spread of the centre of mass along the long axis, as a share of half the length."""
HEAD_MIX = (0.55, 0.25, 0.10, 0.05, 0.05)
TAIL_MIX = (0.20, 0.20, 0.22, 0.20, 0.18)


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """One row an article, most wanted first; lengths are half extents in metres."""

    packaging: Ints
    long: Floats
    short: Floats
    height: Floats
    mass: Floats
    friction: Floats
    crush: Floats
    reflectivity: Floats
    albedo: Floats
    off_centre: Floats
    roundness: Floats
    doming: Floats
    master: Floats
    velocity: Floats

    def __len__(self) -> int:
        return len(self.velocity)

    def name_article(self, row: int) -> str:
        """Return the name of an article."""
        return f"sku-{row:05d}"

    def get_probabilities_by_packaging(self, code: int) -> Floats:
        """Return the probability of each article, given its packaging."""
        share = np.where(self.packaging == code, self.velocity, 0.0)
        return np.asarray(share / share.sum())


def draw_catalogue(count: int, rng: np.random.Generator) -> Catalogue:
    """Draw a catalogue: Zipf velocities, and packaging that gets softer and shinier down the ranking."""
    rank = np.arange(count)
    velocity = 1.0 / (rank + 5.0)
    head = np.exp(-rank / (0.04 * count))[:, None]
    mix = head * np.array(HEAD_MIX) + (1 - head) * np.array(TAIL_MIX)
    packaging = (mix.cumsum(axis=1) < rng.random((count, 1))).sum(axis=1).clip(0, len(PACKAGING) - 1)
    packaging[: len(PACKAGING)] = np.arange(len(PACKAGING))  # every packaging has an article

    def draw_between_limits(name: str) -> Floats:
        low, high = RANGES[name]
        return np.asarray(rng.uniform(np.array(low)[packaging], np.array(high)[packaging]))

    short = draw_between_limits("short")
    long = np.minimum(short * draw_between_limits("slender"), LONGEST_M)
    height = draw_between_limits("height")
    mass = np.clip(8 * long * short * height / 2 * draw_between_limits("density") * 2, *MASS_KG)
    friction = draw_between_limits("friction")
    least = mass * (GRAVITY + 3.0) / (2 * friction)
    window = draw_between_limits("force_window")
    reflectivity, albedo, roundness, doming = map(
        draw_between_limits, ("reflectivity", "albedo", "roundness", "doming")
    )
    off_centre = rng.normal(0, np.array(OFF_CENTRE)[packaging]).clip(-0.4, 0.4)
    hidden = np.column_stack([np.log(friction), window, off_centre, reflectivity, np.log(mass), doming])
    master = _make_item_master(np.column_stack([long, short, height]), mass, hidden, packaging, rng)
    return Catalogue(
        packaging, long, short, height, mass, friction, least * np.exp(window), reflectivity, albedo, off_centre,
        roundness * short, doming, master, velocity / velocity.sum(),
    )  # fmt: skip


def _make_item_master(
    size: Floats, mass: Floats, hidden_properties: Floats, packaging: Ints, rng: np.random.Generator
) -> Floats:
    """Return the item master records: measured size and mass, and words that hint at friction and strength."""
    count, words = hidden_properties.shape
    scaled = (hidden_properties - hidden_properties.mean(axis=0)) / hidden_properties.std(axis=0)
    # The dictionary is the same for every catalogue: a policy may learn it from one and use it on another.
    dictionary = np.random.default_rng(99)
    mixed = scaled @ dictionary.normal(size=(words, words)) / np.sqrt(3)
    kind = 0.7 * dictionary.normal(size=(len(PACKAGING), words))[packaging]
    described = np.tanh(mixed + kind) + rng.normal(0, 0.04, (count, words))
    measured = size * np.exp(rng.normal(0, 0.05, (count, 3))) / 0.05
    weighed = np.log(mass * np.exp(rng.normal(0, 0.08, count)))
    return np.column_stack([measured, weighed, described])
