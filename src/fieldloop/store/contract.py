"""The store's interface for other packages: protocols without any database code."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from fieldloop.model.alarm import Rate
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.event import E, Event, Recorded
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.policy import Outcome

N = TypeVar("N")


@dataclass(frozen=True, slots=True)
class Job:
    """A due job, leased to the worker that claimed it."""

    name: str
    due_ns: int
    body: Mapping[str, Any] = field(default_factory=dict)
    worker: str = ""
    attempt: int = 0
    error: str = ""


class Jobs(Protocol):
    """Timed and background jobs, claimed by lease; the only scheduler."""

    def schedule(self, name: str, due_ns: int, body: Mapping[str, Any] | None = None) -> bool:
        """Schedule a job; False if a job of that name is already scheduled for that time."""

    def claim(self, worker: str, at_ns: int, lease_s: float) -> Job | None:
        """Claim the job that has been due longest and has no valid lease; an expired lease is lost."""

    def extend(self, job: Job, at_ns: int, lease_s: float) -> bool:
        """Extend the lease of a claimed job; False if the lease was lost."""

    def mark_done(self, job: Job, at_ns: int) -> bool:
        """Finish a claimed job; False if another worker has claimed it meanwhile."""

    def fail(self, job: Job, at_ns: int, error: str, retry_ns: int | None = None) -> bool:
        """Record why a claimed job failed, finally or until a retry; False if the lease was lost."""

    def open(self, at_ns: int | None = None) -> list[Job]:
        """Return unfinished jobs, first due first; with `at_ns`, only jobs due by then."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A writer's optimistic lock: no event after this sequence number states such a noun."""

    noun: type
    last: int
    where: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A writer's optimistic lock: of these ids, exactly these nouns exist, and they are as they were read."""

    noun: type
    ids: tuple[str, ...]
    as_read: tuple[Any, ...]


Lock = Expected | Unchanged
"""What must still hold when a writer writes."""


@dataclass(frozen=True, slots=True)
class Count:
    """What to count: rows of a noun's table, or distinct values of one of its columns."""

    noun: type
    where: Mapping[str, Any] = field(default_factory=dict)
    distinct: str = ""


@dataclass(frozen=True, slots=True)
class EventSpan:
    """Events of one kind to count: up to a sequence number, back to the first event recorded before `since_ns`."""

    kind: type[Event]
    last: int
    since_ns: int


@dataclass(frozen=True, slots=True)
class EpisodeFilter:
    """Which episodes to list: by last status, and by text in an id, name, site, person, condition or fact.

    `labels` are conditions, fields or facts of an episode by name, such as sku or lighting. `set_aside` True lists only
    episodes that were set aside, False only the others.
    """

    status: str = ""
    text: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    set_aside: bool | None = None


@dataclass(frozen=True, slots=True)
class FoundEpisodes:
    """The newest episodes that match a filter, how many match, and how many there are by status.

    `by_status` leaves out episodes that were set aside; `set_aside` counts those.
    """

    episodes: tuple[tuple[Episode, Status | None], ...]
    matching: int
    by_status: Mapping[Status | None, int]
    set_aside: int = 0


@dataclass(frozen=True, slots=True)
class DayCount:
    """Attempts of one policy at one site on one local day, numbered as `date.toordinal` does."""

    policy: str
    site: str
    day: int
    successes: int
    episodes: int


@dataclass(frozen=True, slots=True)
class StratumCount:
    """Attempts of one policy under the same conditions; `item` is '' where the stratum states the article's tier."""

    policy: str
    site: str
    stratum: Stratum
    item: str
    successes: int
    episodes: int


@dataclass(frozen=True, slots=True)
class EpisodeCount:
    """Episodes recorded under the same conditions with the same article and the same result."""

    site: str
    stratum: Stratum
    handled: str
    succeeded: bool | None
    episodes: int


@dataclass(frozen=True, slots=True)
class TrialCount:
    """Trials of one policy at one stage: verdicts given, and attempts with their successes, each attempt once."""

    verdicts: int
    successes: int
    attempts: int


class Views(Protocol):
    """Bulk reads for pages and commands: a few queries each. Their cost does not grow with rows outside the result."""

    def find_newest(self, *nouns: type) -> dict[type, Any]:
        """Return the most recently stated noun of each kind; kinds without any are left out."""

    def find_all(self, *nouns: type) -> dict[type, list[Any]]:
        """Return all nouns of several kinds, newest first; meant for kinds with few nouns."""

    def count_rows(self, *requests: Count) -> list[int]:
        """Count several things at once."""

    def list_distinct(
        self, noun: type, columns: Sequence[str], where: Mapping[str, Any] | None = None
    ) -> set[tuple[Any, ...]]:
        """Return the distinct values of some columns of a noun's table; no noun is decoded."""

    def find_episodes(self, episode_filter: EpisodeFilter, limit: int) -> FoundEpisodes:
        """Return the newest episodes that match, with counts."""

    def list_judged_episodes(self, where: Mapping[str, Any]) -> list[tuple[Episode, Status | None]]:
        """Return episodes with the status of their last judgement, oldest first."""

    def count_episodes(self, where: Mapping[str, Any]) -> list[EpisodeCount]:
        """Count episodes by conditions, article and result."""

    def get_last_reports(self, episodes: Sequence[str]) -> dict[str, EpisodeReport]:
        """Return the last report on each of these episodes, with only the findings that count."""

    def get_last_stating_seq(self, noun: type, name: str) -> int | None:
        """Return the sequence number of the last event that states a noun; None for an unknown id."""

    def compute_success_rates(
        self, spans: Sequence[tuple[int, int]], stage: str = "production", policy: str | None = None
    ) -> list[list[Rate]]:
        """Return the result of `Store.success_rates` for each span, optionally for one policy."""

    def count_by_day(self, time_zones: Mapping[str, str], stage: str = "production") -> list[DayCount]:
        """Count all attempts by policy, site and day local to the site; sites without a zone have days in UTC."""

    def count_by_stratum(self, stage: str = "production", policies: Sequence[str] | None = None) -> list[StratumCount]:
        """Count all attempts by policy, conditions and article."""

    def count_trials(
        self, stages: Sequence[str], scenarios: Sequence[str], policies: Sequence[str] | None = None
    ) -> dict[tuple[str, str], TrialCount]:
        """Count trials with a result in some scenarios by policy and stage."""

    def count_unknown_results(
        self, stage: str = "production", span_ns: tuple[int, int] | None = None
    ) -> dict[tuple[str, str], int]:
        """Count attempts without a known result by policy and site, at times in [start, end)."""

    def find_reported_spans(self, since_ns: int | None = None, stage: str = "production") -> dict[str, tuple[int, int]]:
        """Return the times of the first and last outcome with a known result by policy, from the hour of `since_ns`."""

    def list_last_outcomes(self, stages: Sequence[str], policy: str | None = None, limit: int = 100) -> list[Outcome]:
        """Return the outcomes with the latest times, the latest first, in whatever order they were recorded."""

    def count_events(self, requests: Sequence[EventSpan]) -> list[int]:
        """Count the events of several kinds, each over its own stretch of the ledger."""


class Store(Protocol):
    """A ledger of typed events and the tables projected from it, written in one transaction."""

    @property
    def jobs(self) -> Jobs:
        """Timed and background jobs, in the same database."""

    @property
    def views(self) -> Views:
        """Bulk reads for pages and commands."""

    def append(
        self,
        events: Sequence[Event],
        *,
        actor: str,
        at_ns: int,
        caused_by: int | None = None,
        expected: Lock | Sequence[Lock] | None = None,
    ) -> int:
        """Write events and their table rows atomically and durably; return the last sequence number.

        If `expected`, or one of several, no longer holds, ChangedMeanwhile is raised and nothing is written.
        """

    def get_last_seq(self) -> int:
        """Return the sequence number of the newest event, 0 for an empty ledger."""

    def read_tail(self, after: int = 0, limit: int = 1000) -> list[Recorded[Event]]:
        """Return events after a sequence number, in ledger order; repeated calls skip no event."""

    def events(self, kind: type[E], after: int = 0, *, naming: str = "") -> Iterator[Recorded[E]]:
        """Iterate over the events of one kind in ledger order; with `naming`, over those that hold this ASCII text."""

    def find(
        self, noun: type[N], where: Mapping[str, Any] | None = None, *, newest: bool = False, limit: int | None = None
    ) -> list[N]:
        """Return nouns from their table, oldest first, ordered by the last event that states each.

        `where` filters on key columns: a value is equality, None is NULL, a list or set is any of them, and
        `range(a, b)` is a ≤ column < b.
        """

    def get(self, noun: type[N], id_or_prefix: str) -> N:
        """Return one noun by id or any unique prefix; UnknownName or BadInput (ambiguous) otherwise."""

    def count(self, noun: type[N], where: Mapping[str, Any] | None = None) -> int:
        """Count rows of a noun's table."""

    def get_log(self, episode: str) -> Log:
        """Return the log with which an episode was last ingested."""

    def get_logs(self, episodes: Sequence[str]) -> dict[str, Log]:
        """Return the same for many, by episode, with two queries however many there are."""

    def compute_success_rates(self, start_ns: int, end_ns: int, stage: str = "production") -> list[Rate]:
        """Success by policy × site at times in [start, end); an attempt with several judges counts once."""

    def list_blobs(self) -> set[str]:
        """Return the hash of every blob that an event references: a sweep of the shelf must keep these."""

    def rebuild_tables(self) -> None:
        """Drop every projected table and replay the ledger."""

    def close(self) -> None:
        """Close the database."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep removed: unreferenced blobs, and temporary files of killed writers."""

    blobs: tuple[str, ...] = ()
    temporaries: int = 0
    size: int = 0


class Shelf(Protocol):
    """Immutable blobs, addressed by the hash of their content."""

    def put_bytes(self, content: bytes) -> Blob:
        """Store bytes; idempotent."""

    def put_file(self, path: Path) -> Blob:
        """Store a copy of a file."""

    def put_folder(self, path: Path, files: Sequence[Path] | None = None) -> Blob:
        """Store all files of a folder, or the given ones, and a manifest of them; its hash identifies the folder."""

    def has(self, sha256: str) -> bool:
        """Is this blob stored?"""

    def read(self, sha256: str) -> bytes:
        """Return the bytes, verified against their hash."""

    def open(self, sha256: str) -> BinaryIO:
        """Open the bytes for reading; reading them to the end verifies them."""

    def fetch_local_copy(self, blob: Blob, cache_dir: Path) -> Path:
        """Return a local path to a verified copy of a blob, file or folder."""

    def sweep(self, keep: AbstractSet[str], min_age_s: float) -> Swept:
        """Remove blobs that are older than this and not in `keep`; files of kept folders are kept."""
