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


def make_outcome_row(outcome: Outcome, seq: int = 0) -> Row:
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
        _read_truth_value(outcome.succeeded),
        outcome.judged_by,
        None if failure is None else failure.value,
        outcome.scenario,
        _drop_non_finite(outcome.cycle_s),
        _drop_non_finite(outcome.confidence),
        _drop_non_finite(outcome.latency_ms),
        int(outcome.interventions),
        outcome.attempt,
        outcome.item,
        _encode_nouns(outcome.steps),
        _encode_nouns(outcome.facts),
        seq,
    ]


def encode_outcome_row(row: Row) -> str:
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


def decode_outcome(row: Row) -> Outcome:
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
        _read_truth_value(succeeded),
        judge,
        None if failure is None else FailureClass(failure),
        scenario,
        cycle,
        confidence,
        latency,
        tries,
        attempt,
        item,
        _decode_steps(steps),
        _decode_facts(facts),
    )


def decode_outcome_event(body: Mapping[str, Any]) -> OutcomeRecorded:
    """Decode the event from its plain body."""
    raw = body["outcome"]
    try:
        return OutcomeRecorded(decode_outcome([raw[name] for name in FIELDS]))
    except (KeyError, TypeError, ValueError):
        return from_plain(OutcomeRecorded, body)  # reads an older form, or reports the error


def encode_event_body(event: Any) -> str:
    """Return any event's body for the ledger."""
    return json.dumps(to_plain(event), separators=(",", ":"), allow_nan=False)


NOTHING = "[]"
TRUTHS = {None: "null", True: "true", False: "false"}
FIELDS = tuple(Outcome.__dataclass_fields__)
stratum_of = functools.lru_cache(maxsize=4096)(Stratum.parse)


def _encode_nouns(nouns: tuple[Any, ...]) -> str:
    """Usually empty, so the empty case is fast."""
    return json.dumps(to_plain(nouns), separators=(",", ":"), allow_nan=False) if nouns else NOTHING


def _decode_steps(cell: str | list[Any]) -> tuple[Step, ...]:
    return () if cell in (NOTHING, []) else tuple(from_plain(Step, one) for one in _parse_list_cell(cell))


def _decode_facts(cell: str | list[Any]) -> tuple[tuple[str, float], ...]:
    return () if cell in (NOTHING, []) else tuple((name, _read_number(value)) for name, value in _parse_list_cell(cell))


def _parse_list_cell(cell: str | list[Any]) -> list[Any]:
    """The table stores text, the ledger body a list."""
    return json.loads(cell) if isinstance(cell, str) else cell


def _read_number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _read_truth_value(value: bool | None) -> bool | None:  # noqa: FBT001 - a cell
    return None if value is None else bool(value)


def _drop_non_finite(value: float | None) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
