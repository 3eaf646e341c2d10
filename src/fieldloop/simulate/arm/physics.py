"""The result of a driven path: contact, slip, crushing, collision, dropping. Success means that none went wrong."""

from dataclasses import dataclass, replace

from fieldloop.model.policy import FailureClass
from fieldloop.simulate.arm import carry, contact, gripper
from fieldloop.simulate.arm.carry import Rest
from fieldloop.simulate.arm.controller import STEP_S, Path, make_waiting_path, stop_path_and_return
from fieldloop.simulate.arm.grip import Grip, close_fingers
from fieldloop.simulate.arm.scene import Scene

MAX_DROP_M = 0.05
TIMEOUT_S = 14.0
FIVE = 5
"""Steps of a pick that an observer can tell apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """How an attempt ended, and what can be seen of it: the path really driven, the hold, when it began and ended."""

    path: Path
    rest: Rest
    cycle_s: float
    failure: FailureClass | None = None
    reason: str = ""
    grip: Grip | None = None
    contact_s: float | None = None
    lost_s: float | None = None

    @property
    def succeeded(self) -> bool:
        """Did nothing go wrong?"""
        return self.failure is None

    def count_done_steps(self) -> int:
        """Return how many of the five steps were done: reached the item, grasped, lifted, carried, placed it."""
        if self.succeeded:
            return FIVE
        if self.grip is None:  # it failed before or while the fingers closed
            return 0 if self.failure in (FailureClass.COLLISION, FailureClass.TIMEOUT) else 1
        if self.lost_s is None:
            return FIVE - 1
        ends = (self.path.phases[name][1] for name in ("lift", "transport") if name in self.path.phases)
        return 2 + sum(self.lost_s > end for end in ends)


def simulate_pick(scene: Scene, path: Path) -> Verdict:
    """Drive a path through a scene and return the result."""
    item, grasp = scene.item, path.grasp
    untouched = Verdict(path, (item.x, item.y, item.bottom, item.yaw_rad), path.phases["release"][1])
    if not path.reached:
        waiting = replace(untouched, path=make_waiting_path(path, TIMEOUT_S), cycle_s=TIMEOUT_S)
        return replace(waiting, failure=FailureClass.TIMEOUT, reason="pose out of reach")
    if hit := contact.find_hand_contact(scene, path):
        return _stop_after_collision(untouched, hit[0], f"hit the {hit[1]}")
    hold = close_fingers(item, grasp)
    if isinstance(hold, str):
        return replace(untouched, failure=FailureClass.GRASP, reason=hold)
    if met := contact.find_finger_obstacle(scene, path, hold):
        return _stop_after_collision(untouched, path.phases["grasp"][0] + STEP_S, f"closed on the {met}")
    meets = path.phases["grasp"][0] + max(grasp.width_m - hold.opening_m, 0.0) / gripper.CLOSING_M_PER_S
    return _simulate_carrying(scene, replace(untouched, grip=hold, contact_s=meets), hold)


def _simulate_carrying(scene: Scene, verdict: Verdict, grip: Grip) -> Verdict:
    """Follow a held item until it is released or lost."""
    path, item = verdict.path, scene.item
    let_go = path.phases["release"][0]
    lost, hit = carry.find_slip_time(item, path, grip), contact.find_item_contact(scene, path, grip)
    if lost is not None and (hit is None or lost < hit[0]):
        fallen = replace(verdict, lost_s=lost, rest=carry.find_resting_place(scene, path, grip, lost))
        if lost < path.phases["lift"][1]:
            return replace(fallen, failure=FailureClass.GRASP, reason="slipped while lifted")
        return replace(fallen, failure=FailureClass.PLACEMENT, reason="slipped while carried")
    if hit is not None:
        knocked = replace(verdict, lost_s=hit[0], rest=carry.find_resting_place(scene, path, grip, hit[0]))
        return _stop_after_collision(knocked, hit[0], f"item hit the {hit[1]}")
    placed = replace(verdict, lost_s=let_go, rest=carry.find_resting_place(scene, path, grip, let_go))
    if path.grasp.force_n > item.crush_n:
        return replace(placed, failure=FailureClass.GRASP, reason="crushed")
    if not carry.is_in_tote(item, placed.rest):
        return replace(placed, failure=FailureClass.PLACEMENT, reason="let go outside the tote")
    if carry.compute_item_bottom(item, path, let_go) - placed.rest[2] > MAX_DROP_M:
        return replace(placed, failure=FailureClass.PLACEMENT, reason="let go from too high")
    if placed.cycle_s > TIMEOUT_S:
        return replace(placed, failure=FailureClass.TIMEOUT, reason="took too long")
    return placed


def _stop_after_collision(verdict: Verdict, at_s: float, reason: str) -> Verdict:
    """The arm stops where it hit something, rises and goes home."""
    cut = stop_path_and_return(verdict.path, at_s)
    return replace(verdict, path=cut, cycle_s=at_s, failure=FailureClass.COLLISION, reason=reason)
