"""Where the item is at any time: at rest, between the fingers, falling, at rest again."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.carry import GRAVITY
from fieldloop.simulate.arm.physics import Verdict
from fieldloop.simulate.arm.scene import Item


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """The item's life in one attempt; None for what never happened."""

    item: Item
    resting: Floats
    contact_s: float | None
    lost_s: float | None
    tool_from_item: Floats
    base_from_tool_lost: Floats
    rest: Floats

    def locate_item(self, time_s: float, base_from_tool: Floats) -> Floats:
        """Return `base_from_item` at a time, the tool being where it is."""
        if self.contact_s is None or self.lost_s is None or time_s < self.contact_s:
            return self.resting
        if time_s <= self.lost_s:
            return base_from_tool @ self.tool_from_item
        falling = self.base_from_tool_lost @ self.tool_from_item
        fallen = GRAVITY * (time_s - self.lost_s) ** 2 / 2
        if falling[2, 3] - fallen <= self.rest[2, 3]:
            return self.rest
        falling = falling.copy()
        falling[2, 3] -= fallen
        return falling


def track_item(item: Item, verdict: Verdict, base_from_tool_lost: Floats) -> Track:
    """Follow the item through an attempt; the tool's pose where it was lost is the logged one."""
    grip, grasp = verdict.grip, verdict.path.grasp
    middle = item.height / 2
    resting = _make_upright_pose(item.x, item.y, item.bottom + middle, item.yaw_rad)
    x, y, floor, yaw = verdict.rest
    held = np.eye(4)
    if grip is not None:
        # The tool points at the ground, so its z axis runs downwards and turns about it change sign.
        place = [grip.along_m * -1.0, 0.0, grasp.z - (item.bottom + middle)]
        held = tf.make_transform(
            tf.make_rotation_about_axis("y", np.pi) @ tf.make_rotation_about_axis("z", grip.turn_rad), place
        )
    return Track(
        item,
        resting,
        verdict.contact_s,
        verdict.lost_s,
        held,
        base_from_tool_lost,
        _make_upright_pose(x, y, floor + middle, yaw),
    )


def _make_upright_pose(x: float, y: float, z: float, yaw_rad: float) -> Floats:
    return tf.make_transform(tf.make_rotation_about_axis("z", np.array(yaw_rad)), [x, y, z])
