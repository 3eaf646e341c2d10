"""Checks of whether recordings are fit to learn from: one small function per question.

Checks measure, the protocol judges: no check contains a threshold. `measure_episode` runs every check of one episode.
`take_imprint` keeps what checks of many episodes need, and `measure_batch` runs those. `judge_measurements` compares
measurements with a protocol. `table` keeps them, so that a new limit is applied without opening a log.
"""

from collections.abc import Iterable

from fieldloop.check import batch, corpus, episode
from fieldloop.check import imprint as imprints
from fieldloop.check.batch_case import Batch
from fieldloop.check.case import Case
from fieldloop.check.imprinting import Imprinter, collect_imprinters, take_imprint_with
from fieldloop.check.judging import (
    NOT_NAMED,
    is_protocol_named,
    judge_with,
    make_episode_report,
    note_unnamed_episodes,
)
from fieldloop.check.measuring import measure_with
from fieldloop.check.registry import Check, check, collect_checks
from fieldloop.check.table import convert_measurements_to_columns, read_measurements_from_columns
from fieldloop.model.finding import Finding, Measured
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import Note
from fieldloop.protocol import CollectionProtocol
from fieldloop.protocol.statements import fingerprint_measuring_numbers

CHECKS: dict[str, Check[Case]] = collect_checks(*episode.SUBJECTS)
"""Every check of one episode."""

BATCH_CHECKS: dict[str, Check[Batch]] = collect_checks(*batch.SUBJECTS, *corpus.SUBJECTS)
"""Every check of many episodes."""

IMPRINTERS: tuple[Imprinter, ...] = collect_imprinters(*imprints.KINDS)
"""Everything that is kept of an episode for checks of many episodes."""

UNITS: dict[str, str] = {name: c.unit for name, c in CHECKS.items()} | {
    name: b.unit for name, b in BATCH_CHECKS.items()
}
"""The unit each check measures in, for `protocol.agree`."""


def list_code_revisions() -> dict[str, tuple[str, int]]:
    """Return the versions of all code that reads an open log: measurements kept under other versions are outdated."""
    asked = {name: (one.unit, one.revision) for name, one in CHECKS.items()}
    return asked | {f"imprint {one.name}": ("", one.revision) for one in IMPRINTERS}


def measure_episode(case: Case, *, pixels: bool = True) -> tuple[Measured, ...]:
    """Run every check of one episode; one that breaks is reported, never skipped."""
    return measure_with(CHECKS.values(), case, pixels=pixels)


def take_imprint(case: Case, *, pixels: bool = True) -> Imprint:
    """Return the imprint that checks of many episodes need; without `pixels` no picture is decoded."""
    return take_imprint_with((one for one in IMPRINTERS if pixels or not one.pixels), case)


def measure_batch(batch_case: Batch) -> tuple[Measured, ...]:
    """Run every check of many episodes."""
    return measure_with(BATCH_CHECKS.values(), batch_case)


def measure_batch_with(checks: Iterable[Check[Batch]], batch_case: Batch) -> tuple[Measured, ...]:
    """Run some checks of many episodes."""
    return measure_with(checks, batch_case)


def judge_measurements(
    measured: Iterable[Measured], protocol: CollectionProtocol, *, named: bool, why_open: Note = NOT_NAMED
) -> tuple[Finding, ...]:
    """Give every measurement a status under this protocol.

    `named`: these data name a protocol, or one was written for them. Where not, only what no reading explains fails;
    `why_open` is the reason of the rest.
    """
    return judge_with({**CHECKS, **BATCH_CHECKS}, measured, protocol, named=named, why_open=why_open)


__all__ = [
    "BATCH_CHECKS",
    "CHECKS",
    "IMPRINTERS",
    "UNITS",
    "Batch",
    "Case",
    "Check",
    "check",
    "convert_measurements_to_columns",
    "fingerprint_measuring_numbers",
    "is_protocol_named",
    "judge_measurements",
    "list_code_revisions",
    "make_episode_report",
    "measure_batch",
    "measure_batch_with",
    "measure_episode",
    "note_unnamed_episodes",
    "read_measurements_from_columns",
    "take_imprint",
]
