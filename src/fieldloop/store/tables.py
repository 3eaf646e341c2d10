"""Database tables: the ledger's, which are never dropped, and one projected table per noun, rebuilt by replay."""

import functools
import hashlib
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Integer, MetaData, Table, Text, text
from sqlalchemy.types import TypeEngine

from fieldloop.errors import BadInput
from fieldloop.model.alarm import Alarm
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.codec import to_plain
from fieldloop.model.decision import Decision
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.episode import Blob, Episode, Log, Session
from fieldloop.model.event import (
    EpisodesMeasured,
    LagsMeasured,
    ProtocolLocked,
    SynchronisationVerified,
    TaxonomyLocked,
)
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.hardware import Robot
from fieldloop.model.incident import Incident
from fieldloop.model.intrinsics import Intrinsics
from fieldloop.model.labelling import Adjudication, CalibrationSet, LabelTask, Qualification, SavedLabels, SpotCheck
from fieldloop.model.person import Operator, Provider, Token
from fieldloop.model.plan import Demand, Plan, PlanScore, WorkOrder
from fieldloop.model.policy import Outcome, PolicyVersion
from fieldloop.model.quality import DatasetReport
from fieldloop.model.release import Release
from fieldloop.model.rollout import Rollout
from fieldloop.model.serving import Serving
from fieldloop.model.trial import KeptScenario, TrialPlan, TrialResult, TrialTaken
from fieldloop.model.verification import Verification

PROJECTION = 4
"""Increase it when a projection writes other values into the same columns: stores then rebuild their tables."""

NAME = Text().with_variant(Text(collation="C"), "postgresql")
"""Names sort by bytes on every backend, so that a prefix is a range of the key's index."""

SEQ = BigInteger().with_variant(Integer, "sqlite")

# ── managed by migrations: never dropped ──

kept_for_good = MetaData()

ledger = Table(
    "ledger",
    kept_for_good,
    Column("seq", SEQ, primary_key=True, autoincrement=False),
    Column("at_ns", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("caused_by", BigInteger),
    Column("kind", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Index("ix_ledger_kind_seq", "kind", "seq"),
)

about = Table(
    "about",
    kept_for_good,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

jobs = Table(
    "jobs",
    kept_for_good,
    Column("name", Text, primary_key=True),
    Column("due_ns", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("worker", Text),
    Column("lease_until_ns", BigInteger, nullable=False),
    Column("finished_ns", BigInteger),
    Column("error", Text, nullable=False),
    Index("ix_jobs_finished_ns_due_ns", "finished_ns", "due_ns"),
)

# ── projected from the ledger: can be dropped and rebuilt ──

rebuildable = MetaData()


@dataclass(frozen=True, slots=True)
class NounTable:
    """A noun's table: key columns and filter columns; `body` holds the complete noun."""

    noun: type
    table: Table
    key: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def has_body(self) -> bool:
        """Is the noun stored in `body`, rather than one column per field?"""
        return "body" in self.table.c

    def make_cells(self, noun: Any, extra_columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns of a noun; `extra_columns` supplies columns that are not fields."""
        own = {name: convert_to_column_value(getattr(noun, name)) for name in self.columns if hasattr(noun, name)}
        return own | {name: convert_to_column_value(value) for name, value in extra_columns.items()}


def convert_to_column_value(value: Any) -> Any:
    r"""Return the column value: plain, finite, and text that every database accepts.

    >>> convert_to_column_value("a\x00b"), convert_to_column_value(float("nan"))
    ('a�b', None)
    """
    if type(value) is str and value.isascii() and "\x00" not in value:
        return value  # nearly all of them, and filters may list thousands
    plain = value.sha256 if isinstance(value, Blob) else to_plain(value)
    if isinstance(plain, str) and ("\x00" in plain or not plain.isascii()):
        # the body keeps such text exactly, escaped; a column only serves as a filter
        return plain.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
    return plain


def get_noun_table(noun: type) -> NounTable:
    """Return the table of a noun."""
    if noun not in NOUN_TABLES:
        names = ", ".join(sorted(kind.__name__ for kind in NOUN_TABLES))
        raise BadInput(f"{noun.__name__} is not stored in a table. These are: {names}.")
    return NOUN_TABLES[noun]


@functools.cache
def compute_schema_hash() -> str:
    """Return a fingerprint of the projected tables' schema: columns, keys, indexes and the projection version."""
    digest = hashlib.sha256(f"projection {PROJECTION}\n".encode())
    for table in sorted(rebuildable.tables.values(), key=lambda each: each.name):
        for column in table.c:
            line = f"{table.name}.{column.name} {column.type!r} {column.nullable} {column.primary_key}"
            digest.update(f"{line}\n".encode())
        for index in sorted(str(each.name) for each in table.indexes):
            digest.update(f"{index}\n".encode())
    return digest.hexdigest()[:16]


def _choose_column_type(hint: Any) -> tuple[TypeEngine[Any], bool]:
    optional = get_origin(hint) in (types.UnionType, Union) and type(None) in get_args(hint)
    bare = next(a for a in get_args(hint) if a is not type(None)) if optional else hint
    known: dict[Any, TypeEngine[Any]] = {bool: Boolean(), int: BigInteger(), float: Double()}
    return known.get(bare, NAME), optional


def _define_table(
    noun: type,
    name: str,
    key: Sequence[str] = ("id",),
    filter_columns: Sequence[str] = (),
    extra_columns: Sequence[str] = (),
    indexes: Sequence[str] = (),
) -> NounTable:
    """Define a noun's table; `extra_columns` columns are not fields of the noun."""
    hints = get_type_hints(noun)
    rows: list[Column[Any]] = []
    for column in (*key, *filter_columns, *extra_columns):
        if column in ("seq", "place"):
            continue
        kind, optional = _choose_column_type(hints.get(column, str))
        rows.append(Column(column, kind, primary_key=column in key, nullable=optional or column in extra_columns))
    seq = Column("seq", BigInteger, nullable=False, primary_key="seq" in key, autoincrement=False)
    place = Column("place", Integer, nullable=False, primary_key="place" in key, autoincrement=False)
    ordered = () if "seq" in key else ("seq place",)
    found = [Index(f"ix_{name}_{'_'.join(i.split())}", *i.split()) for i in dict.fromkeys((*indexes, *ordered))]
    table = Table(name, rebuildable, *rows, seq, place, Column("body", Text, nullable=False), *found)
    return NounTable(noun, table, tuple(key), tuple(c.name for c in rows))


UNKNOWN = text("succeeded IS NULL")
"""Few outcomes have no result; a partial index finds those."""

NAMED = text("attempt != ''")
"""Most outcomes have one judge and name no attempt; partial indexes cost them nothing."""

outcomes = Table(
    "outcomes",
    rebuildable,
    Column("id", NAME, nullable=False),
    Column("policy", NAME, nullable=False),
    Column("stratum", NAME, nullable=False),
    Column("stage", NAME, nullable=False),
    Column("site", NAME, nullable=False),
    Column("robot", NAME, nullable=False),
    Column("at_ns", BigInteger, nullable=False),
    Column("succeeded", Boolean),
    Column("judged_by", NAME, nullable=False),
    Column("failure", NAME),
    Column("scenario", NAME, nullable=False),
    Column("cycle_s", Double),
    Column("confidence", Double),
    Column("latency_ms", Double),
    Column("interventions", BigInteger, nullable=False),
    Column("attempt", NAME, nullable=False),
    Column("item", NAME, nullable=False),
    Column("steps", Text, nullable=False),
    Column("facts", Text, nullable=False),
    Column("seq", SEQ, primary_key=True, autoincrement=False),  # SQLite's rowid: no additional index
    Index("ix_outcomes_id", "id", unique=True),
    Index("ix_outcomes_stage_at_ns", "stage", "at_ns"),
    Index("ix_outcomes_stage_seq", "stage", "seq"),
    Index("ix_outcomes_policy_stage_seq", "policy", "stage", "seq"),
    Index("ix_outcomes_unknown", "stage", "at_ns", sqlite_where=UNKNOWN, postgresql_where=UNKNOWN),
    Index("ix_outcomes_named_stage_at_ns", "stage", "at_ns", sqlite_where=NAMED, postgresql_where=NAMED),
    Index(
        "ix_outcomes_named", "attempt", "policy", "site", "robot", "stage", sqlite_where=NAMED, postgresql_where=NAMED
    ),
)

success_hours = Table(
    "success_hours",
    rebuildable,
    Column("stage", NAME, primary_key=True),
    Column("hour", BigInteger, primary_key=True, autoincrement=False),
    Column("policy", NAME, primary_key=True),
    Column("site", NAME, primary_key=True),
    Column("successes", BigInteger, nullable=False),
    Column("episodes", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Sums of outcomes by hour, updated in the transaction that writes them, so that a week is a few thousand rows."""

success_strata = Table(
    "success_strata",
    rebuildable,
    Column("stage", NAME, primary_key=True),
    Column("policy", NAME, primary_key=True),
    Column("site", NAME, primary_key=True),
    Column("stratum", NAME, primary_key=True),
    Column("item", NAME, primary_key=True),
    Column("successes", BigInteger, nullable=False),
    Column("episodes", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Sums of outcomes by policy and conditions, so that coverage reads one row per combination."""

NOUN_TABLES: dict[type, NounTable] = {
    entry.noun: entry
    for entry in (
        _define_table(Token, "tokens", filter_columns=("sha256", "revoked_ns"), indexes=("sha256",)),
        _define_table(ProtocolLocked, "locked_protocols", key=("name", "version"), filter_columns=("fingerprint",)),
        _define_table(Operator, "operators"),
        _define_table(Robot, "robots", filter_columns=("model", "site")),
        _define_table(Provider, "providers", filter_columns=("name",)),
        _define_table(Deployment, "deployments", filter_columns=("task",)),
        _define_table(Audit, "audits", key=("seq",), filter_columns=("deployment", "complete")),
        _define_table(Plan, "plans", filter_columns=("strategy", "drawn_ns")),
        _define_table(PlanScore, "plan_scores", key=("plan", "after"), filter_columns=("status",)),
        _define_table(
            WorkOrder, "work_orders", filter_columns=("plan", "site", "robot", "operator", "stratum"), indexes=("plan",)
        ),
        _define_table(Demand, "demands", filter_columns=("stratum", "source", "at_ns")),
        _define_table(
            SynchronisationVerified,
            "synchronisations",
            key=("seq",),
            filter_columns=("robot", "stream", "at_ns"),
            indexes=("robot stream",),
        ),
        _define_table(
            Session,
            "sessions",
            filter_columns=("site", "robot", "operator", "task", "protocol", "work_order", "opened_ns", "closed_ns"),
        ),
        _define_table(Log, "logs", key=("blob",), filter_columns=("name", "format")),
        _define_table(
            Episode,
            "episodes",
            filter_columns=(
                *("name", "format", "task", "robot", "site", "operator", "session", "provider", "protocol"),
                *("stratum", "start_ns", "end_ns", "simulated", "succeeded", "failure", "set_aside"),
            ),
            extra_columns=("status", "log", "handled", "labels", "words"),
            indexes=(
                *("log", "session", "status seq place", "status set_aside"),
                *("status site stratum handled succeeded", "site stratum"),
            ),
        ),
        _define_table(EpisodesMeasured, "measurements", key=("episode", "blob"), filter_columns=("rows",)),
        _define_table(EpisodeReport, "reports", key=("episode", "protocol"), filter_columns=("name", "status")),
        _define_table(
            DatasetReport,
            "dataset_reports",
            key=("seq",),
            filter_columns=("protocol", "fingerprint", "status", "outdated"),
        ),
        _define_table(
            Calibration,
            "calibrations",
            filter_columns=("kind", "robot", "sensor", "method", "status", "valid_from_ns", "valid_to_ns"),
            indexes=("robot sensor kind",),
        ),
        _define_table(
            Intrinsics,
            "intrinsics",
            filter_columns=("robot", "sensor", "status", "provisional", "valid_from_ns"),
            indexes=("robot sensor",),
        ),
        _define_table(
            Verification,
            "verifications",
            filter_columns=("calibration", "robot", "sensor", "at_ns"),
            indexes=("robot sensor",),
        ),
        _define_table(TaxonomyLocked, "locked_taxonomies", key=("name", "version"), filter_columns=("fingerprint",)),
        _define_table(
            Annotation,
            "annotations",
            key=("episode", "kind", "author", "place"),
            filter_columns=("label",),
            indexes=("label episode",),
        ),
        _define_table(
            SavedLabels,
            "saved_labels",
            key=("episode", "kind", "author", "revision"),
            filter_columns=("submitted",),
        ),
        _define_table(
            LabelTask,
            "label_tasks",
            filter_columns=("episode", "reason", "state", "annotator", "pair", "taken_by", "about"),
            indexes=("episode", "state"),
        ),
        _define_table(CalibrationSet, "calibration_sets", filter_columns=("kind",)),
        _define_table(Qualification, "qualifications", key=("annotator", "calibration"), filter_columns=("status",)),
        _define_table(SpotCheck, "spot_checks", filter_columns=("annotator", "episode", "good")),
        _define_table(Adjudication, "adjudications", filter_columns=("episode", "kind")),
        _define_table(Release, "releases", filter_columns=("name", "protocol")),
        _define_table(LagsMeasured, "release_lags", key=("release", "protocol"), filter_columns=("imprints",)),
        _define_table(PolicyVersion, "policies", filter_columns=("name", "release", "bundle")),
        NounTable(
            Outcome, outcomes, ("id",), tuple(c.name for c in outcomes.c if c.name not in ("steps", "facts", "seq"))
        ),
        _define_table(Decision, "decisions", filter_columns=("policy", "status", "at_ns"), indexes=("policy",)),
        _define_table(Serving, "servings", filter_columns=("address", "moved", "in_force", "at_ns")),
        _define_table(TrialPlan, "trial_plans", filter_columns=("policy", "control", "site"), indexes=("policy",)),
        _define_table(TrialTaken, "trials_taken", key=("plan", "order"), filter_columns=("taken_by", "until_ns")),
        _define_table(TrialResult, "trial_results", key=("plan", "order"), filter_columns=("judged_by", "revision")),
        _define_table(KeptScenario, "kept_scenarios", key=("name",), filter_columns=("source", "policy")),
        _define_table(Rollout, "rollouts", filter_columns=("candidate", "incumbent", "rung"), indexes=("candidate",)),
        _define_table(Alarm, "alarms", filter_columns=("policy", "site", "raised_ns")),
        _define_table(Diagnosis, "diagnoses", filter_columns=("policy", "site", "status", "made_ns")),
        _define_table(
            Incident,
            "incidents",
            filter_columns=("policy", "site", "stratum", "alarm", "alerted_ns"),
            extra_columns=("step",),
        ),
    )
}
"""All nouns with a table. `find` filters on these columns; `seq` is the last event that states the row."""
