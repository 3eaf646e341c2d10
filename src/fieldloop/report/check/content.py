"""All answers about a log, and the JSON that other programs rely on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.protocol import CollectionProtocol


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was checked, under which protocol, and every answer: by episode and for the dataset as a whole.

    `outdated` counts episodes that were measured by other parameters or fewer checks than are in force now.
    """

    source: str
    format: str
    protocol: CollectionProtocol
    episodes: tuple[EpisodeReport, ...]
    dataset: tuple[Finding, ...] = ()
    outdated: int = 0

    @property
    def status(self) -> Status:
        """The worst that counts; a log without any episode has not passed."""
        counting = {episode.status for episode in self.episodes} | {f.status for f in self.dataset if f.counts}
        if not self.episodes or Status.NOT_APPLICABLE in counting:
            counting = (counting - {Status.NOT_APPLICABLE}) | {Status.CANNOT_TELL}
        return next(status for status in Status if status in counting)


def json_object(report: CheckReport) -> dict[str, Any]:
    """Return `check/1`: stable, documented, tested. `findings` lists everything that is not PASSED."""
    protocol = report.protocol
    return {
        "schema": "check/1",
        "protocol": {"name": protocol.name, "version": protocol.version, "fingerprint": protocol.fingerprint},
        "episodes": [
            {"id": e.episode, "name": e.name, "status": e.status.value, "findings": _open(e.findings)}
            for e in report.episodes
        ],
        "dataset": {"findings": _open(report.dataset)},
    }


def _open(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {
            "check": f.check, "subject": f.subject, "status": f.status.value, "measured": f.measured,
            "limit": limit_of(f), "unit": f.unit, "message": f.message,
        }
        for f in findings
        if f.status is not Status.PASSED
    ]  # fmt: skip


def limit_of(finding: Finding) -> float | list[float] | None:
    """Return a number where one side is bounded, two where both are, None where neither is."""
    low, high = finding.minimum, finding.maximum
    if low is not None and high is not None:
        return [low, high]
    return high if low is None else low
