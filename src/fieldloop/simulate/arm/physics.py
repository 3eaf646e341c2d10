"""The result of a driven path: contact, slip, crushing, collision, dropping. Success means that none went wrong."""

from dataclasses import dataclass, replace

from fieldloop.model.policy import FailureClass
from fieldloop.simulate.arm import carry, contact, gripper
from fieldloop.simulate.arm.carry import Rest
from fieldloop.simulate.arm.controller import STEP_S, Path, stand_still, stop_and_return
from fieldloop.simulate.arm.grip import Grip, close
from fieldloop.simulate.arm.scene import Scene

MAX_DROP_M = 0.05
TIMEOUT_S = 14.0


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


def judge(scene: Scene, path: Path) -> Verdict:
    """Drive a path through a scene and return the result."""
    item, grasp = scene.item, path.grasp
    untouched = Verdict(path, (item.x, item.y, item.bottom, item.yaw_rad), path.phases["release"][1])
    if not path.reached:
        waiting = replace(untouched, path=stand_still(path, TIMEOUT_S), cycle_s=TIMEOUT_S)
        return replace(waiting, failure=FailureClass.TIMEOUT, reason="pose out of reach")
    if hit := contact.hand_hits(scene, path):
        return _stop_after_collision(untouched, hit[0], f"hit the {hit[1]}")
    hold = close(item, grasp)
    if isinstance(hold, str):
        return replace(untouched, failure=FailureClass.GRASP, reason=hold)
    if met := contact.finger_meets(scene, path, hold):
        return _stop_after_collision(untouched, path.phases["grasp"][0] + STEP_S, f"closed on the {met}")
    meets = path.phases["grasp"][0] + max(grasp.width_m - hold.opening_m, 0.0) / gripper.CLOSING_M_PER_S
    return _judge_carrying(scene, replace(untouched, grip=hold, contact_s=meets), hold)


def _judge_carrying(scene: Scene, held: Verdict, hold: Grip) -> Verdict:
    """Follow a held item until it is released or lost."""
    path, item = held.path, scene.item
    let_go = path.phases["release"][0]
    lost, hit = carry.slips_at(item, path, hold), contact.item_hits(scene, path, hold)
    if lost is not None and (hit is None or lost < hit[0]):
        fallen = replace(held, lost_s=lost, rest=carry.falls_to(scene, path, hold, lost))
        if lost < path.phases["lift"][1]:
            return replace(fallen, failure=FailureClass.GRASP, reason="slipped while lifted")
        return replace(fallen, failure=FailureClass.PLACEMENT, reason="slipped while carried")
    if hit is not None:
        knocked = replace(held, lost_s=hit[0], rest=carry.falls_to(scene, path, hold, hit[0]))
        return _stop_after_collision(knocked, hit[0], f"item hit the {hit[1]}")
    placed = replace(held, lost_s=let_go, rest=carry.falls_to(scene, path, hold, let_go))
    if path.grasp.force_n > item.crush_n:
        return replace(placed, failure=FailureClass.GRASP, reason="crushed")
    if not carry.is_in_tote(item, placed.rest):
        return replace(placed, failure=FailureClass.PLACEMENT, reason="let go outside the tote")
    if carry.bottom_at(item, path, let_go) - placed.rest[2] > MAX_DROP_M:
        return replace(placed, failure=FailureClass.PLACEMENT, reason="let go from too high")
    if placed.cycle_s > TIMEOUT_S:
        return replace(placed, failure=FailureClass.TIMEOUT, reason="took too long")
    return placed


def _stop_after_collision(verdict: Verdict, at_s: float, reason: str) -> Verdict:
    """The arm stops where it hit something, rises and goes home."""
    cut = stop_and_return(verdict.path, at_s)
    return replace(verdict, path=cut, cycle_s=at_s, failure=FailureClass.COLLISION, reason=reason)
