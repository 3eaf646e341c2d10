"""What one attempt left behind: small facts (Episode), open streams (Recording), its sitting (Session)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from fieldloop.model.condition import Stratum
from fieldloop.model.stream import Stream

OBJECT_FACTORS = ("object", "sku", "item")
"""Under which names logs say what was handled."""


@dataclass(frozen=True, slots=True)
class Episode:
    """The small facts of one attempt: what fits in a table row. None and '' mean that the log did not say."""

    id: str
    name: str
    format: str
    task: str = ""
    robot: str = ""
    site: str = ""
    operator: str = ""
    session: str = ""
    provider: str = ""
    protocol: str = ""
    stratum: Stratum = field(default_factory=Stratum)
    start_ns: int = 0
    end_ns: int = 0
    simulated: bool | None = None
    succeeded: bool | None = None
    failure: str = ""
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def where(self) -> Stratum:
        """The stratum with the site among its conditions, wherever the log said it."""
        return self.stratum.at(self.site)

    @property
    def circumstances(self) -> Stratum:
        """Where it was made and by whom: what its conditions say of the operator comes first."""
        people = {"operator": self.operator} if self.operator else {}
        return Stratum.of({**people, **self.where.levels})

    @property
    def handled(self) -> str:
        """The thing that was handled, as a condition or a further fact says it; '' where the log did not say."""
        said = (self.stratum.level(name) or self.fact(name) for name in OBJECT_FACTORS)
        return next((one for one in said if one), "")

    def fact(self, name: str) -> str | None:
        """Return a further fact by name, None where the log did not say."""
        return dict(self.facts).get(name)


@dataclass(frozen=True, slots=True)
class Defect:
    """Something a reader could not read, and where: the rest was read."""

    subject: str
    place: str
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """An episode with its streams open for reading."""

    episode: Episode
    streams: Mapping[str, Stream]
    defects: tuple[Defect, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "streams", MappingProxyType(dict(self.streams)))


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes on the shelf: one file, or a folder listed by a manifest that is itself on the shelf."""

    sha256: str
    size: int
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class Log:
    """A source taken in: where its untouched bytes rest and which episodes it held.

    `mapping` is the hash of the house conventions under which it was read, '' where there were none.
    """

    blob: Blob
    name: str
    format: str
    episodes: tuple[str, ...]
    defects: tuple[Defect, ...] = ()
    mapping: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting at a station: who, on what, by which work order, with what verified beforehand."""

    id: str
    site: str
    robot: str
    operator: str
    task: str
    protocol: str
    opened_ns: int
    work_order: str | None = None
    checklist: tuple[str, ...] = ()
    calibrations: tuple[str, ...] = ()
    closed_ns: int | None = None
