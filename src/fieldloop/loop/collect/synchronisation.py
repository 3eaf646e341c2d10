"""Verified clocks: record measured offsets of devices, and list devices without."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from fieldloop.errors import BadInput, ProtocolError, Refused, UnknownName
from fieldloop.loop.collect.devices import find_undeclared_devices, is_declared, list_devices
from fieldloop.loop.data.streams import StreamShown, read_kept_streams
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.event import SynchronisationVerified
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.hardware import Robot
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.quality import DatasetReport
from fieldloop.protocol import Unverified, list_unverified_devices
from fieldloop.protocol.synchronisation import SyncVerification
from fieldloop.say.findings import write_without_subject
from fieldloop.say.numbers import join_names

CONTENT = "batch.content_lag"
"""The check that estimates a camera's lag over all episodes of a rig; its subject names stream and rig."""
CLOCK_NOT_VERIFIED = "release.clock_not_verified"
MOST_NAMED = 3
CAMERA_CHECKS = ("vision.", "depth.")
"""Checks whose subject is a camera, for episodes whose list of streams is gone."""
TIMING, ACTIONS = "timing.", "action"
"""Commands are not sensed: their time needs no verification."""


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


def list_clock_reasons(
    workspace: Workspace, episodes: Iterable[Episode], reports: Mapping[str, EpisodeReport]
) -> list[Note]:
    """Return why the time of these episodes is not verified, device by device.

    Where the protocol names devices, each of them must be verified, and each device in the logs must be among
    them. Where it names none, two or more devices cannot be verified at all. The age of a verification
    counts up to the last episode.
    """
    by_rig: dict[tuple[str, str], list[Episode]] = {}
    for one in episodes:
        by_rig.setdefault((one.robot, one.task), []).append(one)
    unverified: dict[tuple[str, Note], dict[str, None]] = {}  # devices of a robot that lack the same are one reason
    for (robot, task), inside in sorted(by_rig.items()):
        last_ns = max(one.end_ns for one in inside)
        for device in list_unverified_devices_of_robot(workspace, robot, task=task, at_ns=last_ns):
            unverified.setdefault((robot, device.reason), {})[device.stream] = None
    clocks = [
        note(CLOCK_NOT_VERIFIED, device=_name_device(robot, join_names(list(streams))), why=why)
        for (robot, why), streams in unverified.items()
    ]
    return [*clocks, *_list_undeclared_devices(workspace, by_rig, reports)]


def _list_undeclared_devices(
    workspace: Workspace, by_rig: Mapping[tuple[str, str], Sequence[Episode]], reports: Mapping[str, EpisodeReport]
) -> Iterator[Note]:
    """Yield devices that logs hold and the protocol does not name; once for each task where it names none."""
    bare: dict[str, set[str]] = {}
    missing: dict[tuple[str, str], list[str]] = {}
    words = tuple(workspace.operations["release"]["sensor_words"])
    for (robot, task), episodes in sorted(by_rig.items()):
        protocol = workspace.protocol(task)
        findings = [f for one in episodes if one.id in reports for f in reports[one.id].findings]
        kept = [listed for one in episodes if (listed := read_kept_streams(workspace, one.id)) is not None]
        if declared := {*protocol.sensors, *protocol.synchronisation}:
            undeclared = {name for listed in kept for name in find_undeclared_devices(listed, declared, words)}
            judged = {name for f in findings if f.check.startswith(CAMERA_CHECKS) for name in f.about.streams}
            undeclared |= {name for name in judged if not is_declared(name, declared, camera=True)}
            for stream in undeclared:
                missing.setdefault((task, stream), []).append(robot)
        else:
            bare.setdefault(task, set()).update(_list_streams_to_verify(kept, findings, words))
    for (task, stream), robots in sorted(missing.items()):  # one declaration is for all robots of a task
        device, file = _name_device(join_names(robots), stream), _name_file(workspace, task)
        yield note("release.device_undeclared", device=device, stream=stream, file=file)
    for task, streams in sorted(bare.items()):
        if len(streams) > 1:  # a single device has nothing to be compared with
            first = tuple(sorted(streams)[:MOST_NAMED])
            yield note(
                "release.no_device_declared", streams=first, more=max(0, len(streams) - MOST_NAMED) or None,
                task=task or workspace.task, file=_name_file(workspace, task),
            )  # fmt: skip


def _list_streams_to_verify(
    kept: Sequence[Sequence[StreamShown]], findings: Iterable[Finding], sensor_words: Sequence[str]
) -> set[str]:
    """Return the devices that logs hold; where no list of streams is left, every stream whose time was judged."""
    if kept:
        return {one.name for listed in kept for one in list_devices(listed, sensor_words)}
    timed = {name for f in findings if f.check.startswith(TIMING) for name in f.about.streams}
    return {name for name in timed if not name.startswith(ACTIONS)}


def _name_file(workspace: Workspace, task: str) -> str:
    return f"protocols/{task or workspace.task}.toml"


def _name_device(robot: str, stream: str) -> str:
    return f"{stream} of {robot}" if robot else stream


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
