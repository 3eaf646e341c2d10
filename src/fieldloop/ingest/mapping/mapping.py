"""Parse the mapping file, with clear errors before any log is opened."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.ingest.mapping.axes import find_rep_103_rotation
from fieldloop.ingest.mapping.units import find_si_unit_and_factor
from fieldloop.model.episode_text import FLAGS, TEXTS
from fieldloop.model.stream import StreamKind

SCHEMA = "mapping/1"
FIELDS = (*TEXTS, *FLAGS)
STREAM_KEYS = {"name", "kind", "unit", "columns", "frame", "axes", "serial", "drop"}


@dataclass(frozen=True, slots=True)
class StreamRule:
    """How one stream is named and recorded; an empty field leaves it as the log states."""

    source: str
    name: str = ""
    kind: StreamKind | None = None
    units: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    frame: str = ""
    axes: str = ""
    serial: str = ""
    drop: bool = False

    def matches_stream(self, stream: str) -> bool:
        """Is this the stream's rule? `*` and `?` match any characters."""
        return self.source == stream or fnmatchcase(stream, self.source)


@dataclass(frozen=True, slots=True)
class FactSource:
    """Where a fact of the episode comes from: a fact of the log, or this text for every log."""

    fact: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class LogMapping:
    """The conventions of one team."""

    text: str
    streams: tuple[StreamRule, ...] = ()
    frames: Mapping[str, str] = field(default_factory=dict)
    episode: Mapping[str, FactSource] = field(default_factory=dict)
    conditions: Mapping[str, FactSource] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Name the mapping by its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def find_rule(self, stream: str) -> StreamRule | None:
        """Return the first rule that matches a stream."""
        return next((rule for rule in self.streams if rule.matches_stream(stream)), None)


def find_unused_entries(mapping: LogMapping, streams: AbstractSet[str], facts: AbstractSet[str]) -> list[str]:
    """Return the entries that matched nothing: a typo, or a sensor that was not recorded."""
    silent = [f'[streams."{rule.source}"]' for rule in mapping.streams if not any(map(rule.matches_stream, streams))]
    sources = {**mapping.episode, **mapping.conditions}
    return silent + [f'{key} = {{ fact = "{t.fact}" }}' for key, t in sources.items() if t.fact and t.fact not in facts]


def parse_mapping(text: str, file_name: str) -> LogMapping:
    """Read a mapping file; BadInput says what is wrong and where."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise BadInput(f"{file_name} is not valid TOML: {wrong}.") from wrong
    if raw.get("schema") != SCHEMA:
        raise BadInput(f'{file_name} must state `schema = "{SCHEMA}"`, not {raw.get("schema")!r}.')
    if unknown := sorted(raw.keys() - {"schema", "streams", "frames", "episode", "conditions"}):
        raise BadInput(f"{file_name} has an unknown table [{unknown[0]}]. Known: streams, frames, episode, conditions.")
    try:
        made = LogMapping(
            text,
            tuple(_parse_stream_rule(key, row) for key, row in _get_table(raw, "streams").items()),
            {str(key): str(value) for key, value in _get_table(raw, "frames").items()},
            dict(_parse_fact_sources(_get_table(raw, "episode"), FIELDS)),
            dict(_parse_fact_sources(_get_table(raw, "conditions"), ())),
        )
    except BadInput as wrong:
        raise BadInput(f"{file_name}: {wrong}") from wrong
    names = [rule.name for rule in made.streams if rule.name and not rule.drop]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadInput(f"{file_name}: two streams get the same name {twice[0]!r}.")
    return made


def _get_table(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key, {})
    if not isinstance(value, Mapping):
        raise BadInput(f"[{key}] must be a table.")
    return value


def _parse_stream_rule(stream_pattern: str, row: Any) -> StreamRule:
    where = f'[streams."{stream_pattern}"]'
    if not isinstance(row, Mapping):
        raise BadInput(f"{where} must be a table.")
    if unknown := sorted(row.keys() - STREAM_KEYS):
        raise BadInput(f"{where} has an unknown key {unknown[0]!r}. Known: {', '.join(sorted(STREAM_KEYS))}.")
    kind = row.get("kind")
    if kind is not None and kind not in set(StreamKind):
        raise BadInput(f"{where} kind: {kind!r} is not one of {', '.join(StreamKind)}.")
    unit = row.get("unit", ())
    units = tuple(str(u) for u in ([unit] if isinstance(unit, str) else unit))
    try:
        for each in units:
            find_si_unit_and_factor(each)
        if row.get("axes"):
            find_rep_103_rotation(str(row["axes"]))
    except BadInput as wrong:
        raise BadInput(f"{where}: {wrong}") from wrong
    return StreamRule(
        stream_pattern, str(row.get("name", "")), StreamKind(kind) if kind else None, units,
        tuple(str(c) for c in row.get("columns", ())), str(row.get("frame", "")), str(row.get("axes", "")),
        str(row.get("serial", "")), bool(row.get("drop", False)),
    )  # fmt: skip


def _parse_fact_sources(table: Mapping[str, Any], known_keys: tuple[str, ...]) -> Iterator[tuple[str, FactSource]]:
    for key, row in table.items():
        if known_keys and key not in known_keys:
            raise BadInput(f"[episode] has an unknown key {key!r}. Known: {', '.join(known_keys)}.")
        if isinstance(row, str | int | float):
            yield key, FactSource(value=str(row).lower() if isinstance(row, bool) else str(row))
        elif isinstance(row, Mapping) and isinstance(row.get("fact"), str) and len(row) == 1:
            yield key, FactSource(fact=row["fact"])
        else:
            raise BadInput(f'{key} must be a text, or {{ fact = "name of a fact of the log" }}, not {row!r}.')
