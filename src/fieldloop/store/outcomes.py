"""A fast codec for outcomes, by far the most frequent events.

Each function must give exactly the result of `model.codec`; tests compare the two.
"""

import functools
import json
import math
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.event import OutcomeRecorded
from fieldloop.model.policy import FailureClass, Outcome, Stage, Step

Row = list[Any]
"""Cells in the order of a table's columns; a list, because the sequence number is filled in later."""


def row_of(outcome: Outcome, seq: int = 0) -> Row:
    """Return the cells of one outcome in the order of its table's columns."""
    failure = outcome.failure
    return [
        outcome.id,
        outcome.policy,
        ",".join([f"{c.factor}={c.level}" for c in outcome.stratum.conditions]),
        outcome.stage.value,
        outcome.site,
        outcome.robot,
        int(outcome.at_ns),
        _truth(outcome.succeeded),
        outcome.judged_by,
        None if failure is None else failure.value,
        outcome.scenario,
        _finite(outcome.cycle_s),
        _finite(outcome.confidence),
        _finite(outcome.latency_ms),
        int(outcome.interventions),
        outcome.attempt,
        outcome.item,
        _nouns_json(outcome.steps),
        _nouns_json(outcome.facts),
        seq,
    ]


def body_of(row: Row) -> str:
    """Return the ledger body of an OutcomeRecorded from its table row, so that fields are read only once."""
    name, policy, stratum, stage, site, robot, at_ns, succeeded, judge, failure, scenario, *numbers = row[:14]
    tries, attempt, item, steps, facts = row[14:19]
    cycle, confidence, latency = numbers
    return (
        f'{{"outcome":{{"id":{quoted(name)},"policy":{quoted(policy)},"stratum":{quoted(stratum)},'
        f'"stage":{quoted(stage)},"site":{quoted(site)},"robot":{quoted(robot)},"at_ns":{at_ns},'
        f'"succeeded":{TRUTHS[succeeded]},"judged_by":{quoted(judge)},'
        f'"failure":{"null" if failure is None else quoted(failure)},"scenario":{quoted(scenario)},'
        f'"cycle_s":{"null" if cycle is None else repr(cycle)},'
        f'"confidence":{"null" if confidence is None else repr(confidence)},'
        f'"latency_ms":{"null" if latency is None else repr(latency)},"interventions":{tries},'
        f'"attempt":{quoted(attempt)},"item":{quoted(item)},"steps":{steps},"facts":{facts}}}}}'
    )


def noun_of(row: Row) -> Outcome:
    """Decode an outcome from its table row."""
    name, policy, stratum, stage, site, robot, at_ns, succeeded, judge, failure, *rest = row
    scenario, cycle, confidence, latency, tries, attempt, item, steps, facts = rest[:9]
    return Outcome(
        name,
        policy,
        stratum_of(stratum),
        Stage(stage),
        site,
        robot,
        at_ns,
        _truth(succeeded),
        judge,
        None if failure is None else FailureClass(failure),
        scenario,
        cycle,
        confidence,
        latency,
        tries,
        attempt,
        item,
        _steps(steps),
        _facts(facts),
    )


def event_of(body: Mapping[str, Any]) -> OutcomeRecorded:
    """Decode the event from its plain body."""
    raw = body["outcome"]
    try:
        return OutcomeRecorded(noun_of([raw[name] for name in FIELDS]))
    except (KeyError, TypeError, ValueError):
        return from_plain(OutcomeRecorded, body)  # reads an older form, or reports the error


def event_body(event: Any) -> str:
    """Return any event's body for the ledger."""
    return json.dumps(to_plain(event), separators=(",", ":"), allow_nan=False)


NOTHING = "[]"
TRUTHS = {None: "null", True: "true", False: "false"}
FIELDS = tuple(Outcome.__dataclass_fields__)
stratum_of = functools.lru_cache(maxsize=4096)(Stratum.parse)


def _nouns_json(nouns: tuple[Any, ...]) -> str:
    """Usually empty, so the empty case is fast."""
    return json.dumps(to_plain(nouns), separators=(",", ":"), allow_nan=False) if nouns else NOTHING


def _steps(cell: str | list[Any]) -> tuple[Step, ...]:
    return () if cell in (NOTHING, []) else tuple(from_plain(Step, one) for one in _as_list(cell))


def _facts(cell: str | list[Any]) -> tuple[tuple[str, float], ...]:
    return () if cell in (NOTHING, []) else tuple((name, _number(value)) for name, value in _as_list(cell))


def _as_list(cell: str | list[Any]) -> list[Any]:
    """The table stores text, the ledger body a list."""
    return json.loads(cell) if isinstance(cell, str) else cell


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _truth(value: bool | None) -> bool | None:  # noqa: FBT001 - a cell
    return None if value is None else bool(value)


def _finite(value: float | None) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
