"""Boundaries of the sequential comparison of two versions, as they were computed once."""

from dataclasses import dataclass
from functools import cache

from fieldloop.protocol import layers

BOUNDARIES = "boundaries.toml"


@dataclass(frozen=True, slots=True)
class BoundaryRow:
    """One computed boundary: whether pairs share scenes, the most pairs, its error, its shape, and its heights."""

    scenes: str
    max_pairs: int
    alpha: float
    shape: float
    at: tuple[float, ...]
    heights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ComputedBoundaries:
    """All computed boundaries, the shape, rates and margins of others by the kind of scenes."""

    rows: tuple[BoundaryRow, ...]
    shape: float
    at: dict[str, tuple[float, ...]]
    margins: dict[str, tuple[float, float]]


@cache
def read_boundaries() -> ComputedBoundaries:
    """Read the shipped boundaries."""
    tables = layers.parse_toml(layers.read_shipped_file(BOUNDARIES), "the shipped boundaries")
    shape = float(tables["shape"]["value"])
    at = {scenes: tuple(row["value"]) for scenes, row in tables["at"].items()}
    rows = tuple(
        BoundaryRow(row["scenes"], row["max_pairs"], row["alpha"], shape, at[row["scenes"]], tuple(row["heights"]))
        for row in tables["boundary"]
    )
    margins = {scenes: (row["value"][0], row["value"][1]) for scenes, row in tables["margin"].items()}
    return ComputedBoundaries(rows, shape, at, margins)
