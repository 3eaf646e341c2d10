"""Is a policy fast enough to be let onto a robot?"""

import math

from fieldloop.model.decision import Latency
from fieldloop.model.finding import Finding, Status
from fieldloop.protocol import Section

CHECK = "serve.latency"


def admit(latency: Latency | None, control_hz: float, settings: Section) -> Finding:
    """Ask for p99 ≤ min(`max_p99_ms`, `max_period_share` of the control period); too few calls cannot tell.

    Settings: the section `gate`.
    """
    if not (math.isfinite(control_hz) and control_hz > 0):
        return _finding(Status.CANNOT_TELL, latency, None, f"A control rate of {control_hz} Hz sets no limit.")
    limit_ms = min(settings.number("max_p99_ms"), settings.number("max_period_share") * 1e3 / control_hz)
    needed = int(settings["min_latency_calls"])
    if latency is None or not math.isfinite(latency.p99_ms):
        return _finding(Status.CANNOT_TELL, latency, limit_ms, "Nobody measured how long the policy takes to answer.")
    at_rate = f"at {control_hz:g} Hz at most {limit_ms:g} ms are allowed"
    if latency.p99_ms > limit_ms:
        return _finding(Status.FAILED, latency, limit_ms, f"p99 is {latency.p99_ms:.1f} ms; {at_rate}.")
    if latency.calls < needed:
        message = f"p99 of {latency.calls} calls is {latency.p99_ms:.1f} ms; it takes {needed} calls to tell."
        return _finding(Status.CANNOT_TELL, latency, limit_ms, message)
    return _finding(Status.PASSED, latency, limit_ms, f"p99 is {latency.p99_ms:.1f} ms; {at_rate}.")


def _finding(status: Status, latency: Latency | None, limit_ms: float | None, message: str) -> Finding:
    measured = None if latency is None or not math.isfinite(latency.p99_ms) else latency.p99_ms
    return Finding(CHECK, "policy", status, measured, None, limit_ms, "ms", message)
