"""Data being made: who may record now, on what."""

import dataclasses

from fieldloop.collect import open_session as open_sitting
from fieldloop.errors import Refused
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Session
from fieldloop.model.event import OperatorEnrolled, RobotRegistered, SessionClosed, SessionOpened
from fieldloop.model.hardware import Robot
from fieldloop.model.person import Operator


def enrol(workspace: Workspace, pseudonym: str, *, band: tuple[str, ...] = ()) -> Operator:
    """Enrol somebody who demonstrates, under a pseudonym.

    Arguments:
        pseudonym: never a name
        band: voluntary aggregate bands such as hand=medium
    """
    pairs = tuple((key, value) for key, _, value in (b.partition("=") for b in band))
    operator = Operator(pseudonym, pairs)
    workspace.write(OperatorEnrolled(operator))
    return operator


def register_robot(workspace: Workspace, robot: str, *, model: str, site: str) -> Robot:
    """Register a robot at a site.

    Arguments:
        robot: its id
        model: what kind of arm it is
        site: where it stands
    """
    known = Robot(robot, model, site)
    workspace.write(RobotRegistered(known))
    return known


def open_session(
    workspace: Workspace, robot: str, operator: str, *, checked: tuple[str, ...] = (), work_order: str | None = None
) -> Session:
    """Open a session, if the checklist is done and the calibration is valid.

    Arguments:
        robot: the robot's id
        operator: the operator's pseudonym
        checked: an item of the safety checklist that is done (repeat it)
        work_order: which work order of the plan this serves
    """
    machine = workspace.store.get(Robot, robot)
    person = workspace.store.get(Operator, operator)
    session = open_sitting(
        session_id=workspace.ids.new("session"),
        robot=machine,
        operator=person,
        task=workspace.task,
        protocol=workspace.protocol().label,
        checklist_done=checked,
        calibrations=workspace.store.find(Calibration, {"robot": machine.id}),
        settings=workspace.operations["collect"],
        at_ns=workspace.clock(),
        work_order=work_order,
    )
    workspace.write(SessionOpened(session))
    return session


def close_session(workspace: Workspace, session: str) -> Session:
    """Close a session.

    Arguments:
        session: its id or the beginning of it
    """
    known = workspace.store.get(Session, session)
    if known.closed_ns is not None:
        raise Refused(f"Session {known.id} was closed already.")
    at_ns = workspace.clock()
    workspace.write(SessionClosed(known.id, at_ns))
    return dataclasses.replace(known, closed_ns=at_ns)
