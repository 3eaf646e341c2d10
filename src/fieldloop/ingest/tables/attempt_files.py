"""Read outcomes and demonstrations from a user's table: JSON lines, or CSV or Parquet with any columns."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from fieldloop.errors import BadInput
from fieldloop.ingest.tables.column_roles import ColumnRoles, find_time_columns
from fieldloop.ingest.tables.table_rows import TABLES, Row, read_rows
from fieldloop.ingest.tables.text_columns import TextTable, read_text_table
from fieldloop.ingest.tables.written_times import check_moment_ns, parse_moment_ns
from fieldloop.model.codec import from_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import OBJECT_FACTORS, Episode
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.identity import compute_content_id
from fieldloop.model.policy import Outcome, Stage

N = TypeVar("N", Outcome, Episode)
YES, NO = ("yes", "true", "1", "success"), ("no", "false", "0", "failure")
NUMBERS = {"cycle_s": float, "confidence": float, "latency_ms": float, "interventions": int}
NO_RESULT = ("", "unknown", "?", "n/a", "na", "none", "null")
"""What people write where the result of an attempt is not known."""
ID_DIGITS = 24
EPISODE_TEXTS = ("task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
MOMENTS = ("at_ns", "start_ns", "end_ns")
ALL_UTC: Mapping[str, str] = {}
"""Time zones by site where the map states none."""
AS_NAMED = ColumnRoles()
"""Every column is what its name means."""


def find_telemetry_columns(
    files: Iterable[Path],
    few_levels: int,
    roles: ColumnRoles = AS_NAMED,
    opened: Mapping[Path, TextTable] | None = None,
) -> frozenset[str]:
    """Which columns of these tables are numbers from telemetry? One that is must be so in all of them.

    A column of numbers with more different values than `few_levels` is; with fewer it is a condition, as a shelf's
    number is. `opened` are those of the tables that were read already.
    """
    seen: dict[str, set[str]] = {}
    for file in files:
        if file.suffix in TABLES:
            table = (opened or {}).get(file) or roles.rename_table(read_text_table(file))
            for column, texts in table.columns.items():
                seen.setdefault(column, set()).update(texts.names)
    numeric = {
        c: values - {""} for c, values in seen.items() if all(parse_finite_number(v) is not None for v in values - {""})
    }
    return roles.choose_telemetry(frozenset(c for c, values in numeric.items() if len(values) > few_levels))


def _refuse_duplicates(records: list[N], file: Path, rows: Sequence[Row]) -> list[N]:
    """Refuse rows that came twice: counted twice, chance would look like evidence."""
    often = Counter(noun.id for noun in records)
    twice = [name for name, count in often.items() if count > 1]
    if twice:
        lines = [n for (n, _), noun in zip(rows, records, strict=True) if noun.id == twice[0]]
        raise BadInput(
            f"{file.name}, lines {lines[0]} and {lines[1]}: {len(twice)} ids appear more than once, "
            f"first {twice[0]!r}. Keep one row for each id."
        )
    return records


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """The outcomes of a table, and how many of its rows state no result.

    `earlier_ids` gives for each row without an id of its own the ids under which it may be on record already: the id
    that it has while its result is not known, and those of both without the policy and stage filled in.
    `lines` are the numbers of the lines, in the order of the outcomes. `wrong` states by line what cannot be read.
    `time_column` is the column that was read as `at`; '' where the table has one of that name.
    """

    outcomes: tuple[Outcome, ...]
    without_result: int
    earlier_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lines: tuple[int, ...] = ()
    wrong: tuple[tuple[int, str], ...] = ()
    time_column: str = ""


def read_outcome_table(
    file: Path, policy: str, stage: Stage, telemetry: frozenset[str], zones: Mapping[str, str] = ALL_UTC
) -> OutcomeTable:
    """Read a table that grows: a row without an id is named by its content, so that it counts once.

    The result of a row without one is unknown. It is named by its other cells, so that a later result is recognised.
    The only column of written times is the time of the attempt, as in a folder that is diagnosed.
    """
    rows, time_column = read_rows(file), ""
    if rows and file.suffix in TABLES:
        _require_result_column(rows, file.name)
        time_column = _find_time_column(rows, file.name)
        rows = ColumnRoles({time_column: "at"} if time_column else {}).rename(rows)
    filled = [(n, _fill_in(row, policy, stage)) for n, row in rows]  # the same row of two policies is two attempts
    while_unknown = _name_rows_by_content([(n, {**row, **NO_RESULT_YET}) for n, row in filled])
    named = [
        (n, {**row, "id": unknown["id"]} if has_no_result(row.get("succeeded", True)) else row)
        for (n, row), (_, unknown) in zip(_name_rows_by_content(filled), while_unknown, strict=True)
    ]
    wrong: dict[int, str] = {}
    outcomes = _parse_outcomes(named, file, policy, stage, telemetry, zones, wrong)
    former = [_name_rows_by_content(rows), _name_rows_by_content([(n, {**row, **NO_RESULT_YET}) for n, row in rows])]
    ids = {
        row["id"]: tuple(dict.fromkeys(other["id"] for _, other in others))
        for (_, row), *others in zip(named, while_unknown, *former, strict=True)
    }
    lines = tuple(n for n, _ in rows if n not in wrong)
    unknown_results = sum(o.succeeded is None for o in outcomes)
    return OutcomeTable(tuple(outcomes), unknown_results, ids, lines, tuple(wrong.items()), time_column)


def _require_result_column(rows: Sequence[Row], file_name: str) -> None:
    """Refuse a table without results; a column that looks like results is named, not taken."""
    columns = rows[0][1]
    if "succeeded" in columns:
        return
    results = [name for name in columns if _holds_results({str(row.get(name) or "") for _, row in rows})]
    hint = f" Is it {' or '.join(map(repr, results))}? Rename that column." if results else ""
    raise BadInput(f"{file_name}: the column 'succeeded' (yes or no) is missing.{hint} Columns: {', '.join(columns)}.")


def _holds_results(cells: Collection[str]) -> bool:
    """Do these cells state results, and not only numbers or nothing?"""
    words = {cell.strip().lower() for cell in cells} - set(NO_RESULT)
    return bool(words) and words <= {*YES, *NO} and not words <= {"0", "1"}


def _find_time_column(rows: Sequence[Row], file_name: str) -> str:
    """Return the column of times where none is called `at`; '' where one is. Refuse a table without times."""
    columns = rows[0][1]
    if "at" in columns or "at_ns" in columns:
        return ""
    found = find_time_columns(rows)
    if len(found) == 1:
        return found[0]
    several = f" {' and '.join(map(repr, found))} hold times; rename one of them." if found else ""
    raise BadInput(
        f"{file_name}: the column 'at' (time of the attempt) is missing.{several} Columns: {', '.join(columns)}."
    )


def has_no_result(value: Any) -> bool:
    """Does a cell state that the result is not known?"""
    return value is None or (isinstance(value, str) and value.strip().lower() in NO_RESULT)


def _fill_in(row: Mapping[str, Any], policy: str, stage: Stage) -> dict[str, Any]:
    """Fill in the policy and the stage that a row does not state."""
    return {**row, "policy": row.get("policy") or policy, "stage": row.get("stage") or stage.value}


NO_RESULT_YET = {"succeeded": "", "failure": ""}


def _name_rows_by_content(rows: Iterable[Row]) -> list[Row]:
    """Give each row without an id one from its content; equal rows are numbered in their order."""
    times: Counter[str] = Counter()
    named = []
    for n, row in rows:
        digest = compute_content_id([json.dumps(row, sort_keys=True, default=str).encode()])[:ID_DIGITS]
        times[digest] += 1
        repeated = f"-{times[digest]}" if times[digest] > 1 else ""
        named.append((n, row if row.get("id") else {**row, "id": f"row_{digest}{repeated}"}))
    return named


def read_outcomes(
    file: Path,
    policy: str,
    stage: Stage,
    telemetry: frozenset[str],
    zones: Mapping[str, str] = ALL_UTC,
    roles: ColumnRoles = AS_NAMED,
) -> list[Outcome]:
    """Read outcomes of one policy in one setting; what a row does not say of these two is filled in.

    A time without a zone is in the zone of the row's site (IANA, in `zones`), or in UTC.
    """
    rows = read_rows(file)
    named = roles.rename(rows) if file.suffix in TABLES else rows
    return _parse_outcomes(named, file, policy, stage, telemetry, zones)


def _parse_outcomes(
    rows: Sequence[Row],
    file: Path,
    policy: str,
    stage: Stage,
    telemetry: frozenset[str],
    zones: Mapping[str, str],
    wrong: dict[int, str] | None = None,
) -> list[Outcome]:
    """Parse rows; what cannot be read goes to `wrong` by line, or is refused at once where that is None."""
    kinds = classify_columns(rows[0][1], Outcome, telemetry) if rows and file.suffix in TABLES else None
    filled: dict[str, Any] = {"policy": policy, "stage": stage, "site": "", "robot": "", "judged_by": ""}
    outcomes, read = [], []
    for n, row in rows:
        where = f"{file.name}, line {n}"
        try:
            if kinds is not None:
                outcome = parse_outcome_row(row, kinds, where, policy, stage, zones)
            else:
                own = {"id": f"{file.stem}-{n}", "at_ns": _parse_moment_ns(row, where, zones), "stratum": ""}
                outcome = _parse_json_row(Outcome, {**own, **filled, **row}, where)
        except BadInput as problem:
            if wrong is None:
                raise
            wrong[n] = str(problem).removeprefix(f"{where}: ").removeprefix(f"{where} ")
            continue
        outcomes.append(outcome)
        read.append((n, row))
    return _refuse_duplicates(outcomes, file, read)


def read_demonstrations(
    file: Path, telemetry: frozenset[str], zones: Mapping[str, str] = ALL_UTC, roles: ColumnRoles = AS_NAMED
) -> list[Episode]:
    """Read the small facts of demonstrations whose logs are elsewhere; times are read as those of outcomes."""
    rows = read_rows(file)
    if file.suffix in TABLES:
        rows = roles.rename(rows)
        kinds = classify_columns(rows[0][1], Episode, telemetry)
        return _refuse_duplicates(
            [_parse_episode(row, kinds, f"{file.name}, line {n}", zones) for n, row in rows], file, rows
        )
    shown = []
    for n, row in rows:
        where = f"{file.name}, line {n}"
        defaults = {
            "id": f"{file.stem}-{n}",
            "name": "",
            "format": "table",
            "start_ns": _parse_moment_ns(row, where, zones),
        }
        shown.append(_parse_json_row(Episode, {**defaults, "end_ns": defaults["start_ns"], **row}, where))
    return _refuse_duplicates(shown, file, rows)


def _parse_json_row(record_type: type[N], row: Mapping[str, Any], location: str) -> N:
    if record_type is Outcome:  # an empty text states nothing, as an empty cell
        row = {name: value for name, value in row.items() if not (value == "" and name in ("failure", *NUMBERS))}
    if record_type is Outcome and "succeeded" in row and has_no_result(row["succeeded"]):
        row = {**row, "succeeded": None}
    elif record_type is Outcome and not isinstance(row.get("succeeded"), bool):
        stated = row.get("succeeded")
        raise BadInput(f"{location}: succeeded = {stated!r}; write true or false, or null where it is not known.")
    if record_type is Outcome and row.get("stage"):
        row = {**row, "stage": parse_stage(str(row["stage"]), location)}
    for name in NUMBERS if record_type is Outcome else ():
        _refuse_negative(row.get(name), name, location)
    moments = {
        name: check_moment_ns(row[name], f"{location}: {name} = {row[name]!r}") for name in MOMENTS if name in row
    }
    try:
        return from_plain(record_type, {**row, **moments})
    except (KeyError, TypeError, ValueError) as wrong:
        raise BadInput(f"{location} cannot be read: {wrong}") from wrong


def parse_stage(text: str, location: str) -> Stage:
    """Read the setting of an attempt; `laboratory` is the lab.

    >>> parse_stage("Laboratory", "trials.csv, line 2").value
    'lab'
    """
    written = text.strip().lower()
    if written == "laboratory":
        return Stage.LAB
    if written not in list(Stage):
        raise BadInput(f"{location}: stage = {text!r}; write one of {', '.join(Stage)}.")
    return Stage(written)


def _refuse_negative(value: Any, name: str, location: str) -> None:
    """Times and counts are numbers from 0; what was not measured is not there."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (number and value >= 0):
        raise BadInput(f"{location}: {name} = {value!r}; it must be 0 or more, or left out.")


def classify_columns(columns: Iterable[str], record_type: type, telemetry: frozenset[str]) -> dict[str, str]:
    """Classify every column that is not a field: a condition, or a number from telemetry."""
    named = {f.name for f in fields(record_type)} | {"at", *OBJECT_FACTORS}
    return {column: "fact" if column in telemetry else "condition" for column in columns if column not in named}


def parse_outcome_row(
    row: Mapping[str, str],
    column_kinds: Mapping[str, str],
    location: str,
    policy: str,
    stage: Stage,
    zones: Mapping[str, str],
) -> Outcome:
    """Parse one row of a table."""
    _require_result_column([(0, dict(row))], location.partition(",")[0])
    numbers = {name: kind(_parse_finite(row[name], name, location)) for name, kind in NUMBERS.items() if row.get(name)}
    plain = {
        "id": row.get("id") or location.replace(", line ", "-"),
        "policy": row.get("policy") or policy,
        "stratum": _format_conditions(row, column_kinds),
        "stage": row.get("stage") or stage,
        "at_ns": _parse_moment_ns(row, location, zones),
        "succeeded": None if has_no_result(row["succeeded"]) else parse_yes_no(row["succeeded"], "succeeded", location),
        "facts": [
            [n, parse_finite_number(row[n])] for n, kind in column_kinds.items() if kind == "fact" and row.get(n)
        ],
        "failure": row.get("failure") or None,
        "item": _get_object_name(row),
        **{name: row.get(name, "") for name in ("site", "robot", "judged_by", "scenario", "attempt")},
        **numbers,
    }
    return _parse_json_row(Outcome, plain, location)


def _parse_episode(
    row: Mapping[str, str], column_kinds: Mapping[str, str], location: str, zones: Mapping[str, str]
) -> Episode:
    at = _parse_moment_ns(row, location, zones)
    plain = {
        "id": row.get("id") or location.replace(", line ", "-"),
        "name": row.get("name") or row.get("id") or location,
        "format": "table",
        "stratum": _format_conditions(row, column_kinds),
        "start_ns": at,
        "end_ns": at,
        "facts": [
            *([n, row[n]] for n, kind in column_kinds.items() if kind == "fact" and row.get(n)),
            *([["item", _get_object_name(row)]] if _get_object_name(row) else []),
        ],
        **{n: parse_yes_no(row[n], n, location) for n in ("simulated", "succeeded") if row.get(n)},
        **{n: row.get(n, "") for n in EPISODE_TEXTS},
    }
    return _parse_json_row(Episode, plain, location)


def _get_object_name(row: Mapping[str, str]) -> str:
    return next((row[name] for name in OBJECT_FACTORS if row.get(name)), "")


def _format_conditions(row: Mapping[str, str], column_kinds: Mapping[str, str]) -> str:
    return str(Stratum.of({n: row[n] for n, kind in column_kinds.items() if kind == "condition" and row.get(n)}))


def parse_yes_no(text: str, column: str, location: str) -> bool:
    """Read a word for yes or no."""
    if text.lower() not in (*YES, *NO):
        raise BadInput(f"{location}: {column} = {text!r}; write yes, no or unknown.")
    return text.lower() in YES


def _parse_moment_ns(row: Mapping[str, Any], location: str, zones: Mapping[str, str]) -> int:
    return parse_moment_ns(str(row.get("at") or ""), location, zones.get(str(row.get("site")), "UTC"))


def _parse_finite(text: str, column: str, location: str) -> float:
    number = parse_finite_number(text)
    if number is None:
        raise BadInput(f"{location}: {column} = {text!r} is not a number. Leave it empty where nothing was measured.")
    return number
