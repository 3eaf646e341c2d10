"""The protocol in force at a glance: the sheet, lint remarks, clocks of devices, and locked versions."""

from dataclasses import dataclass

from fieldloop.loop.collect.synchronisation import list_unverified_devices_of_robot
from fieldloop.loop.home.pages import list_newest_first
from fieldloop.loop.protocol.lint import Linted, lint_task
from fieldloop.loop.protocol.sheet import make_sheet_in_force
from fieldloop.loop.protocol.versions import LockedVersion, list_locked_versions
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import SynchronisationVerified
from fieldloop.model.hardware import Robot
from fieldloop.model.note import Note
from fieldloop.protocol import Synchronisation
from fieldloop.report.protocol import Sheet


@dataclass(frozen=True, slots=True)
class DeviceClock:
    """A declared device of one robot: its clock, the last measured offset, and why it is not verified, if so.

    `robot` is '' where no robot is known; `offset_ms` and `measured_ns` are None where the offset was never measured.
    """

    robot: str
    stream: str
    synchronised_by: str
    verified: bool
    offset_ms: float | None = None
    measured_ns: int | None = None
    how: str = ""
    reason: Note | None = None


@dataclass(frozen=True, slots=True)
class ProtocolShown:
    """The protocol in force: its sheet, its control interfaces, lint remarks, clocks of devices, locked versions."""

    sheet: Sheet
    interfaces: tuple[str, ...]
    linted: Linted
    clocks: tuple[DeviceClock, ...]
    versions: tuple[LockedVersion, ...]


def show_protocol(workspace: Workspace, *, interface: str = "") -> ProtocolShown:
    """Show the protocol in force: sheet, lint remarks, clocks of devices, locked versions.

    Arguments:
        interface: only the instructions of this control interface, such as vr
    """
    rules = workspace.protocol()
    return ProtocolShown(
        sheet=make_sheet_in_force(workspace, interface=interface),
        interfaces=tuple(name for name in rules.setting("task.interfaces") if name in rules.interfaces),
        linted=lint_task(workspace),
        clocks=_list_declared_clocks(workspace),
        versions=list_locked_versions(workspace),
    )


def _list_declared_clocks(workspace: Workspace) -> tuple[DeviceClock, ...]:
    """Return every declared device of every robot; nothing if the protocol declares none."""
    rules = workspace.protocol()
    devices = sorted({*rules.synchronisation, *(s.stream for s in rules.sensors.values() if s.required)})
    if not devices:
        return ()
    last = {(v.robot, v.stream): v for v in reversed(list_newest_first(workspace, SynchronisationVerified))}
    robots = sorted({robot.id for robot in list_newest_first(workspace, Robot)} | {robot for robot, _ in last}) or [""]
    clocks = []
    for robot in robots:
        why_not = {
            u.stream: u.reason for u in list_unverified_devices_of_robot(workspace, robot, at_ns=workspace.clock())
        }
        for stream in devices:
            declared = rules.synchronisation.get(stream, Synchronisation(stream))
            # a verification may be declared in the protocol file only
            found = last.get((robot, stream)) or declared.verified
            offset_ms, at_ns, how = (found.offset_ms, found.at_ns, found.how) if found else (None, None, "")
            reason = why_not.get(stream)
            by = declared.by.value
            clocks.append(DeviceClock(robot, stream, by, reason is None, offset_ms, at_ns, how, reason))
    return tuple(clocks)
