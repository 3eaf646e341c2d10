"""Admission of a policy to a robot by its latency."""

import math

from fieldloop.model.decision import Latency
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import NO_SUBJECT, Note, note
from fieldloop.protocol import Section
from fieldloop.serve.bundle import Bundle

CHECK = "serve.latency"
MS_PER_S = 1e3


def judge_policy_latency(latency: Latency | None, bundle: Bundle, settings: Section) -> Finding:
    """Judge a policy's latency; one that continues chunks must not be later than the delay it was trained for.

    Such a policy acts while it thinks, so that delay takes the place of the share of the control period.
    """
    if bundle.max_delay_steps is None or latency is None or not math.isfinite(latency.p99_ms):
        return judge_latency_limit(latency, bundle.control_hz, settings, bundle.replan_steps or 1)
    steps = math.ceil(latency.p99_ms / MS_PER_S * bundle.control_hz)
    limit_ms = min(settings.number("max_p99_ms"), bundle.max_delay_steps * MS_PER_S / bundle.control_hz)
    if steps > bundle.max_delay_steps:
        fact = note(
            "serve.delay", p99_ms=latency.p99_ms, steps=steps, control_hz=bundle.control_hz,
            trained=bundle.max_delay_steps,
        )  # fmt: skip
        return _make_latency_finding(Status.FAILED, latency, limit_ms, fact)
    # the rate at which the share of the period that the gate allows is exactly this limit
    return judge_latency_limit(latency, MS_PER_S * settings.number("max_period_share") / limit_ms, settings)


def judge_latency_limit(
    latency: Latency | None, control_hz: float, settings: Section, replan_steps: int = 1
) -> Finding:
    """Require p99 ≤ min(`max_p99_ms`, `max_period_share` of the control period); too few calls cannot tell.

    The period that counts is the time between two inferences: a robot that executes `replan_steps` rows of a chunk
    before it asks again has that many steps. Settings: the section `gate`.
    """
    if not (math.isfinite(control_hz) and control_hz > 0):
        return _make_latency_finding(
            Status.CANNOT_TELL, latency, None, note("serve.no_control_rate", control_hz=control_hz)
        )
    limit_ms = min(settings.number("max_p99_ms"), settings.number("max_period_share") * replan_steps * 1e3 / control_hz)
    needed = int(settings["min_latency_calls"])
    if latency is None or not math.isfinite(latency.p99_ms):
        return _make_latency_finding(Status.CANNOT_TELL, latency, limit_ms, note("serve.latency_not_measured"))
    fact = note("serve.latency", p99_ms=latency.p99_ms, limit_ms=limit_ms, control_hz=control_hz)
    if replan_steps > 1:
        fact = note(
            "serve.latency_of_chunks", p99_ms=latency.p99_ms, limit_ms=limit_ms, control_hz=control_hz,
            steps=replan_steps,
        )  # fmt: skip
    if latency.p99_ms > limit_ms:
        return _make_latency_finding(Status.FAILED, latency, limit_ms, fact)
    if latency.calls < needed:
        few = note("serve.too_few_calls", calls=latency.calls, p99_ms=latency.p99_ms, needed=needed)
        return _make_latency_finding(Status.CANNOT_TELL, latency, limit_ms, few)
    return _make_latency_finding(Status.PASSED, latency, limit_ms, fact)


def _make_latency_finding(status: Status, latency: Latency | None, limit_ms: float | None, reason: Note) -> Finding:
    measured = None if latency is None or not math.isfinite(latency.p99_ms) else latency.p99_ms
    return Finding(CHECK, NO_SUBJECT, status, measured, None, limit_ms, "ms", reason=reason)
