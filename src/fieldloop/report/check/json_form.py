"""The JSON form of a check report, which other programs rely on."""

from collections.abc import Iterable
from typing import Any

from fieldloop.model.codec import to_plain
from fieldloop.model.finding import Finding, Status
from fieldloop.model.fix import Fix
from fieldloop.model.ranking import Look
from fieldloop.model.trend import Series
from fieldloop.report.check.causes import Cause, group_by_cause
from fieldloop.report.check.content import CheckReport, count_episodes_by_protocol
from fieldloop.report.check.look_command import add_moment, list_look_commands
from fieldloop.say.findings import write_finding
from fieldloop.say.spelled import write_fact_fields


def build_report_json(report: CheckReport, *, include_passed: bool = False) -> dict[str, Any]:
    """Return `check/1`: stable, documented, tested; only ever added to.

    `findings` lists all that is not PASSED; what is not applicable and does not count, only where `include_passed` is.
    """
    protocol, causes = report.protocol, group_by_cause(report.episodes, report.dataset)
    commands = list_look_commands(report)
    logs = report.logs or ("",) * len(report.episodes)
    return {
        "schema": "check/1",
        "protocol": {"name": protocol.name, "version": protocol.version, "fingerprint": protocol.fingerprint},
        "episodes": [
            {
                "id": e.episode,
                "name": e.name,
                "status": e.status.value,
                "findings": _build_findings_json(
                    e.findings, include_passed=include_passed, look=commands.get(e.episode, "")
                ),
                "log": log or None,
                "look": commands.get(e.episode),
            }
            for e, log in zip(report.episodes, logs, strict=True)
        ],
        "dataset": {"findings": _build_findings_json(report.dataset, include_passed=include_passed)},
        "status": report.status.value,
        "look_first": [_build_ranked_episode_json(look) for look in report.ranking.looks],
        "length_correlation": to_plain(report.ranking.length_correlation),
        "dimensions": [
            {"dimension": d.dimension.value, "status": d.status.value, "share": d.share, "low": d.low, "high": d.high}
            for d in report.dimensions
        ],
        "trends": [_build_trend_json(series) for series in report.trends],
        "contents": to_plain(report.contents),
        "outdated": report.outdated,
        "causes": [_build_cause_json(cause) for cause in (*causes.failures, *causes.warnings)],
        "judged_by": count_episodes_by_protocol(report.episodes),
    }


def _build_ranked_episode_json(ranked_episode: Look) -> dict[str, Any]:
    reasons = [reason.check for reason in ranked_episode.reasons]
    known = {
        "episode": ranked_episode.episode,
        "name": ranked_episode.name,
        "cost": ranked_episode.cost,
        "at_s": ranked_episode.at_s,
        "reasons": reasons,
    }
    return {
        **known,
        "fixes": [_build_fix_json(fix) for fix in ranked_episode.fixes],
        "link": get_episode_address(ranked_episode.episode, ranked_episode.at_s),
    }


def get_episode_address(episode: str, at_s: float | None = None) -> str:
    """Return where the pages show an episode, at the moment that is meant."""
    return f"/episodes/{episode}" + ("" if at_s is None else f"?at={at_s:.2f}")


def _build_trend_json(series: Series) -> dict[str, Any]:
    named = ("metric", "unit", "batches", "values", "low", "high", "alerts")
    return {name: to_plain(getattr(series, name)) for name in named}


def _build_findings_json(findings: Iterable[Finding], *, include_passed: bool, look: str = "") -> list[dict[str, Any]]:
    """List findings; `look` is the command that opens their episode, to which each adds its moment."""
    return [
        {
            "check": f.check, "subject": f.subject, "status": f.status.value, "measured": f.measured,
            "limit": get_limit_value(f), "unit": f.unit, "message": write_finding(f),
            "interval": None if f.low is None else [f.low, f.high], "at_s": f.at_s, "cost": f.cost,
            "fix": _build_fix_json(f.fix), "code": f.code, "about": f.about.to_plain(),
            "look": add_moment(look, f.at_s) if look and f.at_s is not None else None,
            **write_fact_fields("place", f.place, to_plain), **write_fact_fields("reason", f.reason, to_plain),
        }
        for f in findings
        if f.counts or f.status not in (Status.PASSED, *(() if include_passed else (Status.NOT_APPLICABLE,)))
    ]  # fmt: skip


def _build_fix_json(fix: Fix | None) -> dict[str, Any] | None:
    return None if fix is None else {**to_plain(fix), **write_fact_fields("why", fix.why, to_plain)}


def get_limit_value(finding: Finding) -> float | list[float] | None:
    """Return a number where one side is bounded, two where both are, None where neither is."""
    low, high = finding.minimum, finding.maximum
    if low is not None and high is not None:
        return [low, high]
    return high if low is None else low


def _build_cause_json(cause: Cause) -> dict[str, Any]:
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
