"""Admission of a policy to a robot by its latency."""

import math

from fieldloop.model.decision import Latency
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import NO_SUBJECT, Note, note
from fieldloop.protocol import Section

CHECK = "serve.latency"


def judge_latency_limit(latency: Latency | None, control_hz: float, settings: Section) -> Finding:
    """Require p99 ≤ min(`max_p99_ms`, `max_period_share` of the control period); too few calls cannot tell.

    Settings: the section `gate`.
    """
    if not (math.isfinite(control_hz) and control_hz > 0):
        return _make_latency_finding(
            Status.CANNOT_TELL, latency, None, note("serve.no_control_rate", control_hz=control_hz)
        )
    limit_ms = min(settings.number("max_p99_ms"), settings.number("max_period_share") * 1e3 / control_hz)
    needed = int(settings["min_latency_calls"])
    if latency is None or not math.isfinite(latency.p99_ms):
        return _make_latency_finding(Status.CANNOT_TELL, latency, limit_ms, note("serve.latency_not_measured"))
    fact = note("serve.latency", p99_ms=latency.p99_ms, limit_ms=limit_ms, control_hz=control_hz)
    if latency.p99_ms > limit_ms:
        return _make_latency_finding(Status.FAILED, latency, limit_ms, fact)
    if latency.calls < needed:
        few = note("serve.too_few_calls", calls=latency.calls, p99_ms=latency.p99_ms, needed=needed)
        return _make_latency_finding(Status.CANNOT_TELL, latency, limit_ms, few)
    return _make_latency_finding(Status.PASSED, latency, limit_ms, fact)


def _make_latency_finding(status: Status, latency: Latency | None, limit_ms: float | None, reason: Note) -> Finding:
    measured = None if latency is None or not math.isfinite(latency.p99_ms) else latency.p99_ms
    return Finding(CHECK, NO_SUBJECT, status, measured, None, limit_ms, "ms", reason=reason)
