"""One facility: its zones with light, floor and air, its bins, people and cameras."""

from collections.abc import Mapping
from dataclasses import dataclass

ZONE = "zone"
"""The factor that the zones of a site make."""
Shares = tuple[tuple[str, float], ...]
"""Level → share, in the order of the map."""


@dataclass(frozen=True, slots=True)
class Range:
    """A closed interval with its unit."""

    low: float
    high: float
    unit: str


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of a site with its own light, floor, air and room; `ranges` are further measured quantities by name."""

    name: str
    lux_by_shift: tuple[tuple[str, Range], ...] = ()
    floor: str = ""
    temperature: Range | None = None
    humidity: Range | None = None
    transitions: tuple[str, ...] = ()
    ranges: tuple[tuple[str, Range], ...] = ()
    ceiling_m: float | None = None
    layout: str = ""
    share: float | None = None
    """Share of the site's picks; zones with shares are conditions of strata."""
    lighting: Shares = ()
    """Shares of lighting in this zone, where they differ from the site's."""
    unknown: tuple[str, ...] = ()
    """Quantities that the map states to be unknown."""

    def get_range(self, name: str) -> Range | None:
        """Return one further quantity, None where the map does not state it."""
        return dict(self.ranges).get(name)

    def list_ranges(self, name: str) -> tuple[tuple[str, Range], ...]:
        """Return the ranges that the map states for a quantity by its telemetry name, each with its shift ('' for all).

        >>> Zone("hall", temperature=Range(2.0, 8.0, "°C")).list_ranges("temperature_c")
        (('', Range(low=2.0, high=8.0, unit='°C')),)
        """
        if name == "lux":
            return self.lux_by_shift
        air = {"temperature_c": self.temperature, "humidity_percent": self.humidity}
        stated = air[name] if name in air else self.get_range(name)
        return () if stated is None else (("", stated),)


@dataclass(frozen=True, slots=True)
class BinConfiguration:
    """A way an item lies in its bin, and its share."""

    name: str
    share: float


@dataclass(frozen=True, slots=True)
class PeopleBand:
    """One physical quantity of the people at a site, as shares of bands: an aggregate, never a person."""

    quantity: str
    shares: Shares


@dataclass(frozen=True, slots=True)
class Container:
    """A kind of bin or tote by its inner length, width and height."""

    name: str
    size_m: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Site:
    """One facility: its zones, bins, people, cameras and share of all picks; `factors` are further ones with shares."""

    id: str
    share: float
    time_zone: str = "UTC"
    zones: tuple[Zone, ...] = ()
    lighting: Shares = ()
    bins: tuple[BinConfiguration, ...] = ()
    people_bands: tuple[tuple[str, str], ...] = ()
    camera_mounts: tuple[str, ...] = ()
    factors: tuple[tuple[str, Shares], ...] = ()
    people: tuple[PeopleBand, ...] = ()
    people_count: int | None = None
    containers: tuple[Container, ...] = ()
    shelving: str = ""

    @property
    def mixes(self) -> dict[str, dict[str, float]]:
        """Every factor that the map states shares of, as level → share; they add up to one.

        >>> Site("a", 1.0, lighting=(("bright", 3.0), ("dim", 1.0))).mixes
        {'lighting': {'bright': 0.75, 'dim': 0.25}}
        """
        summed: dict[str, dict[str, float]] = {}
        for share, mixes in self.mixes_by_zone:
            for factor, levels in mixes.items():
                of_factor = summed.setdefault(factor, {})
                for level, of_level in levels.items():
                    of_factor[level] = of_factor.get(level, 0.0) + share * of_level
        return summed if len(self.mixes_by_zone) == 1 else {f: normalise_shares(levels) for f, levels in summed.items()}

    @property
    def mixes_by_zone(self) -> tuple[tuple[float, dict[str, dict[str, float]]], ...]:
        """The mixes of each zone with its share of picks; of the whole site where its zones have no shares.

        >>> dark = Zone("dock", share=0.4, lighting=(("dim", 1.0),))
        >>> site = Site("a", 1.0, zones=(Zone("hall", share=0.6), dark), lighting=(("bright", 1.0),))
        >>> site.mixes_by_zone[1]
        (0.4, {'lighting': {'dim': 1.0}, 'zone': {'dock': 1.0}})
        """
        given = {"bin": {b.name: b.share for b in self.bins}, "lighting": dict(self.lighting)}
        given |= {factor: dict(shares) for factor, shares in self.factors}
        everywhere = {
            factor: normalise_shares(shares) for factor, shares in given.items() if sum(shares.values()) > 0.0
        }
        zones = everywhere.pop(ZONE, None) or self._zone_shares
        if not zones:
            return ((1.0, everywhere),)
        own = {zone.name: normalise_shares(dict(zone.lighting)) for zone in self.zones if zone.lighting}
        if not own:
            return ((1.0, {**everywhere, ZONE: zones}),)
        return tuple(
            (share, {**everywhere, **({"lighting": own[name]} if name in own else {}), ZONE: {name: 1.0}})
            for name, share in zones.items()
        )

    @property
    def _zone_shares(self) -> dict[str, float]:
        shares = {zone.name: zone.share for zone in self.zones if zone.share}
        return normalise_shares(shares) if shares else {}


def normalise_shares(shares: Mapping[str, float]) -> dict[str, float]:
    """Return the shares divided by their sum, so that rounded percentages add up to one."""
    total = sum(shares.values())
    return {level: share / total for level, share in shares.items()}
