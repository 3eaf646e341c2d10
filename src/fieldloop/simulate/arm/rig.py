"""The rig: which cameras there are, where the drawing puts them, and where they really are."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.sites import Facility

MAST = (0.46, -0.045, 1.10)
FACING_DOWN = np.array([[0, -1, 0], [-1, 0, 0], [0, 0, -1.0]])
"""Picture right is the base's −y, picture down is the base's −x (towards the robot)."""
FIELD_RAD = 0.84
WRIST_FIELD_RAD = 1.1


@dataclass(frozen=True, slots=True)
class Rig:
    """Cameras of one station: size of pictures, and rates in Hz."""

    width: int = 160
    height: int = 120
    depth_width: int = 80
    depth_height: int = 60
    camera_hz: float = 30.0
    depth_every: int = 3
    """A depth frame with every third trigger."""

    @property
    def overhead(self) -> Pinhole:
        """The colour camera on the mast."""
        return Pinhole.from_field_of_view(self.width, self.height, FIELD_RAD)

    @property
    def depth(self) -> Pinhole:
        """The depth camera beside it, registered to it."""
        return Pinhole.from_field_of_view(self.depth_width, self.depth_height, FIELD_RAD)

    @property
    def wrist(self) -> Pinhole:
        """The colour camera behind the fingers."""
        return Pinhole.from_field_of_view(self.width, self.height, WRIST_FIELD_RAD)


def get_base_from_overhead(site: Facility) -> Floats:
    """Return where the overhead camera really is at a site: the drawing, then the error of the mount."""
    drawn = tf.make_transform(FACING_DOWN, MAST)
    turn = tf.rotation_from_vector(np.radians(site.mount_turn_deg))
    return drawn @ tf.make_transform(turn, FACING_DOWN.T @ np.array(site.mount_shift_m))


def get_tool_from_wrist() -> Floats:
    """Return where the wrist camera sits on the tool: behind the palm, tilted towards the fingertips."""
    return tf.make_transform(tf.make_rotation_about_axis("y", 0.30), [-0.085, 0.0, -0.15])
