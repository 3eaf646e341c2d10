"""What calibration work is due, on which sensor, and since when."""

from dataclasses import dataclass

from fieldloop import calibrate as room
from fieldloop.calibrate.schedule import Known
from fieldloop.errors import UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Session
from fieldloop.model.hardware import Robot
from fieldloop.model.verification import Verification

LISTED = 8
"""Robots listed when the requested one is unknown."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is due, overdue first."""

    due: tuple[room.Due, ...]

    @property
    def exit_ok(self) -> bool:
        """Whether nothing is overdue."""
        return not any(due.overdue for due in self.due)


def list_due_calibrations(workspace: Workspace, *, robot: str = "", precise: bool = False) -> Schedule:
    """List which sensors must be calibrated or verified, and when; overdue first.

    Laboratories weekly; deployed sites at the start and end of each session and every hour between. A robot is
    included once one of its sensors was calibrated, registered or not.

    Arguments:
        robot: only sensors of this robot
        precise: use the shorter interval of precision tasks
    """
    store = workspace.store
    mapped = workspace.find_newest(Deployment)
    known = Known(store.find(Calibration), store.find(Verification), store.find(Session))
    robots = _list_robots(workspace, known, robot)
    floors = [site.id for site in mapped.sites] if mapped else []
    settings = workspace.operations["collect"]
    return Schedule(
        room.list_due_work(robots, known, workspace.clock(), settings, deployed_sites=floors, precise=precise)
    )


def _list_robots(workspace: Workspace, known: Known, wanted: str) -> list[Robot]:
    """Return registered robots and those that only calibrations name, or the one that is wanted."""
    robots = {robot.id: robot for robot in workspace.store.find(Robot)}
    for named in (c.robot for c in known.calibrations if c.robot not in robots):
        sittings = [s for s in known.sessions if s.robot == named]
        last = max(sittings, key=lambda s: s.opened_ns, default=None)
        robots[named] = Robot(named, "", last.site if last else "")
    if not wanted:
        return list(robots.values())
    meant = [wanted] if wanted in robots else [name for name in robots if name.startswith(wanted)]
    if len(meant) != 1:
        raise UnknownName("robot", wanted, robots, ", ".join(sorted(robots)[:LISTED]))
    return [robots[meant[0]]]
