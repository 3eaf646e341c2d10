"""Is it fit to learn from? One small function a question.

Code measures, the protocol judges: no check knows a threshold. `measure` asks every question of one episode,
`imprint` keeps what questions about many need, `measure_batch` asks those; `judge` sets the answers against a protocol;
`rows` keeps them, so that a new limit re-judges without opening a log.
"""

from collections.abc import Iterable

from fieldloop.check import batch, corpus, episode
from fieldloop.check import imprint as imprints
from fieldloop.check.case import Case
from fieldloop.check.imprinting import Imprinter, gather, imprint_with
from fieldloop.check.judging import judge_with, report
from fieldloop.check.many import Batch
from fieldloop.check.measuring import measure_with
from fieldloop.check.registry import Check, check, collect
from fieldloop.check.table import from_rows, rows
from fieldloop.model.finding import Finding, Measured
from fieldloop.model.imprint import Imprint
from fieldloop.protocol import CollectionProtocol
from fieldloop.protocol.statements import measuring_fingerprint

CHECKS: dict[str, Check[Case]] = collect(*episode.SUBJECTS)
"""Every question about one episode."""

BATCH_CHECKS: dict[str, Check[Batch]] = collect(*batch.SUBJECTS, *corpus.SUBJECTS)
"""Every question about many episodes."""

IMPRINTERS: tuple[Imprinter, ...] = gather(*imprints.KINDS)
"""Everything that is kept of an episode for questions about many."""

UNITS: dict[str, str] = {name: c.unit for name, c in CHECKS.items()} | {
    name: b.unit for name, b in BATCH_CHECKS.items()
}
"""The unit each check measures in, for `protocol.agree`."""


def revisions() -> dict[str, tuple[str, int]]:
    """Name all that takes something from an open log: a kept measurement by another of these is outdated."""
    asked = {name: (one.unit, one.revision) for name, one in CHECKS.items()}
    return asked | {f"imprint {one.name}": ("", one.revision) for one in IMPRINTERS}


def measure(case: Case, *, pixels: bool = True) -> tuple[Measured, ...]:
    """Ask every check about one episode; one that breaks is reported, never skipped."""
    return measure_with(CHECKS.values(), case, pixels=pixels)


def take_imprint(case: Case, *, pixels: bool = True) -> Imprint:
    """Keep what questions about many will need; without `pixels` nothing is decoded for it."""
    return imprint_with((one for one in IMPRINTERS if pixels or not one.pixels), case)


def measure_batch(many: Batch) -> tuple[Measured, ...]:
    """Ask every check about many episodes."""
    return measure_with(BATCH_CHECKS.values(), many)


def judge(measured: Iterable[Measured], protocol: CollectionProtocol) -> tuple[Finding, ...]:
    """Give every measurement a status under this protocol."""
    return judge_with({**CHECKS, **BATCH_CHECKS}, measured, protocol)


__all__ = [
    "BATCH_CHECKS",
    "CHECKS",
    "IMPRINTERS",
    "UNITS",
    "Batch",
    "Case",
    "Check",
    "check",
    "from_rows",
    "judge",
    "measure",
    "measure_batch",
    "measuring_fingerprint",
    "report",
    "revisions",
    "rows",
    "take_imprint",
]
