"""Outcomes are the stream that never stops: their written form without the general walk over fields.

Each function here must say exactly what `model.codec` would; tests hold them to it.
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
"""Cells in the order of a table's columns; a list, because the sequence number comes last and late."""


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
        bool(outcome.succeeded),
        outcome.judged_by,
        None if failure is None else failure.value,
        outcome.scenario,
        _finite(outcome.cycle_s),
        _finite(outcome.confidence),
        _finite(outcome.latency_ms),
        int(outcome.interventions),
        outcome.attempt,
        outcome.item,
        _listed(outcome.steps),
        _listed(outcome.facts),
        seq,
    ]


def body_of(row: Row) -> str:
    """Return the ledger's body of an OutcomeRecorded from its row: the same facts, so they are gathered once."""
    name, policy, stratum, stage, site, robot, at_ns, succeeded, judge, failure, scenario, *numbers = row[:14]
    tries, attempt, item, steps, facts = row[14:19]
    cycle, confidence, latency = numbers
    return (
        f'{{"outcome":{{"id":{quoted(name)},"policy":{quoted(policy)},"stratum":{quoted(stratum)},'
        f'"stage":{quoted(stage)},"site":{quoted(site)},"robot":{quoted(robot)},"at_ns":{at_ns},'
        f'"succeeded":{"true" if succeeded else "false"},"judged_by":{quoted(judge)},'
        f'"failure":{"null" if failure is None else quoted(failure)},"scenario":{quoted(scenario)},'
        f'"cycle_s":{"null" if cycle is None else repr(cycle)},'
        f'"confidence":{"null" if confidence is None else repr(confidence)},'
        f'"latency_ms":{"null" if latency is None else repr(latency)},"interventions":{tries},'
        f'"attempt":{quoted(attempt)},"item":{quoted(item)},"steps":{steps},"facts":{facts}}}}}'
    )


def noun_of(row: Row) -> Outcome:
    """Return the outcome that a row of its table holds."""
    name, policy, stratum, stage, site, robot, at_ns, succeeded, judge, failure, *rest = row
    scenario, cycle, confidence, latency, tries, attempt, item, steps, facts = rest[:9]
    return Outcome(
        name,
        policy,
        _stratum(stratum),
        Stage(stage),
        site,
        robot,
        at_ns,
        bool(succeeded),
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
    """Return the event that a plain body holds."""
    raw = body["outcome"]
    try:
        return OutcomeRecorded(noun_of([raw[name] for name in FIELDS]))
    except (KeyError, TypeError, ValueError):
        return from_plain(OutcomeRecorded, body)  # an older or odd form: the general way knows, or says what is wrong


def written(event: Any) -> str:
    """Return any event's body for the ledger."""
    return json.dumps(to_plain(event), separators=(",", ":"), allow_nan=False)


NOTHING = "[]"
FIELDS = tuple(Outcome.__dataclass_fields__)
_stratum = functools.lru_cache(maxsize=4096)(Stratum.parse)


def _listed(nouns: tuple[Any, ...]) -> str:
    """Most outcomes of most fleets say nothing here, and nothing is quickly written."""
    return json.dumps(to_plain(nouns), separators=(",", ":"), allow_nan=False) if nouns else NOTHING


def _steps(cell: str | list[Any]) -> tuple[Step, ...]:
    return () if cell in (NOTHING, []) else tuple(from_plain(Step, one) for one in _plain(cell))


def _facts(cell: str | list[Any]) -> tuple[tuple[str, float], ...]:
    return () if cell in (NOTHING, []) else tuple((name, _number(value)) for name, value in _plain(cell))


def _plain(cell: str | list[Any]) -> list[Any]:
    """A table holds text, the ledger's body a list."""
    return json.loads(cell) if isinstance(cell, str) else cell


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _finite(value: float | None) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
