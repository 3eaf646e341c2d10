"""Verified clocks: record measured offsets of devices, and require them for a release."""

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from fieldloop.errors import BadInput, ProtocolError, Refused, UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import SynchronisationVerified
from fieldloop.model.finding import Finding, Status
from fieldloop.model.hardware import Robot
from fieldloop.model.note import Subject
from fieldloop.model.quality import DatasetReport
from fieldloop.protocol import Unverified, list_unverified_devices
from fieldloop.protocol.synchronisation import SyncVerification
from fieldloop.say import write_sentence
from fieldloop.say.findings import write_without_subject
from fieldloop.say.refusals import write_refusal

CONTENT = "batch.content_lag"
"""The check that estimates a camera's lag over all episodes of a rig; its subject names stream and rig."""
MOST_NAMED = 3


def verify_device_clock(
    workspace: Workspace,
    stream: str,
    *,
    robot: str = "",
    offset_ms: float | None = None,
    how: str = "",
    from_content: bool = False,
) -> SynchronisationVerified:
    """Record how far a device's timestamps are off, measured end to end.

    Arguments:
        stream: the stream the device fills, such as camera/wrist
        robot: the robot to which the device belongs; empty for episodes without a robot
        offset_ms: the largest measured offset, in milliseconds
        how: how the offset was measured, such as a lamp and the encoders
        from_content: use the lag that the last check estimated from pictures and joints
    """
    if from_content:
        if offset_ms is not None:
            raise BadInput("--from-content provides the offset. Leave --offset-ms out.")
        offset_ms, source = _find_content_lag_ms(workspace, stream, robot)
        how = how or source
    if offset_ms is None or not math.isfinite(offset_ms):
        raise BadInput("Give the measured offset: --offset-ms 1.2 --how '…', or --from-content.")
    if not stream.strip() or not how.strip():
        raise BadInput("A verification needs the stream and how it was measured: --how 'a lamp and the encoders'.")
    _refuse_unknown_names(workspace, stream, robot)
    return record_offset(workspace, stream, robot, offset_ms, how)


def record_offset(workspace: Workspace, stream: str, robot: str, offset_ms: float, how: str) -> SynchronisationVerified:
    """Record a measured offset."""
    made = SynchronisationVerified(stream, robot, abs(offset_ms), how, workspace.clock())
    workspace.write(made)
    return made


def _refuse_unknown_names(workspace: Workspace, stream: str, robot: str) -> None:
    """Refuse unknown names: a misspelt one would verify nothing, unnoticed."""
    registered = [one.id for one in workspace.store.find(Robot)]
    if robot and registered and robot not in registered and not workspace.store.find(Episode, {"robot": robot}):
        raise UnknownName("robot", robot, registered)
    declared: set[str] = set()
    for task in workspace.protocols:
        with suppress(ProtocolError):  # an unreadable protocol must not block a measurement
            protocol = workspace.protocol(task)
            declared |= {*protocol.sensors, *protocol.synchronisation}
    if declared and stream not in declared:
        raise UnknownName("stream of the protocols", stream, declared, ", ".join(sorted(declared)))


def list_unverified_devices_of_robot(
    workspace: Workspace, robot: str, *, task: str = "", at_ns: int | None
) -> list[Unverified]:
    """List the devices of a robot with unverified clocks, under the protocol of a task."""
    known = workspace.store.find(SynchronisationVerified, {"robot": robot})
    measured = [SyncVerification(one.stream, one.at_ns, one.offset_ms, one.how) for one in known]
    return list_unverified_devices(workspace.protocol(task), measured, at_ns=at_ns)


def require_verified_clocks(workspace: Workspace, episodes: Iterable[Episode], override: str) -> str:
    """Refuse episodes of devices with unverified clocks; return the override, if one was given.

    The result is '' where all clocks are verified. The age of a verification counts up to the last episode.
    """
    last: dict[tuple[str, str], int] = {}
    for one in episodes:
        last[one.robot, one.task] = max(one.end_ns, last.get((one.robot, one.task), 0))
    unverified_clocks = [
        (robot, device)
        for (robot, task), at_ns in sorted(last.items())
        for device in list_unverified_devices_of_robot(workspace, robot, task=task, at_ns=at_ns)
    ]
    if not unverified_clocks:
        return ""
    if override.strip():
        names = ", ".join(dict.fromkeys(_name_device(robot, device) for robot, device in unverified_clocks))
        return f"{override.strip()} (not verified: {names}; overridden by {workspace.actor.id})"
    listed = [
        f"{_name_device(robot, device)}: {write_sentence(device.reason)}"
        for robot, device in unverified_clocks[:MOST_NAMED]
    ]
    listed += [f"And {len(unverified_clocks) - MOST_NAMED} more."] if len(unverified_clocks) > MOST_NAMED else []
    why = write_refusal(
        "Release refused, because clocks of these devices were never verified or are out of limits",
        listed,
        "Record a measurement: fieldloop collect synchronise STREAM --robot … --offset-ms … --how …",
        "To release anyway, give a reason: --override",
    )
    raise Refused(
        why,
        (replace(device.reason, subject=Subject(device.stream, robot=robot)) for robot, device in unverified_clocks),
    )


def _name_device(robot: str, device: Unverified) -> str:
    return f"{device.stream} of {robot}" if robot else device.stream


def _find_content_lag_ms(workspace: Workspace, stream: str, robot: str) -> tuple[float, str]:
    """Return the farthest that the stream can be off by what was seen, and what that rests on."""
    known = workspace.find_newest(DatasetReport)
    if known is None:
        raise Refused("No lag was estimated from content yet. Run `fieldloop check` first.")
    about = Subject(stream=stream, rig=robot)
    findings = [f for f in known.findings if f.check == CONTENT and f.about == about]
    if not findings:
        of = f" of {robot}" if robot else ""
        raise Refused(f"The last check has no lag of {stream}{of} from content. Run `fieldloop check` again.")
    if unclear := next((f for f in findings if f.status is not Status.PASSED), None):
        raise Refused(f"The content does not verify {stream}: {write_without_subject(unclear)}")
    return max(map(_compute_farthest_ms, findings)), f"estimated from content: {write_without_subject(findings[0])}"


def _compute_farthest_ms(finding: Finding) -> float:
    ends = (finding.low, finding.high, finding.measured)
    return max((abs(end) for end in ends if end is not None and math.isfinite(end)), default=math.nan)
