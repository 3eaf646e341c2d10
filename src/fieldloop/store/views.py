"""Bulk reads for pages and commands on SQLAlchemy Core: each takes a few queries for any number of rows."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, literal, select, union_all
from sqlalchemy.sql import ColumnElement

from fieldloop.errors import BadInput
from fieldloop.model.alarm import Rate
from fieldloop.model.codec import from_plain
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Status, prevents_pass
from fieldloop.model.policy import Outcome
from fieldloop.store import outcome_counts, outcome_times, rates
from fieldloop.store.contract import (
    Count,
    DayCount,
    EpisodeCount,
    EpisodeFilter,
    EventSpan,
    FoundEpisodes,
    StratumCount,
    TrialCount,
)
from fieldloop.store.database import Database
from fieldloop.store.episodes import decode_episode, delimit_label, normalise_for_search
from fieldloop.store.judged_again import FIRST_NS, LAST_NS
from fieldloop.store.outcomes import stratum_of
from fieldloop.store.rows import Tables, get_body_decoder
from fieldloop.store.statements import Statements
from fieldloop.store.tables import NOUN_TABLES, NounTable, convert_to_column_value, get_noun_table, ledger

EPISODES = NOUN_TABLES[Episode].table


class SqlViews:
    """The bulk reads of a store on SQLite or PostgreSQL."""

    def __init__(self, database: Database, statements: Statements) -> None:
        """Read from the store's own database."""
        self._database, self._statements = database, statements
        self._parsed: dict[type, tuple[str, Any]] = {}

    def find_newest(self, *nouns: type) -> dict[type, Any]:
        """Return the most recently stated noun of each kind; kinds without any are left out."""
        parts = []
        for place, noun in enumerate(nouns):
            table = get_table_with_body(noun).table
            last = select(table.c.body).order_by(table.c.seq.desc(), table.c.place.desc()).limit(1).subquery()
            parts.append(select(literal(place).label("kind"), last.c.body))
        if not parts:
            return {}
        with self._database.open_for_reading() as connection:
            rows = connection.execute(union_all(*parts)).all()
        return {nouns[kind]: self._read(nouns[kind], body) for kind, body in rows}

    def _read(self, noun: type, body: str) -> Any:
        """Decode a newest noun; the last one of each kind is cached, as a large catalogue takes a second."""
        text, known = self._parsed.get(noun, ("", None))
        if text != body:
            known = get_body_decoder(noun)(body)
            self._parsed[noun] = (body, known)
        return known

    def find_all(self, *nouns: type) -> dict[type, list[Any]]:
        """Return all nouns of several kinds, newest first; meant for kinds with few nouns."""
        tables = [get_table_with_body(noun).table for noun in nouns]
        parts = [select(literal(kind).label("kind"), t.c.seq, t.c.place, t.c.body) for kind, t in enumerate(tables)]
        nouns_by_kind: dict[type, list[Any]] = {noun: [] for noun in nouns}
        if parts:
            every = union_all(*parts).subquery()
            query = select(every.c.kind, every.c.body).order_by(every.c.seq.desc(), every.c.place.desc())
            with self._database.open_for_reading() as connection:
                rows = connection.execute(query).all()
            for kind, body in rows:
                nouns_by_kind[nouns[kind]].append(get_body_decoder(nouns[kind])(body))
        return nouns_by_kind

    def count_rows(self, *requests: Count) -> list[int]:
        """Count several things at once."""
        if not requests:
            return []
        with self._database.open_for_reading() as connection:
            tables = Tables(connection, self._statements)
            parts = []
            for one in requests:
                entry = get_noun_table(one.noun)
                what = func.count(entry.table.c[one.distinct].distinct()) if one.distinct else func.count()
                query = select(what).select_from(entry.table).where(*tables.build_criteria(entry, one.where))
                parts.append(query.scalar_subquery())
            return [int(count) for count in connection.execute(select(*parts)).one()]

    def list_distinct(
        self, noun: type, columns: Sequence[str], where: Mapping[str, Any] | None = None
    ) -> set[tuple[Any, ...]]:
        """Return the distinct values of some columns of a noun's table; no noun is decoded."""
        entry = get_noun_table(noun)
        with self._database.open_for_reading() as connection:
            criteria = Tables(connection, self._statements).build_criteria(entry, where or {})
            query = select(*(entry.table.c[name] for name in columns)).where(*criteria).distinct()
            return {tuple(row) for row in connection.execute(query)}

    def find_episodes(self, episode_filter: EpisodeFilter, limit: int) -> FoundEpisodes:
        """Return the newest episodes that match, with counts."""
        matches = self._build_filter_criteria(episode_filter)
        in_use = EPISODES.c.set_aside == ""
        counted = select(
            EPISODES.c.status,
            func.count().filter(in_use),
            func.count().filter(*matches) if matches else func.count(),
            func.count().filter(~in_use),
        )
        listed = select(EPISODES.c.body, EPISODES.c.status).where(*matches)
        listed = listed.order_by(EPISODES.c.seq.desc(), EPISODES.c.place.desc()).limit(limit)
        with self._database.open_for_reading() as connection:
            counts = connection.execute(counted.group_by(EPISODES.c.status)).all()
            rows = connection.execute(listed).all()
        return FoundEpisodes(
            tuple((decode_episode(body), _parse_status(status)) for body, status in rows),
            sum(matching for _, _, matching, _ in counts),
            {_parse_status(status): total for status, total, _, _ in counts if total},
            sum(aside for _, _, _, aside in counts),
        )

    def list_judged_episodes(self, where: Mapping[str, Any]) -> list[tuple[Episode, Status | None]]:
        """Return episodes with the status of their last judgement, oldest first."""
        with self._database.open_for_reading() as connection:
            criteria = Tables(connection, self._statements).build_criteria(NOUN_TABLES[Episode], where)
            query = select(EPISODES.c.body, EPISODES.c.status).where(*criteria)
            rows = connection.execute(query.order_by(EPISODES.c.seq, EPISODES.c.place)).all()
        return [(decode_episode(body), _parse_status(status)) for body, status in rows]

    def count_episodes(self, where: Mapping[str, Any]) -> list[EpisodeCount]:
        """Count episodes by conditions, article and result."""
        keys = [EPISODES.c[name] for name in ("site", "stratum", "handled", "succeeded")]
        with self._database.open_for_reading() as connection:
            criteria = Tables(connection, self._statements).build_criteria(NOUN_TABLES[Episode], where)
            query = select(*keys, func.count().label("episodes")).where(*criteria).group_by(*keys)
            rows = connection.execute(query).all()
        return [EpisodeCount(r.site, stratum_of(r.stratum), r.handled, r.succeeded, r.episodes) for r in rows]

    def get_last_reports(self, episodes: Sequence[str]) -> dict[str, EpisodeReport]:
        """Return the last report on each of these episodes, with only the findings that count."""
        if not episodes:
            return {}
        entry = NOUN_TABLES[EpisodeReport]
        with self._database.open_for_reading() as connection:
            criteria = Tables(connection, self._statements).build_criteria(entry, {"episode": list(episodes)})
            query = select(entry.table.c.episode, entry.table.c.body).where(*criteria)
            rows = connection.execute(query.order_by(entry.table.c.seq, entry.table.c.place)).all()
        last = {row.episode: row.body for row in rows}
        return {episode: _decode_counting_findings(body) for episode, body in last.items()}

    def get_last_stating_seq(self, noun: type, name: str) -> int | None:
        """Return the sequence number of the last event that states a noun; None for an unknown id."""
        entry = get_noun_table(noun)
        with self._database.open_for_reading() as connection:
            return connection.scalar(
                select(entry.table.c.seq).where(entry.table.c[entry.key[0]] == convert_to_column_value(name))
            )

    def compute_success_rates(
        self, spans: Sequence[tuple[int, int]], stage: str = "production", policy: str | None = None
    ) -> list[list[Rate]]:
        """Return the result of `Store.success_rates` for each span, optionally for one policy."""
        with self._database.open_for_reading() as connection:
            return rates.compute_success_rates(connection, spans, str(stage), policy)

    def count_by_day(self, time_zones: Mapping[str, str], stage: str = "production") -> list[DayCount]:
        """Count all attempts by policy, site and day local to the site; sites without a zone have days in UTC."""
        with self._database.open_for_reading() as connection:
            return rates.count_by_day(connection, time_zones, str(stage))

    def count_by_stratum(self, stage: str = "production", policies: Sequence[str] | None = None) -> list[StratumCount]:
        """Count all attempts by policy, conditions and article."""
        with self._database.open_for_reading() as connection:
            return outcome_counts.count_by_stratum(connection, str(stage), policies)

    def count_trials(
        self, stages: Sequence[str], scenarios: Sequence[str], policies: Sequence[str] | None = None
    ) -> dict[tuple[str, str], TrialCount]:
        """Count trials in some scenarios by policy and stage."""
        with self._database.open_for_reading() as connection:
            return outcome_counts.count_trials(connection, [str(stage) for stage in stages], scenarios, policies)

    def count_unknown_results(
        self, stage: str = "production", span_ns: tuple[int, int] | None = None
    ) -> dict[tuple[str, str], int]:
        """Count attempts without a known result by policy and site, at times in [start, end)."""
        with self._database.open_for_reading() as connection:
            return outcome_counts.count_unknown_results(connection, str(stage), *(span_ns or (FIRST_NS, LAST_NS)))

    def find_reported_spans(self, since_ns: int | None = None, stage: str = "production") -> dict[str, tuple[int, int]]:
        """Return the times of the first and last outcome with a known result by policy, from the hour of `since_ns`."""
        with self._database.open_for_reading() as connection:
            return outcome_times.find_reported_spans(connection, str(stage), since_ns)

    def list_last_outcomes(self, stages: Sequence[str], policy: str | None = None, limit: int = 100) -> list[Outcome]:
        """Return the outcomes with the latest times, the latest first, in whatever order they were recorded."""
        with self._database.open_for_reading() as connection:
            return outcome_times.list_last_outcomes(connection, [str(stage) for stage in stages], policy, limit)

    def count_events(self, requests: Sequence[EventSpan]) -> list[int]:
        """Count the events of several kinds, each over its own stretch of the ledger."""
        if not requests:
            return []
        parts = []
        for one in requests:
            earlier, seq = ledger.alias(), ledger.c.seq
            before = select(earlier.c.seq).where(earlier.c.seq < one.last, earlier.c.at_ns < one.since_ns)
            after = func.coalesce(before.order_by(earlier.c.seq.desc()).limit(1).scalar_subquery(), 0)
            counted = select(func.count()).where(ledger.c.kind == one.kind.__name__, seq > after, seq <= one.last)
            parts.append(counted.select_from(ledger).scalar_subquery())
        with self._database.open_for_reading() as connection:
            return [int(count) for count in connection.execute(select(*parts)).one()]

    def _build_filter_criteria(self, episode_filter: EpisodeFilter) -> list[ColumnElement[bool]]:
        criteria: list[ColumnElement[bool]] = (
            [EPISODES.c.status == episode_filter.status] if episode_filter.status else []
        )
        if episode_filter.set_aside is not None:
            criteria.append((EPISODES.c.set_aside != "") if episode_filter.set_aside else (EPISODES.c.set_aside == ""))
        if episode_filter.text:
            criteria.append(self._build_contains_criterion(EPISODES.c.words, normalise_for_search(episode_filter.text)))
        return criteria + [
            self._build_contains_criterion(EPISODES.c.labels, delimit_label(name, value))
            for name, value in episode_filter.labels.items()
            if value
        ]

    def _build_contains_criterion(self, column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
        """Does a column contain this text? LIKE would need escaped wildcards, and ignores case on SQLite."""
        place = func.instr if self._database.is_sqlite else func.strpos
        found: ColumnElement[bool] = place(column, convert_to_column_value(text)) > 0
        return found


def get_table_with_body(noun: type) -> NounTable:
    """Return the table of a noun with a `body`; outcomes have none and are refused."""
    entry = get_noun_table(noun)
    if not entry.has_body:
        raise BadInput(f"{noun.__name__} must be read with find(newest=True), not through views.")
    return entry


def _parse_status(text: str | None) -> Status | None:
    return None if text is None else Status(text)


def _decode_counting_findings(body: str) -> EpisodeReport:
    """Decode a report without the findings that do not count, which are most of them."""
    raw = json.loads(body)
    raw["findings"] = [
        finding
        for finding in raw["findings"]
        if prevents_pass(Status(finding["status"]), required=finding.get("required", True))
    ]
    return from_plain(EpisodeReport, raw)
