"""Watching production: every outcome, rates with intervals, alarms beyond chance."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Alarm, Watch
from fieldloop.model.codec import from_plain
from fieldloop.model.event import AlarmRaised, OutcomeRecorded
from fieldloop.model.policy import Outcome, Stage


@dataclass(frozen=True, slots=True)
class RecordedOutcomes:
    """How many outcomes were written down, and how many were known already."""

    recorded: int
    known: int


def record(workspace: Workspace, file: Path) -> RecordedOutcomes:
    """Write outcomes down from a file of JSON lines, as robots spool them; known ids are passed over.

    Arguments:
        file: one outcome a line
    """
    return record_outcomes(workspace, [_outcome(n, line) for n, line in enumerate(_lines(file), 1)])


def record_outcomes(workspace: Workspace, outcomes: Sequence[Outcome]) -> RecordedOutcomes:
    """Write outcomes down once each, however often they are delivered."""
    fresh = {o.id: o for o in outcomes if not workspace.store.count(Outcome, {"id": o.id})}
    if fresh:
        workspace.write(*(OutcomeRecorded(outcome) for outcome in fresh.values()))
    return RecordedOutcomes(len(fresh), len(outcomes) - len(fresh))


def outcomes(workspace: Workspace, *, policy: str = "", stage: Stage | None = None, limit: int = 100) -> tuple[Outcome, ...]:
    """List outcomes, newest first.

    Arguments:
        policy: only of one policy version (its id)
        stage: only in one setting
        limit: at most so many
    """
    where: dict[str, Any] = {"policy": policy} if policy else {}
    if stage:
        where["stage"] = stage
    return tuple(workspace.store.find(Outcome, where, newest=True, limit=limit))


def _lines(file: Path) -> list[str]:
    if not file.is_file():
        raise BadInput(f"{file} is not there.")
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def _outcome(number: int, line: str) -> Outcome:
    try:
        return from_plain(Outcome, json.loads(line))
    except (ValueError, KeyError, TypeError, BadInput) as wrong:
        raise BadInput(f"Line {number} is no outcome: {wrong} Nothing was written.") from wrong
