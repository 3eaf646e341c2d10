"""Enrol operators, register robots, and open or close sessions."""

import dataclasses
from typing import TypeVar

from fieldloop.collect import Station
from fieldloop.collect import open_session as open_sitting
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.calibrate.attach import find_trusted_calibrations
from fieldloop.loop.collect.synchronisation import list_unverified_devices_of_robot
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Session
from fieldloop.model.event import RobotRegistered, SessionClosed, SessionOpened
from fieldloop.model.hardware import Robot, Sensor
from fieldloop.model.person import Operator
from fieldloop.model.person_event import OperatorEnrolled
from fieldloop.model.stream import StreamKind
from fieldloop.protocol import Section
from fieldloop.say import write_sentence
from fieldloop.say.refusals import write_refusal

N = TypeVar("N", Robot, Operator)
REGISTERED_BY = {"robot": "robot", "operator": "enrol"}


def enrol_demonstrator(workspace: Workspace, pseudonym: str, *, band: tuple[str, ...] = ()) -> Operator:
    """Enrol a demonstrator under a pseudonym.

    Arguments:
        pseudonym: the operator's pseudonym, never a real name
        band: a voluntary, coarse description of the operator, such as hand=medium
    """
    pairs = tuple((key, value) for key, _, value in (b.partition("=") for b in band))
    operator = Operator(pseudonym, pairs)
    workspace.write(OperatorEnrolled(operator))
    return operator


def register_robot(workspace: Workspace, robot: str, *, model: str, site: str, sensor: tuple[str, ...] = ()) -> Robot:
    """Register a robot at a site, with its sensors.

    Arguments:
        robot: the robot's id
        model: the arm's model
        site: the robot's site
        sensor: stream:kind:serial:clock, such as camera/wrist:rgb:D435-118:ptp (repeatable)
    """
    known = Robot(robot, model, site, tuple(map(_parse_sensor, sensor)))
    workspace.write(RobotRegistered(known))
    return known


def open_session(
    workspace: Workspace,
    robot: str,
    operator: str,
    *,
    checked: tuple[str, ...] = (),
    work_order: str | None = None,
    on_floor: bool = False,
) -> Session:
    """Open a collection session if the checklist is done, calibrations are valid and every clock is verified.

    Arguments:
        robot: the robot's id
        operator: the operator's pseudonym
        checked: a completed item of the safety checklist (repeatable)
        work_order: the work order that this session serves
        on_floor: the robot is at a deployed site, where calibrations expire sooner
    """
    registered = _find_by_whole_id(workspace, Robot, robot)
    _refuse_unknown_ticks(checked, workspace.operations["collect"])
    station = Station(
        robot=registered,
        operator=_find_by_whole_id(workspace, Operator, operator),
        task=workspace.task,
        protocol=workspace.protocol().label,
        work_order=work_order,
        on_floor=on_floor,
        unverified=tuple(list_unverified_devices_of_robot(workspace, registered.id, at_ns=workspace.clock())),
    )
    calibrations = find_trusted_calibrations(workspace, station.robot.id)
    now, settings = workspace.clock(), workspace.operations["collect"]
    try:
        session = open_sitting(station, checked, calibrations, now, settings, workspace.ids)
    except Refused as refused:
        listed = [write_sentence(reason) for reason in refused.reasons]
        raise Refused(write_refusal(str(refused), listed), refused.reasons) from refused
    workspace.write(SessionOpened(session))
    return session


def _find_by_whole_id(workspace: Workspace, noun: type[N], name: str) -> N:
    """Find a robot or an operator by its whole id: a beginning of it might move another robot."""
    known = {one.id: one for one in workspace.store.find(noun)}
    if name not in known:
        what, listed = noun.__name__.lower(), ", ".join(sorted(known))
        raise UnknownName(what, name, known, listed or f"none; add one with `fieldloop collect {REGISTERED_BY[what]}`")
    return known[name]


def _refuse_unknown_ticks(checked: tuple[str, ...], settings: Section) -> None:
    items = [str(item) for item in settings["checklist"]]
    for tick in checked:
        if tick not in items:
            raise UnknownName("item of the safety checklist", tick, items, "; ".join(items))


def close_session(workspace: Workspace, session: str) -> Session:
    """Close a session.

    Arguments:
        session: the session's id, or a unique beginning of it
    """
    known = workspace.store.get(Session, session)
    if known.closed_ns is not None:
        raise Refused(f"Session {known.id} is already closed.")
    at_ns = workspace.clock()
    workspace.write(SessionClosed(known.id, at_ns))
    return dataclasses.replace(known, closed_ns=at_ns)


def _parse_sensor(text: str) -> Sensor:
    stream, *rest = text.split(":")
    kind, serial, synchronised_by = (*rest, "", "", "")[:3]
    if kind not in list(StreamKind):
        raise BadInput(
            f"{text!r}: {UnknownName('kind of stream', kind, list(StreamKind))} Write stream:kind:serial:clock."
        )
    return Sensor(serial, StreamKind(kind), stream, synchronised_by=synchronised_by)
