"""Collisions: of the hand while it approaches, of a finger while it closes, of the item while it is carried."""

import numpy as np

from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm import gripper
from fieldloop.simulate.arm.boxes import Uprights, compute_penetration, convert_to_uprights
from fieldloop.simulate.arm.carry import locate_held_item
from fieldloop.simulate.arm.controller import Path
from fieldloop.simulate.arm.grip import TOUCH_M, Grip
from fieldloop.simulate.arm.scene import TOTE_RIM_M, Scene

LIFTED_M = 0.004
"""Below this the item still rests on the bin's floor, which does not count as a collision."""

Touch = tuple[float, str]
"""When, and what."""


def find_hand_contact(scene: Scene, path: Path) -> Touch | None:
    """Does palm or finger touch anything before the fingers close?"""
    end = path.find_step_index(path.phases["grasp"][0]) + 1
    steps = np.flatnonzero(path.xyz[:end, 2] < max(scene.site.bin_rim_m, TOTE_RIM_M) + TOUCH_M)
    if not len(steps):
        return None
    hand = gripper.make_contact_boxes(path.xyz[steps], path.yaw_rad[steps], np.full(len(steps), path.grasp.width_m))
    names = [*(solid.name for solid in scene.solids), "item"]
    return _find_first_touch(hand, _list_obstacles(scene, with_item=True), names, path.times_s[steps])


def find_finger_obstacle(scene: Scene, path: Path, grip: Grip) -> str | None:
    """Does a finger meet something other than the item while it closes?"""
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
    deep = compute_penetration(swept.insert_axis(-1), _list_obstacles(scene, with_item=False))
    worst = np.unravel_index(int(np.argmax(deep)), deep.shape)
    return scene.solids[int(worst[-1])].name if deep[worst] > TOUCH_M else None


def find_item_contact(scene: Scene, path: Path, grip: Grip) -> Touch | None:
    """Does the item, once lifted, touch bin, neighbours or tote?"""
    item = scene.item
    begin, end = path.find_step_index(path.phases["lift"][0]), path.find_step_index(path.phases["release"][0]) + 1
    bottoms = item.bottom + path.xyz[begin:end, 2] - path.grasp.z
    low = np.flatnonzero((bottoms > item.bottom + LIFTED_M) & (bottoms < scene.site.bin_rim_m + TOUCH_M))
    steps = begin + low
    if not len(steps):
        return None
    centres, yaws = locate_held_item(path, grip, steps)
    held = Uprights(
        centres[:, None],
        yaws[:, None],
        np.broadcast_to([item.length / 2, item.width / 2], (len(steps), 1, 2)),
        bottoms[low][:, None],
        (bottoms[low] + item.height)[:, None],
    )
    names = [solid.name for solid in scene.solids]
    return _find_first_touch(held, _list_obstacles(scene, with_item=False), names, path.times_s[steps])


def _find_first_touch(moving: Uprights, obstacles: Uprights, names: list[str], times_s: Floats) -> Touch | None:
    deep = compute_penetration(moving.insert_axis(-1), obstacles)
    hit = deep.max(axis=1) > TOUCH_M
    if not hit.any():
        return None
    step = int(np.argmax(hit.any(axis=1)))
    return float(times_s[step]), names[int(np.argmax(hit[step]))]


def _list_obstacles(scene: Scene, *, with_item: bool) -> Uprights:
    fixed = convert_to_uprights(scene.solids)
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
