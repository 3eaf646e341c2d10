"""The content of a check report, and the JSON that other programs rely on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fieldloop.model.codec import to_plain
from fieldloop.model.contents import TaskContents
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import Fix
from fieldloop.model.quality import DimensionResult
from fieldloop.model.ranking import Look, Ranking
from fieldloop.model.trend import Series
from fieldloop.protocol import CollectionProtocol
from fieldloop.say.findings import message
from fieldloop.say.numbers import plural
from fieldloop.say.spelled import fact_fields


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was checked, under which protocol, and every answer: by episode and for the dataset as a whole.

    `ranking` lists the episodes to look at first, `dimensions` sums up five dimensions of quality, `trends` are changes
    from batch to batch, `contents` describes each task. `outdated` counts episodes measured with other parameters or
    fewer checks than are in force now. `logs` names the file of each episode, in their order; empty where no file was
    opened.
    """

    source: str
    format: str
    protocol: CollectionProtocol
    episodes: tuple[EpisodeReport, ...]
    dataset: tuple[Finding, ...] = ()
    ranking: Ranking = field(default_factory=Ranking)
    dimensions: tuple[DimensionResult, ...] = ()
    trends: tuple[Series, ...] = ()
    contents: tuple[TaskContents, ...] = ()
    outdated: int = 0
    logs: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """The worst that counts; a log without any episode has not passed."""
        counting = {episode.status for episode in self.episodes} | {f.status for f in self.dataset if f.counts}
        if not self.episodes or Status.NOT_APPLICABLE in counting:
            counting = (counting - {Status.NOT_APPLICABLE}) | {Status.CANNOT_TELL}
        return next(status for status in Status if status in counting)


def judged_by(report: CheckReport) -> str:
    """Name the protocols whose limits were used: that of each episode's task, and that of the dataset as a whole."""
    used = protocols_used(report.episodes)
    if set(used) <= {report.protocol.version_name}:
        return report.protocol.label
    parts = [f"{name} ({plural(count, 'episode')})" for name, count in used.items()]
    return f"{', '.join(parts)}; the dataset as a whole by {report.protocol.label}"


def protocols_used(episodes: Sequence[EpisodeReport]) -> dict[str, int]:
    """Count the episodes that each protocol judged, the most frequent first."""
    return dict(Counter(episode.judged_by for episode in episodes if episode.judged_by).most_common())


def json_object(report: CheckReport) -> dict[str, Any]:
    """Return `check/1`: stable, documented, tested; only ever added to. `findings` lists all that is not PASSED."""
    protocol = report.protocol
    logs = report.logs or ("",) * len(report.episodes)
    return {
        "schema": "check/1",
        "protocol": {"name": protocol.name, "version": protocol.version, "fingerprint": protocol.fingerprint},
        "judged_by": protocols_used(report.episodes),
        "episodes": [
            {
                "id": e.episode,
                "name": e.name,
                "status": e.status.value,
                "findings": _open_findings_json(e.findings),
                "log": log or None,
            }
            for e, log in zip(report.episodes, logs, strict=True)
        ],
        "dataset": {"findings": _open_findings_json(report.dataset)},
        "status": report.status.value,
        "look_first": [_look_json(look) for look in report.ranking.looks],
        "length_correlation": to_plain(report.ranking.length_correlation),
        "dimensions": [
            {"dimension": d.dimension.value, "status": d.status.value, "share": d.share, "low": d.low, "high": d.high}
            for d in report.dimensions
        ],
        "trends": [_trend(series) for series in report.trends],
        "contents": to_plain(report.contents),
        "outdated": report.outdated,
    }


def _look_json(look: Look) -> dict[str, Any]:
    reasons = [reason.check for reason in look.reasons]
    known = {"episode": look.episode, "name": look.name, "cost": look.cost, "at_s": look.at_s, "reasons": reasons}
    return {**known, "fixes": [_fix(fix) for fix in look.fixes], "link": link_to(look.episode, look.at_s)}


def link_to(episode: str, at_s: float | None = None) -> str:
    """Return where the pages show an episode, at the moment that is meant."""
    return f"/episodes/{episode}" + ("" if at_s is None else f"?at={at_s:.2f}")


def _trend(series: Series) -> dict[str, Any]:
    named = ("metric", "unit", "batches", "values", "low", "high", "alerts")
    return {name: to_plain(getattr(series, name)) for name in named}


def _open_findings_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {
            "check": f.check, "subject": f.subject, "status": f.status.value, "measured": f.measured,
            "limit": limit_of(f), "unit": f.unit, "message": message(f),
            "interval": None if f.low is None else [f.low, f.high], "at_s": f.at_s, "cost": f.cost,
            "fix": _fix(f.fix), "code": f.code, "about": f.about.written(),
            **fact_fields("place", f.place, to_plain), **fact_fields("reason", f.reason, to_plain),
        }
        for f in findings
        if f.status is not Status.PASSED
    ]  # fmt: skip


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    return None if fix is None else {**to_plain(fix), **fact_fields("why", fix.why, to_plain)}


def limit_of(finding: Finding) -> float | list[float] | None:
    """Return a number where one side is bounded, two where both are, None where neither is."""
    low, high = finding.minimum, finding.maximum
    if low is not None and high is not None:
        return [low, high]
    return high if low is None else low
