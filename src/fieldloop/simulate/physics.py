"""What happens when a path is driven: contact, slip, crushing, collision, dropping. Success is only what is left."""

from dataclasses import dataclass, replace

import numpy as np

from fieldloop.geometry.transforms import Floats
from fieldloop.model.policy import FailureClass
from fieldloop.simulate import gripper
from fieldloop.simulate.boxes import Uprights, penetration, upright
from fieldloop.simulate.controller import STEP_S, Path, stop_and_return
from fieldloop.simulate.grip import TOUCH_M, Grip, close
from fieldloop.simulate.scene import BIN_CENTRE, BIN_SIZE, TOTE_CENTRE, TOTE_FLOOR_M, TOTE_RIM_M, TOTE_SIZE, Item, Scene

GRAVITY = 9.81
MAX_DROP_M = 0.05
TIMEOUT_S = 14.0


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """How an attempt ended and what can be seen of it: the path really driven, the hold, and when it began and ended."""

    path: Path
    succeeded: bool
    failure: FailureClass | None
    reason: str
    cycle_s: float
    grip: Grip | None = None
    contact_s: float | None = None
    lost_s: float | None = None
    rest: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Where the item ends: x, y, height of its bottom, yaw."""


def judge(scene: Scene, path: Path) -> Verdict:
    """Drive a path through a scene and say what came of it."""
    item, grasp = scene.item, path.grasp
    still = (item.x, item.y, item.bottom, item.yaw_rad)
    if not path.reached:
        return Verdict(path, False, FailureClass.TIMEOUT, "pose out of reach", TIMEOUT_S, rest=still)
    if (hit := _hits_on_the_way(scene, path)) is not None:
        at_s, what = hit
        cut = stop_and_return(path, at_s)
        return Verdict(cut, False, FailureClass.COLLISION, f"hit the {what}", at_s, rest=still)
    cycle = path.phases["release"][1]
    closed = close(item, grasp)
    if isinstance(closed, str):
        return Verdict(path, False, FailureClass.GRASP, closed, cycle, rest=still)
    if (what := _squeezes(scene, path, closed)) is not None:
        at_s = path.phases["grasp"][0] + STEP_S
        cut = stop_and_return(path, at_s)
        return Verdict(cut, False, FailureClass.COLLISION, f"closed on the {what}", at_s, rest=still)
    contact = path.phases["grasp"][0] + max(grasp.width_m - closed.opening_m, 0.0) / gripper.CLOSING_M_PER_S
    held = Verdict(path, True, None, "", cycle, closed, contact)
    if grasp.force_n > item.crush_n:
        return replace(held, succeeded=False, failure=FailureClass.GRASP, reason="crushed", lost_s=path.phases["release"][0], rest=_below(scene, path, closed, path.phases["release"][0]))
    return _carry(scene, held)


def _carry(scene: Scene, held: Verdict) -> Verdict:
    path, grip = held.path, held.grip
    assert grip is not None
    let_go = path.phases["release"][0]
    lost = _slips(scene.item, path, grip)
    knock = _knocks(scene, path, grip)
    if lost is not None and (knock is None or lost < knock[0]):
        lifted = lost >= path.phases["lift"][1]
        kind = FailureClass.PLACEMENT if lifted else FailureClass.GRASP
        why = "slipped while carried" if lifted else "slipped while lifted"
        return replace(held, succeeded=False, failure=kind, reason=why, lost_s=lost, rest=_below(scene, path, grip, lost))
    if knock is not None:
        at_s, what = knock
        cut = stop_and_return(path, at_s)
        return replace(held, path=cut, succeeded=False, failure=FailureClass.COLLISION, reason=f"item hit the {what}", cycle_s=at_s, lost_s=at_s, rest=_below(scene, path, grip, at_s))
    rest = _below(scene, path, grip, let_go)
    drop = _bottom(scene.item, path, let_go) - rest[2]
    if not _in_tote(scene.item, rest):
        return replace(held, succeeded=False, failure=FailureClass.PLACEMENT, reason="let go outside the tote", lost_s=let_go, rest=rest)
    if drop > MAX_DROP_M:
        return replace(held, succeeded=False, failure=FailureClass.PLACEMENT, reason="let go from too high", lost_s=let_go, rest=rest)
    if held.cycle_s > TIMEOUT_S:
        return replace(held, succeeded=False, failure=FailureClass.TIMEOUT, reason="took too long", lost_s=let_go, rest=rest)
    return replace(held, lost_s=let_go, rest=rest)


def _hits_on_the_way(scene: Scene, path: Path) -> tuple[float, str] | None:
    """Does palm or finger touch anything before the fingers close?"""
    end = path.index(path.phases["grasp"][0]) + 1
    steps = np.flatnonzero(path.xyz[:end, 2] < max(scene.site.bin_rim_m, TOTE_RIM_M) + TOUCH_M)
    if not len(steps):
        return None
    hand = gripper.contact_boxes(path.xyz[steps], path.yaw_rad[steps], np.full(len(steps), path.grasp.width_m))
    names = [solid.name for solid in scene.solids] + ["item"]
    return _first(hand, _obstacles(scene, with_item=True), names, path.times_s[steps])


def _squeezes(scene: Scene, path: Path, grip: Grip) -> str | None:
    """Does a finger meet something other than the item on its way inwards?"""
    grasp = path.grasp
    gap = max(grasp.width_m - grip.opening_m, 0.0) / 2
    along = np.array([-np.sin(grasp.yaw_rad), np.cos(grasp.yaw_rad)])
    aside = (grip.opening_m / 2 + gap / 2 + gripper.FINGER_THICK_M / 2) * np.array([[1.0], [-1.0]])
    swept = Uprights(
        np.array([grasp.x, grasp.y]) + aside * along,
        np.full(2, grasp.yaw_rad),
        np.full((2, 2), [gripper.FINGER_WIDE_M / 2, gap / 2 + gripper.FINGER_THICK_M / 2]),
        np.full(2, grasp.z),
        np.full(2, grasp.z + gripper.FINGER_LONG_M),
    )
    deep = penetration(swept.expand(-1), _obstacles(scene, with_item=False))
    worst = np.unravel_index(int(np.argmax(deep)), deep.shape)
    return scene.solids[int(worst[-1])].name if deep[worst] > TOUCH_M else None


def _slips(item: Item, path: Path, grip: Grip) -> float | None:
    """When does the load first exceed what friction bears? Weight and inertia pull, the off-centre weight turns."""
    begin, end = path.index(path.phases["lift"][0]), path.index(path.phases["release"][0])
    pull = np.gradient(np.gradient(path.xyz, STEP_S, axis=0), STEP_S, axis=0)[begin:end] + [0.0, 0.0, GRAVITY]
    load = item.mass_kg * np.linalg.norm(pull, axis=1) / grip.bears_n if grip.bears_n > 0 else np.full(end - begin, np.inf)
    twist = item.mass_kg * np.abs(pull[:, 2]) * abs(grip.along_m) / max(grip.bears_nm, 1e-9)
    over = np.flatnonzero(load**2 + twist**2 > 1.0)
    return float(path.times_s[begin + over[0]]) if len(over) else None


def _knocks(scene: Scene, path: Path, grip: Grip) -> tuple[float, str] | None:
    """Does the item, once lifted, touch bin, neighbours or tote?"""
    item = scene.item
    begin, end = path.index(path.phases["lift"][0]), path.index(path.phases["release"][0]) + 1
    bottoms = item.bottom + path.xyz[begin:end, 2] - path.grasp.z
    low = np.flatnonzero((bottoms > item.bottom + 0.004) & (bottoms < scene.site.bin_rim_m + TOUCH_M))
    steps = begin + low
    if not len(steps):
        return None
    centres, yaws = _held(path, grip, steps)
    held = Uprights(
        centres[:, None],
        yaws[:, None],
        np.broadcast_to([item.length / 2, item.width / 2], (len(steps), 1, 2)),
        bottoms[low][:, None],
        (bottoms[low] + item.height)[:, None],
    )
    return _first(held, _obstacles(scene, with_item=False), [s.name for s in scene.solids], path.times_s[steps])


def _first(moving: Uprights, fixed: Uprights, names: list[str], times_s: Floats) -> tuple[float, str] | None:
    deep = penetration(moving.expand(-1), fixed)
    hit = deep.max(axis=1) > TOUCH_M
    if not hit.any():
        return None
    step = int(np.argmax(hit.any(axis=1)))
    return float(times_s[step]), names[int(np.argmax(hit[step]))]


def _obstacles(scene: Scene, *, with_item: bool) -> Uprights:
    fixed = upright(scene.solids)
    if not with_item:
        return fixed
    item = scene.item
    return Uprights(
        np.vstack([fixed.centres, [item.x, item.y]]),
        np.append(fixed.yaws, item.yaw_rad),
        np.vstack([fixed.halves, [item.length / 2, item.width / 2]]),
        np.append(fixed.bottoms, item.bottom),
        np.append(fixed.tops, item.top),
    )


def _held(path: Path, grip: Grip, steps: Floats) -> tuple[Floats, Floats]:
    """Return centre and yaw of a held item: the jaws have centred it between them."""
    yaw = path.yaw_rad[steps]
    along = np.stack([np.cos(yaw), np.sin(yaw)], axis=-1) * grip.along_m
    return path.xyz[steps, :2] + along, yaw + grip.turn_rad


def _bottom(item: Item, path: Path, at_s: float) -> float:
    return float(item.bottom + path.xyz[path.index(at_s), 2] - path.grasp.z)


def _below(scene: Scene, path: Path, grip: Grip, at_s: float) -> tuple[float, float, float, float]:
    """Return where an item comes to rest that is let go at a time: on the floor of whatever is below it."""
    centres, yaws = _held(path, grip, np.array([path.index(at_s)]))
    x, y = float(centres[0, 0]), float(centres[0, 1])
    if abs(x - BIN_CENTRE[0]) < BIN_SIZE[0] / 2 and abs(y - BIN_CENTRE[1]) < BIN_SIZE[1] / 2:
        floor = scene.site.bin_floor_m
    elif abs(x - TOTE_CENTRE[0]) < TOTE_SIZE[0] / 2 and abs(y - TOTE_CENTRE[1]) < TOTE_SIZE[1] / 2:
        floor = TOTE_FLOOR_M
    else:
        floor = 0.0
    return x, y, floor, float(yaws[0])


def _in_tote(item: Item, rest: tuple[float, float, float, float]) -> bool:
    x, y, _, yaw = rest
    cosine, sine = abs(np.cos(yaw)), abs(np.sin(yaw))
    long = (item.length * cosine + item.width * sine) / 2
    wide = (item.length * sine + item.width * cosine) / 2
    return bool(
        abs(x - TOTE_CENTRE[0]) + long <= TOTE_SIZE[0] / 2 and abs(y - TOTE_CENTRE[1]) + wide <= TOTE_SIZE[1] / 2
    )
