"""The articles on the floor: data of the item master, and properties that are not in it (friction, strength, looks)."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from fieldloop.errors import UnknownName
from fieldloop.protocol import default_operations
from fieldloop.simulate.arm.boxes import Colour

TIERS = ("high", "medium", "long_tail")
GOLDEN = 0.618033988749895


@dataclass(frozen=True, slots=True)
class Material:
    """What a kind of packaging is like to hold and to look at."""

    friction: float
    crush_n: float
    hue: float
    gloss: float


PACKAGING: Mapping[str, Material] = {
    "carton": Material(friction=0.56, crush_n=34.0, hue=0.09, gloss=0.05),
    "bottle": Material(friction=0.46, crush_n=40.0, hue=0.57, gloss=0.35),
    "polybag": Material(friction=0.52, crush_n=26.0, hue=0.33, gloss=0.25),
    "tin": Material(friction=0.42, crush_n=48.0, hue=0.98, gloss=0.50),
    "blister": Material(friction=0.48, crush_n=20.0, hue=0.80, gloss=0.40),
}


@dataclass(frozen=True, slots=True)
class Article:
    """One SKU: velocity and size from the item master; friction, crushing force and colour from the world."""

    sku: str
    picks_per_week: float
    tier: str
    mass_kg: float
    size_m: tuple[float, float, float]
    packaging: str
    friction: float
    crush_n: float
    colour: Colour
    gloss: float


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All articles, most picked first."""

    articles: tuple[Article, ...]

    def list_articles_of_tier(self, tier: str) -> tuple[Article, ...]:
        """Return the articles of one tier."""
        if tier not in TIERS:
            raise UnknownName("tier", tier, TIERS)
        return tuple(article for article in self.articles if article.tier == tier)

    def draw_article(self, tier: str, rng: np.random.Generator) -> Article:
        """Draw an article of a tier as often as it is picked."""
        articles = self.list_articles_of_tier(tier)
        picks = np.array([article.picks_per_week for article in articles])
        return articles[int(rng.choice(len(articles), p=picks / picks.sum()))]


def get_item_master_csv() -> str:
    """Return the item master as CSV, as a warehouse would export it."""
    return files(__package__).joinpath("skus.csv").read_text(encoding="utf-8")


@cache
def load_shipped_catalogue() -> Catalogue:
    """Return the embedded articles, in tiers by the shipped shares of picks.

    >>> [len(load_shipped_catalogue().list_articles_of_tier(tier)) for tier in TIERS]
    [18, 15, 7]
    """
    audit = default_operations()["audit"]
    rows = sorted(csv.DictReader(io.StringIO(get_item_master_csv())), key=lambda row: -float(row["picks_per_week"]))
    total, before, articles = sum(float(row["picks_per_week"]) for row in rows), 0.0, []
    for place, row in enumerate(rows):
        share = before / total
        tier = TIERS[
            0 if share < audit.number("high_tier_share") else 1 if share < audit.number("medium_tier_share") else 2
        ]
        articles.append(_read_article(row, tier, place))
        before += float(row["picks_per_week"])
    return Catalogue(tuple(articles))


def _read_article(row: Mapping[str, str], tier: str, rank: int) -> Article:
    material = PACKAGING[row["packaging"]]
    spread = (rank * GOLDEN) % 1.0 * 2 - 1  # an even spread of character among articles of one packaging
    other = (rank * GOLDEN * GOLDEN) % 1.0 * 2 - 1
    return Article(
        sku=row["sku"],
        picks_per_week=float(row["picks_per_week"]),
        tier=tier,
        mass_kg=float(row["mass_kg"]),
        size_m=(float(row["length_m"]), float(row["width_m"]), float(row["height_m"])),
        packaging=row["packaging"],
        friction=material.friction * (1 + 0.08 * spread),
        crush_n=material.crush_n * (1 + 0.12 * other),
        colour=_convert_hsv_to_rgb((material.hue + 0.035 * spread) % 1.0, 0.72 + 0.16 * other, 0.72 + 0.18 * spread),
        gloss=material.gloss,
    )


def _convert_hsv_to_rgb(hue: float, saturation: float, value: float) -> Colour:
    import colorsys

    return colorsys.hsv_to_rgb(hue, saturation, value)
