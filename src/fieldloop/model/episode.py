"""One attempt: its facts (Episode), its streams open for reading (Recording), and its Session."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, read_note
from fieldloop.model.stream import Stream

OBJECT_FACTORS = ("object", "sku", "item")
"""Names under which logs state the handled object."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact that a person stated, and who did.

    `in_log` is what the log states, '' where it states nothing. `instead_of` is the same where it differs from `value`.
    """

    name: str
    value: str
    by: str
    instead_of: str = ""
    in_log: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """The small facts of one attempt: what fits in a table row. None and '' mean not stated.

    `stated` lists the facts that a person stated. `set_aside` is the reason why it is not used, '' where it is.
    """

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
    stated: tuple[Stated, ...] = ()
    set_aside: str = ""

    @property
    def stratum_with_site(self) -> Stratum:
        """The stratum with the site among its conditions, wherever the log states it."""
        return self.stratum.add_site(self.site)

    @property
    def circumstances(self) -> Stratum:
        """Conditions with site and operator; an operator among the conditions comes first."""
        people = {"operator": self.operator} if self.operator else {}
        return Stratum.of({**people, **self.stratum_with_site.levels})

    @property
    def handled(self) -> str:
        """The thing that was handled, from a condition or a further fact; '' where not stated."""
        stated = (self.stratum.level(name) or self.get_fact(name) for name in OBJECT_FACTORS)
        return next((one for one in stated if one), "")

    def get_fact(self, name: str) -> str | None:
        """Return a further fact by name, None where not stated."""
        return dict(self.facts).get(name)


class Harm(StrEnum):
    """What a defect does to a policy that learns from the data."""

    LOST = "lost"
    """Data are missing or cannot be read."""
    MISLEADS = "misleads"
    """All data were read, but a loader that trusts the description returns something else."""
    UNCLEAR = "unclear"
    """The reader reached its own limit: whether data are missing is unknown."""
    HARMLESS = "harmless"
    """The description is incomplete or differs, and every loader returns the same data all the same."""


@dataclass(frozen=True, slots=True)
class Defect:
    """Something a reader could not read or found described differently, and where; the rest was read."""

    subject: str
    place: str
    message: Note
    harm: Harm = Harm.LOST

    def __post_init__(self) -> None:
        if isinstance(self.message, str):  # a reader of another package may state it in its own words
            object.__setattr__(self, "message", read_note(self.message))

    @classmethod
    def from_place(cls, subject: str, counted: str, number: int, message: Note, harm: Harm = Harm.LOST) -> "Defect":
        """Place a defect by a number (a byte, a row, an episode); the number is kept with its message, too."""
        counted_message = replace(message, numbers=(*message.numbers, (counted, number)))
        return cls(subject, f"{counted} {number}", counted_message, harm)


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
    """An ingested log: where its raw bytes are stored and which episodes it holds.

    `mapping` is the hash of the mapping under which it was read, '' for none.
    """

    blob: Blob
    name: str
    format: str
    episodes: tuple[str, ...]
    defects: tuple[Defect, ...] = ()
    mapping: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """One session at a station: operator, robot, work order, and what was verified beforehand."""

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
