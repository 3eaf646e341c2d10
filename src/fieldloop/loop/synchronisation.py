"""Is each device's time verified end to end? Written down when somebody measured it; nothing is released without."""

import math
from collections.abc import Iterable
from contextlib import suppress

from fieldloop.errors import BadInput, ProtocolError, Refused, UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import SynchronisationVerified
from fieldloop.model.finding import Finding, Status
from fieldloop.model.hardware import Robot
from fieldloop.model.quality import DatasetReport
from fieldloop.protocol import Unverified, unverified
from fieldloop.protocol.synchronisation import SyncVerification

CONTENT = "batch.content_lag"
"""The check that tells a camera's lag over all episodes of a rig; its subject is `robot camera (how many)`."""
MOST_NAMED = 3


def synchronise(
    workspace: Workspace,
    stream: str,
    *,
    robot: str = "",
    offset_ms: float | None = None,
    how: str = "",
    from_content: bool = False,
) -> SynchronisationVerified:
    """Write down how far a device's stamps are off, measured end to end.

    Arguments:
        stream: the stream the device fills, such as camera/wrist
        robot: whose device; without it, of episodes that name no robot
        offset_ms: the largest offset that was measured, in milliseconds
        how: how it was measured, such as a lamp and the encoders
        from_content: take what the episodes' own pictures and joints told when they were last checked
    """
    if from_content:
        if offset_ms is not None:
            raise BadInput("--from-content brings its own offset; leave --offset-ms out.")
        offset_ms, told = _content_lag(workspace, stream, robot)
        how = how or told
    if offset_ms is None or not math.isfinite(offset_ms):
        raise BadInput("Say what was measured: --offset-ms 1.2 --how '…', or --from-content.")
    if not stream.strip() or not how.strip():
        raise BadInput("A verification needs the stream and how it was measured: --how 'a lamp and the encoders'.")
    _refuse_unknown(workspace, stream, robot)
    return write_down(workspace, stream, robot, offset_ms, how)


def write_down(workspace: Workspace, stream: str, robot: str, offset_ms: float, how: str) -> SynchronisationVerified:
    """Keep a measurement, whoever made it."""
    made = SynchronisationVerified(stream, robot, abs(offset_ms), how, workspace.clock())
    workspace.write(made)
    return made


def _refuse_unknown(workspace: Workspace, stream: str, robot: str) -> None:
    """A slip of the pen would verify nothing, and nobody would know: nothing ever asks for that name."""
    registered = [one.id for one in workspace.store.find(Robot)]
    if robot and registered and robot not in registered and not workspace.store.find(Episode, {"robot": robot}):
        raise UnknownName("robot", robot, registered)
    declared: set[str] = set()
    for task in workspace.protocols:
        with suppress(ProtocolError):  # one that cannot be read is no reason to refuse a measurement
            protocol = workspace.protocol(task)
            declared |= {*protocol.sensors, *protocol.synchronisation}
    if declared and stream not in declared:
        raise UnknownName("stream of the protocols", stream, declared, ", ".join(sorted(declared)))


def unverified_devices(workspace: Workspace, robot: str, *, task: str = "", at_ns: int | None) -> list[Unverified]:
    """List the devices of a robot whose time may not be relied on, under the protocol of a task."""
    known = workspace.store.find(SynchronisationVerified, {"robot": robot})
    measured = [SyncVerification(one.stream, one.at_ns, one.offset_ms, one.how) for one in known]
    return unverified(workspace.protocol(task), measured, at_ns=at_ns)


def require_verified(workspace: Workspace, episodes: Iterable[Episode], override: str) -> str:
    """Refuse episodes of devices whose time nobody verified; return who went on over that and why.

    All is well where that is ''. A verification is too old where it was so when the last of the episodes was recorded.
    """
    last: dict[tuple[str, str], int] = {}
    for one in episodes:
        last[one.robot, one.task] = max(one.end_ns, last.get((one.robot, one.task), 0))
    found = [
        (robot, device)
        for (robot, task), at_ns in sorted(last.items())
        for device in unverified_devices(workspace, robot, task=task, at_ns=at_ns)
    ]
    if not found:
        return ""
    if override.strip():
        names = ", ".join(dict.fromkeys(_named(robot, device) for robot, device in found))
        return f"{override.strip()} (not verified: {names}; overridden by {workspace.actor.id})"
    told = " ".join(f"{_named(robot, device)}: {device.reason}" for robot, device in found[:MOST_NAMED])
    more = f" And {len(found) - MOST_NAMED} more." if len(found) > MOST_NAMED else ""
    raise Refused(
        f"Nothing is released whose time nobody verified. {told}{more} Write a measurement down with `fieldloop "
        "collect synchronise STREAM --robot … --offset-ms … --how …`, or go on knowingly with --override 'why'."
    )


def _named(robot: str, device: Unverified) -> str:
    return f"{device.stream} of {robot}" if robot else device.stream


def _content_lag(workspace: Workspace, stream: str, robot: str) -> tuple[float, str]:
    """Return the farthest that the stream can be off by what was seen, and what that rests on."""
    known = workspace.newest(DatasetReport)
    if known is None:
        raise Refused("Nothing was told from content yet: run `fieldloop check` first.")
    rig = f"{robot or 'unnamed robot'} {stream}"
    own = [f for f in known.findings if f.check == CONTENT and f.subject.partition(" (")[0] == rig]
    if not own:
        raise Refused(f"The last check tells nothing of {stream}{f' of {robot}' if robot else ''} from its content.")
    if unclear := next((f for f in own if f.status is not Status.PASSED), None):
        raise Refused(f"Its content does not verify {stream}: {unclear.message}")
    return max(map(_farthest_ms, own)), f"told from content: {own[0].message}"


def _farthest_ms(finding: Finding) -> float:
    ends = (finding.low, finding.high, finding.measured)
    return max((abs(end) for end in ends if end is not None and math.isfinite(end)), default=math.nan)
