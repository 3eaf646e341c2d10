"""Record how attempts ended: one by one, or from a team's own table."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fieldloop.errors import BadInput
from fieldloop.ingest.tables.attempt_files import OutcomeTable, find_telemetry_columns, read_outcome_table
from fieldloop.loop.run.policies import find_policy
from fieldloop.loop.run.possible_outcomes import find_unmapped_conditions, refuse_impossible_outcomes
from fieldloop.loop.work.example_tables import write_example_table, write_template
from fieldloop.loop.work.pasted import open_pasted_table
from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import format_iso_time
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.event import OutcomeRecorded
from fieldloop.model.note import Note, note
from fieldloop.model.policy import FailureClass, Outcome, PolicyVersion, Stage
from fieldloop.say.numbers import format_plural

COLUMNS = ("at", "policy", "stage", "site", "robot", "succeeded", "failure", "cycle_s", "latency_ms", "confidence",
           "interventions", "item")  # fmt: skip
MOST_WRONG = 10
"""A longer list would hide what to mend first."""
NO_IDS: Mapping[str, tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class RecordedOutcomes:
    """How many outcomes were recorded, how many were known already, and how many rows state no result.

    `resolved` of the recorded ones were recorded without a result before, and have one now.
    """

    recorded: int
    known: int
    without_result: int = 0
    notes: tuple[Note, ...] = ()
    resolved: int = 0


def record_outcome_table(
    workspace: Workspace, file: Path, *, policy: str = "", stage: Stage = Stage.PRODUCTION
) -> RecordedOutcomes:
    """Record outcomes from a table: CSV or Parquet with any columns, or JSON lines. Safe to repeat.

    One row is one attempt. `fieldloop monitor template` writes an example. Columns that are not listed there are
    conditions or telemetry. A row that was recorded before is skipped. A row without a result is kept as unknown: it
    counts neither as a success nor as a failure. Record the table again once its result is known.

    Arguments:
        file: the table; its name ends in .csv, .parquet or .jsonl
        policy: the policy of rows that name no policy
        stage: the stage of rows that name no stage: lab, gate, shadow or production
    """
    mapped = workspace.find_newest(Deployment)
    zones = mapped.time_zones if mapped else {}
    telemetry = find_telemetry_columns([file], int(workspace.operations["diagnose"].number("table_levels")))
    table = read_outcome_table(file, policy, stage, telemetry, zones)
    reported = _name_policies_by_id(workspace, table, file.name)
    done = record_outcomes(workspace, reported, table.earlier_ids)
    notes = [note("monitor.time_column", column=table.time_column)] if table.time_column else []
    if table.without_result:
        notes.append(note("monitor.without_result", rows=table.without_result))
    if done.resolved:
        notes.append(note("monitor.resolved", rows=done.resolved))
    if more := find_unmapped_conditions(workspace, reported):
        notes.append(note("monitor.further_conditions", factors=more))
    return dataclasses.replace(done, without_result=table.without_result, notes=tuple(notes))


def record_pasted_outcomes(
    workspace: Workspace, text: str, *, policy: str = "", stage: Stage = Stage.PRODUCTION
) -> RecordedOutcomes:
    """Record outcomes from the text of a table, as a page or another program sends it. Safe to repeat.

    Arguments:
        text: CSV with its header, or JSON lines, as for `monitor record`
        policy: the policy of rows that name no policy
        stage: the stage of rows that name no stage: lab, gate, shadow or production
    """
    with open_pasted_table(text, "pasted table") as file:
        return record_outcome_table(workspace, file, policy=policy, stage=stage)


def _name_policies_by_id(workspace: Workspace, table: OutcomeTable, file_name: str) -> list[Outcome]:
    """Name policies by id, and let rows without a judge be judged by the user; refuse a table with wrong rows."""
    wrong, judge = dict(table.wrong), workspace.actor.id
    ids: dict[str, str | BadInput] = {}
    named: list[Outcome] = []
    lines: list[int] = []
    for line, outcome in zip(table.lines, table.outcomes, strict=True):
        if outcome.policy not in ids:
            ids[outcome.policy] = _find_policy_id(workspace, outcome.policy)
        if isinstance(version := ids[outcome.policy], BadInput):
            wrong[line] = str(version)
            continue
        named.append(dataclasses.replace(outcome, policy=version, judged_by=outcome.judged_by or judge))
        lines.append(line)
    wrong |= {lines[place]: why for place, why in _find_impossible_outcomes(workspace, named).items()}
    if wrong:
        rows = len(table.outcomes) + len(table.wrong)
        listed = "\n".join(f"line {line}: {why}" for line, why in sorted(wrong.items())[:MOST_WRONG])
        more = f"\n… and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
        raise BadInput(
            f"{file_name}: nothing was recorded, {len(wrong)} of {format_plural(rows, 'row')} cannot be used.\n"
            f"{listed}{more}"
        )
    return named


def _find_policy_id(workspace: Workspace, policy: str) -> str | BadInput:
    if not policy:
        return BadInput("The row does not state the policy. Add a column 'policy', or give --policy.")
    try:
        return find_policy(workspace, policy).id
    except BadInput as unknown:
        return unknown


def _find_impossible_outcomes(workspace: Workspace, outcomes: Sequence[Outcome]) -> dict[int, str]:
    """Return why outcomes are refused, by their place; halved where some are, because a table may be long."""
    wrong: dict[int, str] = {}
    parts = [(0, len(outcomes))] if outcomes else []
    while parts:
        start, end = parts.pop()
        try:
            refuse_impossible_outcomes(workspace, outcomes[start:end])
        except BadInput as problem:
            middle = (start + end) // 2
            if end - start == 1:
                wrong[start] = str(problem)
            else:
                parts += [(start, middle), (middle, end)]
    return wrong


def write_outcome_template(workspace: Workspace, *, out: Path | None = None) -> str:
    """Write an example table of outcomes with the conditions of this workspace's map.

    Its example rows begin with "# ", so that `monitor record` does not read them. Add your own rows below them.

    Arguments:
        out: write the table to this new CSV file
    """
    mapped, policy = workspace.find_newest(Deployment), workspace.find_newest(PolicyVersion)
    strata = [exposure.stratum for exposure in mapped.exposures[:1]] if mapped else []
    levels = {factor: level for stratum in strata for factor, level in stratum.levels.items() if factor != "site"}
    usual = {"at": format_iso_time(workspace.clock()), "policy": policy.name if policy else "p1", "robot": "arm-1",
             "site": next((s.level("site") or "" for s in strata), "site-1"), "interventions": "0",
             "stage": Stage.PRODUCTION.value}  # fmt: skip
    article = mapped.skus[0].id if mapped and mapped.skus else ""
    rows = [
        {**usual, **levels, "succeeded": "yes", "cycle_s": "6.2", "latency_ms": "41", "confidence": "0.93"},
        {**usual, **levels, "succeeded": "no", "failure": FailureClass.GRASP.value, "cycle_s": "9.8"},
        {**usual, **levels, "succeeded": "unknown"},
    ]
    columns = [*COLUMNS, *levels]
    text = write_example_table(columns, [[{**row, "item": article}.get(name, "") for name in columns] for row in rows])
    if out is None:
        return text
    write_template(out, text)
    return f"Written to {out}. Add your rows, then run: fieldloop monitor record {out}"


def record_one_outcome(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace,
    policy: str,
    result: Literal["success", "failure", "unknown"],
    *,
    stratum: str = "",
    site: str = "",
    robot: str = "",
    failure: FailureClass | None = None,
    cycle_s: float | None = None,
    confidence: float | None = None,
    latency_ms: float | None = None,
    interventions: int = 0,
    stage: Stage = Stage.PRODUCTION,
    scenario: str = "",
    outcome: str = "",
) -> Outcome:
    """Record how one attempt ended, as a robot or an operator reports it.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        result: success, failure or unknown
        stratum: the conditions of the attempt, such as site=gdansk,lighting=dim
        site: the site of the attempt (default: the stratum's site)
        robot: the robot that made the attempt
        failure: the class of the failure
        cycle_s: seconds from the start of the attempt to its end
        confidence: the policy's confidence, 0 to 1
        latency_ms: how long the policy took to answer
        interventions: how often a person intervened
        stage: lab, gate, shadow or production
        scenario: the gate scenario to which this trial belongs
        outcome: the report's id, so that repeated delivery counts once
    """
    where, at_ns = Stratum.parse(stratum), workspace.clock()
    reported = Outcome(
        id=outcome or workspace.ids.new("outcome"),
        policy=find_policy(workspace, policy).id,
        stratum=where,
        stage=stage,
        site=site or where.level("site") or "",
        robot=robot,
        at_ns=at_ns,
        succeeded={"success": True, "failure": False, "unknown": None}[result],
        judged_by=workspace.actor.id,
        failure=failure,
        scenario=scenario,
        cycle_s=cycle_s,
        confidence=confidence,
        latency_ms=latency_ms,
        interventions=interventions,
    )
    refuse_impossible_outcomes(workspace, [reported])
    record_outcomes(workspace, [reported])
    return workspace.store.get(Outcome, reported.id)


def record_outcomes(
    workspace: Workspace, outcomes: Sequence[Outcome], earlier_ids: Mapping[str, tuple[str, ...]] = NO_IDS
) -> RecordedOutcomes:
    """Record outcomes once each, however often they are delivered; a result replaces an unknown one.

    `earlier_ids` gives further ids under which an outcome of the same policy and stage may be on record.
    """
    ids = {outcome.id for outcome in outcomes} | {name for names in earlier_ids.values() for name in names}
    known = {o.id: o for o in workspace.store.find(Outcome, {"id": sorted(ids)})} if ids else {}
    fresh: dict[str, Outcome] = {}
    resolved = 0
    for outcome in outcomes:
        name = _find_known_id(outcome, earlier_ids.get(outcome.id, ()), known)
        is_resolved = name in known and known[name].succeeded is None and outcome.succeeded is not None
        if name not in known or is_resolved:
            resolved += is_resolved
            fresh.setdefault(name, dataclasses.replace(outcome, id=name))
    if fresh:
        workspace.write(*(OutcomeRecorded(outcome) for outcome in fresh.values()))
    return RecordedOutcomes(len(fresh), len(outcomes) - len(fresh), resolved=resolved)


def _find_known_id(outcome: Outcome, earlier: Sequence[str], known: Mapping[str, Outcome]) -> str:
    """Return the id under which an outcome is on record; its own where it is not."""
    if outcome.id in known:
        return outcome.id
    same = (name for name in earlier if name in known and known[name].policy == outcome.policy)
    return next((name for name in same if known[name].stage is outcome.stage), outcome.id)


def list_outcomes(
    workspace: Workspace, *, policy: str = "", stage: Stage | None = None, limit: int = 100
) -> tuple[Outcome, ...]:
    """List outcomes, the latest attempts first, in whatever order they were recorded.

    Arguments:
        policy: only this policy version (name or id)
        stage: only this stage
        limit: maximum number of outcomes
    """
    version = find_policy(workspace, policy).id if policy else None
    return tuple(workspace.store.views.list_last_outcomes((stage,) if stage else tuple(Stage), version, limit))
