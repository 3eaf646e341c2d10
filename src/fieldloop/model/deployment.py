"""Where the robot will work: one real facility at a time, not a category."""

from dataclasses import dataclass

from fieldloop.model.condition import Exposure


@dataclass(frozen=True, slots=True)
class Range:
    """A closed interval with its unit."""

    low: float
    high: float
    unit: str


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of a site with its own light, floor and air."""

    name: str
    lux_by_shift: tuple[tuple[str, Range], ...] = ()
    floor: str = ""
    temperature: Range | None = None
    humidity: Range | None = None


@dataclass(frozen=True, slots=True)
class Sku:
    """One article: how often it is picked and what it is physically."""

    id: str
    picks_per_week: float
    tier: str = ""
    mass_kg: float | None = None
    size_m: tuple[float, float, float] | None = None
    packaging: str = ""
    deformable: bool | None = None


@dataclass(frozen=True, slots=True)
class BinConfiguration:
    """A way an item lies in its bin, and how often."""

    name: str
    share: float


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """Something rare and hard, with its frequency in a normal working week and, once known, its failure rate."""

    name: str
    per_week: float
    failure_rate: float | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """One facility: its zones, bins, people bands, cameras and share of all picks."""

    id: str
    share: float
    time_zone: str = "UTC"
    zones: tuple[Zone, ...] = ()
    lighting: tuple[tuple[str, float], ...] = ()
    bins: tuple[BinConfiguration, ...] = ()
    people_bands: tuple[tuple[str, str], ...] = ()
    camera_mounts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deployment:
    """The whole map: sites, catalogue, edge cases, target cycle time, and the strata that follow."""

    id: str
    task: str
    sites: tuple[Site, ...]
    skus: tuple[Sku, ...]
    edge_cases: tuple[EdgeCase, ...] = ()
    target_cycle_s: float | None = None
    label_standard: str = ""
    synchronisation: str = ""
    exposures: tuple[Exposure, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """One of the five gap questions: how complete the map's answer is, and what is missing."""

    question: str
    score: float
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Audit:
    """How well the map answers the five questions; going on below the bar needs a recorded override."""

    deployment: str
    answers: tuple[AuditAnswer, ...]
    score: float
    complete: bool
    operations: str = ""
    overridden_by: str | None = None
    override_reason: str = ""
