"""Reads a case: the records of one policy as plain files in a folder.

`deployment.toml` and `skus.csv` are the map; `demonstrations`, `baseline` and `production` are tables (.jsonl or .csv);
`lags.json` and `agreements.json` are measurements of the data, `columns.toml` states what columns are, where there are
any. Only production is required.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fieldloop.audit import parse_deployment_map
from fieldloop.errors import BadInput
from fieldloop.ingest.tables.attempt_files import find_telemetry_columns, read_demonstrations, read_outcomes
from fieldloop.ingest.tables.column_roles import ColumnRoles, infer_column_roles
from fieldloop.ingest.tables.doubled_rows import find_doubled_rows
from fieldloop.ingest.tables.measured_facts import read_agreements, read_lags
from fieldloop.ingest.tables.outcome_columns import parse_outcome_columns
from fieldloop.ingest.tables.table_rows import TABLES
from fieldloop.ingest.tables.text_columns import TextTable, read_text_table
from fieldloop.model.agreement import Agreement
from fieldloop.model.deployment import Deployment, add_tier_to_episodes, add_tier_to_table
from fieldloop.model.diagnosis import Column, Lag, Role
from fieldloop.model.episode import Episode
from fieldloop.model.note import Note
from fieldloop.model.outcome_columns import list_texts
from fieldloop.model.policy import Outcome, Stage
from fieldloop.protocol import Operations
from fieldloop.text_files import read_text

POLICY = "policy"
"""Name of a policy that the table does not name."""
ENDINGS = (".jsonl", ".csv", ".parquet")
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Case:
    """Contents of a folder: the map, demonstrations, and outcomes before and in production."""

    policy: str
    production: Sequence[Outcome]
    baseline: Sequence[Outcome]
    demonstrations: tuple[Episode, ...] | None
    deployment: Deployment | None
    lags: tuple[Lag, ...]
    agreements: tuple[Agreement, ...]
    doubts: tuple[Note, ...] = ()
    """What looks wrong in the tables but can be right."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Roles of columns that the folder states."""
    columns: tuple[Column, ...] = ()
    """Columns that were read under another name."""


def read_case(folder: Path, operations: Operations) -> Case:
    """Read a folder; missing files leave their facts unknown."""
    if not folder.is_dir():
        raise BadInput(
            f"{folder} is not a folder. A case is a folder that contains production.jsonl or production.csv."
        )
    shown, before, after = (_find_table(folder, name) for name in ("demonstrations", "baseline", "production"))
    if after is None:
        there = ", ".join(sorted(f.name for f in folder.iterdir() if f.is_file())[:SHOWN]) or "nothing"
        raise BadInput(
            f"{folder} has neither production.jsonl nor production.csv (one row an attempt). It contains {there}."
        )
    deployment = _read_map(folder, operations)
    zones = deployment.time_zones if deployment else {}
    few = int(operations["diagnose"].number("table_levels"))
    tables = [table for table in (shown, before, after) if table]
    opened = {table: read_text_table(table) for table in tables if table.suffix in TABLES}
    roles = infer_column_roles(folder, opened, int(operations["diagnose"].number("item_levels")))
    opened = {file: roles.rename_table(table) for file, table in opened.items()}
    telemetry = find_telemetry_columns(tables, few, roles, opened)
    production = _parse_outcomes(after, opened, POLICY, Stage.PRODUCTION, telemetry, zones, roles)
    policy = production[0].policy
    baseline = _parse_outcomes(before, opened, policy, Stage.LAB, telemetry, zones, roles) if before else []
    _refuse_other_policies(after, production, before, baseline)
    limits = operations["audit"]
    return Case(
        policy,
        add_tier_to_table(production, deployment),
        add_tier_to_table(baseline, deployment),
        add_tier_to_episodes(read_demonstrations(shown, telemetry, zones, roles), deployment) if shown else None,
        deployment,
        read_lags(folder / "lags.json"),
        read_agreements(folder / "agreements.json"),
        (
            *find_doubled_rows(production, after.name, limits),
            *(find_doubled_rows(baseline, before.name, limits) if before else ()),
        ),
        roles.stated,
        roles.columns,
    )


def _parse_outcomes(
    file: Path,
    opened: dict[Path, TextTable],
    policy: str,
    stage: Stage,
    telemetry: frozenset[str],
    zones: Mapping[str, str],
    roles: ColumnRoles,
) -> Sequence[Outcome]:
    if table := opened.pop(file, None):  # its texts are not needed afterwards
        return parse_outcome_columns(table, policy, stage, telemetry, zones, roles)
    return read_outcomes(file, policy, stage, telemetry, zones, roles)


def _refuse_other_policies(
    after: Path, production: Sequence[Outcome], before: Path | None, baseline: Sequence[Outcome]
) -> None:
    """Refuse rows of another policy or stage: silently left out or counted, they would make the answer wrong."""
    policies = sorted(list_texts(production, "policy"))
    if len(policies) > 1:
        raise BadInput(
            f"{after.name} has attempts of {_shorten_list(policies)}. A case holds one policy: keep the rows of one, "
            f"and put the others into folders of their own. (A row without a policy counts as {POLICY!r}.)"
        )
    if list_texts(production, "stage") != {Stage.PRODUCTION.value}:
        elsewhere = [one for one in production if one.stage is not Stage.PRODUCTION]
        first = elsewhere[0]
        raise BadInput(
            f"{after.name}: {len(elsewhere)} of {len(production)} attempts were not made in production; {first.id} has "
            f"stage = {first.stage.value}. Move laboratory and gate trials to the baseline, and remove the others."
        )
    strange = sorted(list_texts(baseline, "policy") - set(policies))
    if before and strange:
        raise BadInput(
            f"{before.name} has trials of {_shorten_list(strange)}, but {after.name} is of {policies[0]}: a policy is "
            "compared with its own trials."
        )


def _shorten_list(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _find_table(folder: Path, name: str) -> Path | None:
    there = [folder / f"{name}{ending}" for ending in ENDINGS if (folder / f"{name}{ending}").is_file()]
    if len(there) > 1:
        raise BadInput(f"{folder} has {' and '.join(f.name for f in there)}; keep one of them.")
    return there[0] if there else None


def _read_map(folder: Path, operations: Operations) -> Deployment | None:
    chart, catalogue = folder / "deployment.toml", folder / "skus.csv"
    if not chart.is_file():
        return None
    skus = read_text(catalogue) if catalogue.is_file() else ""
    return parse_deployment_map(read_text(chart), skus, operations["audit"])
