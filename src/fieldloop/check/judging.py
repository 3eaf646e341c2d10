"""Set what was measured against the protocol's limits. Ten lines for all checks; no number of its own."""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from fieldloop.check.case import NEEDS
from fieldloop.check.registry import Check
from fieldloop.errors import UnknownName
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Finding, Measured, Measurement, Status, worst
from fieldloop.protocol import CollectionProtocol, Limit, SensorRequirement

Asked = tuple[SensorRequirement, ...]
"""The streams that the protocol requires."""

PAIR = " ↔ "
"""Joins the names of two streams that a measurement is about."""

SHARE = "share "
NOTHING = Measurement("", math.nan)
"""What a check that broke, or had nothing to look at, measured."""


def judge_with(
    checks: Mapping[str, Check[Any]], measured: Iterable[Measured], protocol: CollectionProtocol
) -> tuple[Finding, ...]:
    """Give every measurement a status under this protocol."""
    asked = tuple(sensor for sensor in protocol.sensors.values() if sensor.required)
    return tuple(finding for one in measured for finding in _judge(checks, one, protocol, asked))


def report(episode: Episode, findings: Iterable[Finding], judged_by: str = "") -> EpisodeReport:
    """Put all answers about one episode together; its status is the worst that counts."""
    listed = tuple(findings)
    return EpisodeReport(episode.id, episode.name, worst(listed), listed, judged_by)


def status_of(measurement: Measurement, limit: Limit) -> Status:
    """Judge one number, or the interval in which it lies.

    A bad number fails even where a good one would prove nothing: made-up stamps that show a gap have one, made-up
    stamps that show none tell nothing.
    """
    if measurement.low is not None and measurement.high is not None and not measurement.cannot_tell:
        return _status_of_interval(measurement.low, measurement.high, limit)
    if math.isfinite(measurement.value) and not limit.admits(measurement.value):
        return Status.FAILED
    if measurement.cannot_tell:
        return Status.CANNOT_TELL
    return Status.PASSED if math.isfinite(measurement.value) else Status.ERRORED


def _status_of_interval(low: float, high: float, limit: Limit) -> Status:
    """Only an interval that lies wholly inside passes, only one wholly outside fails."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return Status.ERRORED
    if limit.admits(low) and limit.admits(high):
        return Status.PASSED
    below = limit.minimum is not None and high < limit.minimum
    above = limit.maximum is not None and low > limit.maximum
    return Status.FAILED if below or above else Status.CANNOT_TELL


def _judge(
    checks: Mapping[str, Check[Any]], measured: Measured, protocol: CollectionProtocol, asked: Asked
) -> Iterator[Finding]:
    if measured.check not in protocol.limits:
        raise UnknownName("limit", measured.check, protocol.limits)
    limit, check = protocol.limits[measured.check], checks.get(measured.check)
    for measurement in measured.measurements:
        status = status_of(measurement, limit)
        message = _message(measurement, limit, status, check)
        required = _asked_for(measurement.subject, asked) if limit.required is None else limit.required
        yield _finding(measured.check, measurement, status, limit, message, required=required)
    if measured.error:
        broke = f"The check broke: {measured.error}."
        yield _finding(measured.check, NOTHING, Status.ERRORED, limit, broke, required=True)
    elif not measured.measurements:
        reason = measured.reason or "Nothing here answers this question."
        required = _needs_asked_for(check, asked) if limit.required is None else limit.required
        yield _finding(measured.check, NOTHING, Status.NOT_APPLICABLE, limit, reason, required=required)


def _finding(check: str, of: Measurement, status: Status, limit: Limit, message: str, *, required: bool) -> Finding:
    value = of.value if math.isfinite(of.value) else None
    fix = of.fix if status is Status.FAILED else None
    # a question without an answer stands in the way, but nobody knows that it cost anything
    cost = limit.cost if status in (Status.FAILED, Status.ERRORED) else 0.0
    return Finding(
        check, of.subject, status, value, limit.minimum, limit.maximum, limit.unit, message, required,
        of.low, of.high, of.at_s, fix, cost,
    )  # fmt: skip


def _message(measurement: Measurement, limit: Limit, status: Status, check: Check[Any] | None) -> str:
    """Say value, place, limit and what to do, as far as each is there."""
    subject = f"{measurement.subject}: " if measurement.subject else ""
    place = f" {measurement.place}" if measurement.place else ""
    advice = check.advice if check else ""
    match status:
        case Status.CANNOT_TELL if not measurement.cannot_tell:
            return f"{_told(measurement, limit)} The truth may lie on either side of the limit."
        case Status.CANNOT_TELL:
            return f"{subject}{measurement.cannot_tell}"
        case Status.ERRORED:
            return f"{subject}the check gave no number{place}."
        case Status.FAILED if check and check.place_says_it and measurement.place:
            return f"{subject}{measurement.place} {advice}".rstrip()
        case Status.FAILED:
            return f"{_told(measurement, limit)} {advice}".rstrip()
        case _:
            return _told(measurement, limit)


def _told(measurement: Measurement, limit: Limit) -> str:
    subject = f"{measurement.subject}: " if measurement.subject else ""
    place = f" {measurement.place}" if measurement.place else ""
    amount = f"{_amount(measurement.value, limit.unit)}{_interval(measurement, limit.unit)}"
    return f"{subject}{amount}{place}, {_allowed(limit.unit, limit.minimum, limit.maximum)} allowed."


def _interval(measurement: Measurement, unit: str) -> str:
    if measurement.low is None or measurement.high is None:
        return ""
    low, high = (_round(100 * end if unit.startswith(SHARE) else end) for end in (measurement.low, measurement.high))
    return f" ({low} to {high}{' %' if unit.startswith(SHARE) else ''})"


def _amount(value: float, unit: str) -> str:
    """Write a value with its unit; shares as percent.

    >>> _amount(0.25, "share of frames"), _amount(7.0, "missing periods")
    ('25 % of frames', '7 missing periods')
    """
    if unit.startswith(SHARE):
        return f"{_round(100 * value)} % {unit.removeprefix(SHARE)}"
    return f"{_round(value)} {unit}"


@cache
def _allowed(unit: str, minimum: float | None, maximum: float | None) -> str:
    """Say a limit without its unit, which stands beside the value already."""
    share = unit.startswith(SHARE)
    low, high = (None if b is None else _round(100 * b if share else b) for b in (minimum, maximum))
    sign = " %" if share else ""
    if low is not None and high is not None:
        return f"{low} to {high}{sign}"
    return f"at most {high}{sign}" if low is None else f"at least {low}{sign}"


def _round(value: float) -> str:
    """Write a number to four digits, or whole where it is whole.

    >>> _round(7.0), _round(0.033333), _round(12345.678)
    ('7', '0.03333', '12346')
    """
    return f"{value:.0f}" if value == round(value) or abs(value) >= 10_000 else f"{value:.4g}"  # noqa: PLR2004 - digits shown


def _asked_for(subject: str, asked: Asked) -> bool:
    return bool(asked) and not {sensor.stream for sensor in asked}.isdisjoint(subject.split(PAIR))


def _needs_asked_for(check: Check[Any] | None, asked: Asked) -> bool:
    """Having nothing to look at counts where the protocol requires a stream of the kind that is missing."""
    needs = check.needs if check and asked else ()
    kinds = {kind.value for need in needs if need != "streams" for kind in NEEDS.get(need, ())}
    return any(sensor.kind in kinds for sensor in asked)
