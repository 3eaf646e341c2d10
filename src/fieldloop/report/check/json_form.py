"""The JSON form of a check report, which other programs rely on."""

from collections.abc import Iterable
from typing import Any

from fieldloop.model.codec import to_plain
from fieldloop.model.finding import Finding, Status
from fieldloop.model.fix import Fix
from fieldloop.model.ranking import Look
from fieldloop.model.trend import Series
from fieldloop.report.check.causes import Cause, group_by_cause
from fieldloop.report.check.content import CheckReport, protocols_used
from fieldloop.say.findings import message
from fieldloop.say.spelled import fact_fields


def json_object(report: CheckReport, *, everything: bool = False) -> dict[str, Any]:
    """Return `check/1`: stable, documented, tested; only ever added to.

    `findings` lists all that is not PASSED; what is not applicable and does not count, only where `everything` is.
    """
    protocol, causes = report.protocol, group_by_cause(report.episodes, report.dataset)
    logs = report.logs or ("",) * len(report.episodes)
    return {
        "schema": "check/1",
        "protocol": {"name": protocol.name, "version": protocol.version, "fingerprint": protocol.fingerprint},
        "episodes": [
            {
                "id": e.episode,
                "name": e.name,
                "status": e.status.value,
                "findings": _open_findings_json(e.findings, everything=everything),
                "log": log or None,
            }
            for e, log in zip(report.episodes, logs, strict=True)
        ],
        "dataset": {"findings": _open_findings_json(report.dataset, everything=everything)},
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
        "causes": [_cause_json(cause) for cause in (*causes.failures, *causes.warnings)],
        "judged_by": protocols_used(report.episodes),
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


def _open_findings_json(findings: Iterable[Finding], *, everything: bool) -> list[dict[str, Any]]:
    return [
        {
            "check": f.check, "subject": f.subject, "status": f.status.value, "measured": f.measured,
            "limit": limit_of(f), "unit": f.unit, "message": message(f),
            "interval": None if f.low is None else [f.low, f.high], "at_s": f.at_s, "cost": f.cost,
            "fix": _fix(f.fix), "code": f.code, "about": f.about.written(),
            **fact_fields("place", f.place, to_plain), **fact_fields("reason", f.reason, to_plain),
        }
        for f in findings
        if f.counts or f.status not in (Status.PASSED, *(() if everything else (Status.NOT_APPLICABLE,)))
    ]  # fmt: skip


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    return None if fix is None else {**to_plain(fix), **fact_fields("why", fix.why, to_plain)}


def limit_of(finding: Finding) -> float | list[float] | None:
    """Return a number where one side is bounded, two where both are, None where neither is."""
    low, high = finding.minimum, finding.maximum
    if low is not None and high is not None:
        return [low, high]
    return high if low is None else low


def _cause_json(cause: Cause) -> dict[str, Any]:
    return {
        "check": cause.check,
        "status": cause.status.value,
        "harm": cause.harm,
        "about": list(cause.subjects),
        "findings": len(cause.places),
        "worst": cause.worst.measured,
        "unit": cause.worst.unit,
        "episodes": [{"id": one.episode, "name": one.name} for one in cause.episodes],
    }
