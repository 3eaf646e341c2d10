"""Judging measurements by the protocol's limits: one rule for all checks, without numbers of its own."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fieldloop.check.case import NEEDS
from fieldloop.check.registry import Check
from fieldloop.errors import UnknownName
from fieldloop.model.episode import Episode
from fieldloop.model.finding import (
    ASSUMED,
    BEYOND,
    EpisodeReport,
    Finding,
    Measured,
    Measurement,
    Status,
    find_worst_status,
)
from fieldloop.model.note import NO_SUBJECT, Note, Subject, note
from fieldloop.protocol import CollectionProtocol, Limit, SensorRequirement, default_protocol

Asked = tuple[SensorRequirement, ...]
"""The streams that the protocol requires."""

NOTHING = Measurement(NO_SUBJECT, math.nan)
"""The value of a check that broke or had no input."""

NOT_NAMED = note(BEYOND)
"""No protocol is named for these data."""

UNANSWERED = (Status.CANNOT_TELL, Status.ERRORED, Status.NOT_APPLICABLE)


def judge_with(
    checks: Mapping[str, Check[Any]],
    measured: Iterable[Measured],
    protocol: CollectionProtocol,
    *,
    named: bool,
    why_open: Note = NOT_NAMED,
) -> tuple[Finding, ...]:
    """Give every measurement a status under this protocol.

    `named`: it was named for these data. Where it was not, `why_open` is the reason of what only a protocol fails.
    """
    asked = tuple(sensor for sensor in protocol.sensors.values() if sensor.required)
    unnamed = None if named else why_open
    return tuple(finding for one in measured for finding in _judge_check(checks, one, protocol, asked, unnamed))


def is_protocol_named(episodes: Sequence[Episode], protocol: CollectionProtocol) -> bool:
    """Does every one of these episodes name a protocol, or was one written for them?

    The shipped one states nothing about these data. A person's own does, even without numbers of its own.
    """
    if protocol.is_own or protocol.fingerprint != default_protocol().fingerprint:
        return True
    return bool(episodes) and all(episode.protocol for episode in episodes)


def note_unnamed_episodes(episodes: Sequence[Episode]) -> Note:
    """Return the reason of a number about a set that fails only where a protocol is named: how many name none."""
    missing = sum(not episode.protocol for episode in episodes)
    return note(BEYOND, unnamed=missing, episodes=len(episodes)) if missing < len(episodes) else NOT_NAMED


def make_episode_report(episode: Episode, findings: Iterable[Finding], judged_by: str = "") -> EpisodeReport:
    """Combine all findings about one episode; its status is the worst that counts."""
    listed = tuple(findings)
    return EpisodeReport(episode.id, episode.name, find_worst_status(listed), listed, judged_by)


def judge_measurement(measurement: Measurement, limit: Limit, *, named: bool) -> Status:
    """Judge one number, or the interval in which it lies.

    Where no protocol is named, a number fails only beyond the limit for such data, and on evidence that its streams
    have; what is beyond the usual limit alone stays open.
    """
    judged = _judge_by_limit(measurement, limit)
    if named or judged is not Status.FAILED:
        return judged
    if measurement.unproven or limit.without_protocol is None:
        return Status.CANNOT_TELL
    return Status.FAILED if _judge_by_limit(measurement, limit.without_protocol) is judged else Status.CANNOT_TELL


def _judge_by_limit(measurement: Measurement, limit: Limit) -> Status:
    """Judge one number, or the interval in which it lies, by this limit.

    A bad number fails even where a good one would prove nothing: a gap in generated timestamps is a gap, but generated
    timestamps without a gap prove nothing. A number that rests on what a reader assumed never fails.
    """
    if measurement.cannot_tell and measurement.cannot_tell.code == ASSUMED:
        judged = _judge_by_limit(replace(measurement, cannot_tell=None), limit)
        passes = judged is Status.PASSED and not measurement.cannot_tell.details  # else a good number proves nothing
        return Status.PASSED if passes else Status.CANNOT_TELL
    if measurement.low is not None and measurement.high is not None and not measurement.cannot_tell:
        return _judge_interval(measurement.low, measurement.high, limit)
    if math.isfinite(measurement.value) and not limit.admits(measurement.value):
        return Status.FAILED
    if measurement.cannot_tell:
        return Status.CANNOT_TELL
    return Status.PASSED if math.isfinite(measurement.value) else Status.ERRORED


def _judge_interval(low: float, high: float, limit: Limit) -> Status:
    """Return PASSED for an interval wholly inside the limits, FAILED for one wholly outside, else CANNOT_TELL."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return Status.ERRORED
    if limit.admits(low) and limit.admits(high):
        return Status.PASSED
    below = limit.minimum is not None and high < limit.minimum
    above = limit.maximum is not None and low > limit.maximum
    return Status.FAILED if below or above else Status.CANNOT_TELL


def _judge_check(
    checks: Mapping[str, Check[Any]],
    measured: Measured,
    protocol: CollectionProtocol,
    required_streams: Asked,
    unnamed: Note | None,
) -> Iterator[Finding]:
    if measured.check not in protocol.limits:
        raise UnknownName("limit", measured.check, protocol.limits)
    limit, check = protocol.limits[measured.check], checks.get(measured.check)
    named = unnamed is None
    for measurement in measured.measurements:
        status = judge_measurement(measurement, limit, named=named)
        if unnamed and status is not judge_measurement(measurement, limit, named=True):
            yield _make_open_finding(measured.check, measurement, limit, check, unnamed)
            continue
        held_to = _choose_limit(limit, named=named or status is not Status.FAILED)
        required = (
            _is_stream_required(measurement.about, required_streams) if limit.required is None else limit.required
        )
        yield _make_finding(measured.check, measurement, status, held_to, check, required=required)
    if measured.error:
        broke = replace(NOTHING, cannot_tell=note("check.broke", error=measured.error))
        yield _make_finding(measured.check, broke, Status.ERRORED, limit, check, required=True)
    elif not measured.measurements:
        open_ = replace(NOTHING, cannot_tell=measured.reason or note("check.nothing_to_look_at"))
        required = _is_input_required(check, required_streams) if limit.required is None else limit.required
        yield _make_finding(measured.check, open_, Status.NOT_APPLICABLE, limit, check, required=required)


def _choose_limit(limit: Limit, *, named: bool) -> Limit:
    """Return the limit that a failure is beyond, to be shown with it."""
    apart = None if named else limit.without_protocol
    return replace(limit, minimum=apart.minimum, maximum=apart.maximum) if apart else limit


def _make_open_finding(
    name: str, measurement: Measurement, limit: Limit, check: Check[Any] | None, unnamed: Note
) -> Finding:
    """Return the finding of a number beyond a limit that fails only where a protocol is named: look at this."""
    lacks = (measurement.unproven,) if measurement.unproven else ()
    why = replace(measurement, cannot_tell=replace(unnamed, details=lacks))
    finding = _make_finding(name, why, Status.CANNOT_TELL, limit, check, required=limit.required is not False)
    return replace(finding, fix=measurement.fix)


def _make_finding(
    name: str, measurement: Measurement, status: Status, limit: Limit, check: Check[Any] | None, *, required: bool
) -> Finding:
    value = measurement.value if math.isfinite(measurement.value) else None
    failed = status is Status.FAILED
    # a check without a result can keep an episode from passing, but costs nothing
    cost = limit.cost if status in (Status.FAILED, Status.ERRORED) else 0.0
    place, reason = measurement.place, measurement.cannot_tell if status in UNANSWERED else None
    if failed and check and check.place_says_it:
        place, reason = None, measurement.place
    return Finding(
        name, measurement.about, status, value, limit.minimum, limit.maximum, limit.unit, place, reason, required,
        measurement.low, measurement.high, measurement.at_s, measurement.fix if failed else None, cost,
        check.advice if check and failed else "",
    )  # fmt: skip


def _is_stream_required(subject: Subject, required_streams: Asked) -> bool:
    return bool(required_streams) and not {sensor.stream for sensor in required_streams}.isdisjoint(subject.streams)


def _is_input_required(check: Check[Any] | None, required_streams: Asked) -> bool:
    """Does missing input count? Only where the protocol requires a stream of the missing kind."""
    needs = check.needs if check and required_streams else ()
    kinds = {kind.value for need in needs if need != "streams" for kind in NEEDS.get(need, ())}
    return any(sensor.kind in kinds for sensor in required_streams)
