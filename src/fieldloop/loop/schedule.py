"""What calibration work is due, on which sensor, and since when."""

from dataclasses import dataclass

from fieldloop import calibrate as room
from fieldloop.calibrate.schedule import Known
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Session
from fieldloop.model.hardware import Robot
from fieldloop.model.verification import Verification


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is due, overdue first."""

    due: tuple[room.Due, ...]

    @property
    def exit_ok(self) -> bool:
        """Is nothing overdue?"""
        return not any(due.overdue for due in self.due)


def schedule(workspace: Workspace, *, robot: str = "", precise: bool = False) -> Schedule:
    """Tell which sensors are to be calibrated or verified, and when; overdue first.

    Laboratories weekly; deployed sites at the start and end of each session and every hour between.

    Arguments:
        robot: only of one robot
        precise: by the shorter interval of precision tasks
    """
    store = workspace.store
    robots = [store.get(Robot, robot)] if robot else list(store.find(Robot))
    mapped = store.find(Deployment, newest=True, limit=1)
    known = Known(store.find(Calibration), store.find(Verification), store.find(Session))
    floors = [site.id for site in mapped[0].sites] if mapped else []
    settings = workspace.operations["collect"]
    return Schedule(room.schedule(robots, known, workspace.clock(), settings, floors=floors, precise=precise))
