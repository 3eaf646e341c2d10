"""The clocks of the Protocol page: how each device is synchronised, and when that was last measured."""

from fieldloop.loop.collect.synchronisation import unverified_devices
from fieldloop.loop.home.pages import every
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import SynchronisationVerified
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.say.html import Markup
from fieldloop.say.marks import status
from fieldloop.say.numbers import figure, moment, plural
from fieldloop.ui.components import Column, command, dense_table, panel

COLUMNS = (
    "Status",
    "Robot",
    "Device",
    "Synchronised by",
    Column("Offset, ms", "num"),
    "Measured",
    Column("How it was verified, or what is missing", "text wide"),
)
HOW = "fieldloop collect synchronise STREAM --robot ROBOT --offset-ms MS --how HOW"


def synchronised(workspace: Workspace) -> tuple[Markup, ...]:
    """Draw every declared device of every robot; nothing if the protocol declares none."""
    rules = workspace.protocol()
    devices = sorted({*rules.synchronisation, *(s.stream for s in rules.sensors.values() if s.required)})
    if not devices:
        return ()
    last = {(v.robot, v.stream): v for v in reversed(every(workspace, SynchronisationVerified))}
    robots = sorted({robot.id for robot in every(workspace, Robot)} | {robot for robot, _ in last}) or [""]
    rows, missing = [], 0
    for robot in robots:
        why_not = {u.stream: u.reason for u in unverified_devices(workspace, robot, at_ns=workspace.clock())}
        missing += len(why_not)
        for stream in devices:
            by = rules.synchronisation[stream].by.value if stream in rules.synchronisation else "unknown"
            # a verification may be declared in the protocol file only
            found = last.get((robot, stream)) or getattr(rules.synchronisation.get(stream), "verified", None)
            reason = why_not.get(stream, "")
            rows.append(
                (
                    status(Status.FAILED if reason else Status.PASSED, "not verified" if reason else "verified"),
                    robot or "any",
                    stream,
                    by,
                    figure(found.offset_ms, 3) if found else "–",
                    moment(found.at_ns) if found else "never",
                    reason or (found.how if found else ""),
                )
            )
    note = f"{plural(missing, 'device')} not verified: their data cannot be released" if missing else "all verified"
    measure = command(HOW) if missing else None
    return (panel("Synchronisation", dense_table(COLUMNS, rows), note=note, right=measure, flush=True),)
