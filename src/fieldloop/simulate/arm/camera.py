"""Cameras at work: a scene, the joints and the fingers become pictures."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm import arm, gripper, picture, raster
from fieldloop.simulate.arm.boxes import Boxes, convert_to_boxes, join_boxes
from fieldloop.simulate.arm.edge_cases import hide_covered_colour, hide_covered_depth
from fieldloop.simulate.arm.raster import Buffer, Mesh
from fieldloop.simulate.arm.rig import Rig, get_base_from_overhead, get_tool_from_wrist
from fieldloop.simulate.arm.scene import Scene

SUN = np.array([0.25, 0.35, 0.90]) / np.linalg.norm([0.25, 0.35, 0.90])
STREAMS = ("camera/overhead", "camera/wrist", "depth/overhead")
SKY = np.array([[0.12, 0.12, 0.13]], dtype=np.float32)
"""What lies beyond the bench."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """All that a camera can see of one moment: the arm's links and tool, the opening of its fingers, the item."""

    base_from_links: Floats
    base_from_tool: Floats
    opening_m: float
    base_from_item: Floats


class Eye:
    """One camera in one scene; what stands still is drawn once."""

    def __init__(self, scene: Scene, camera: Pinhole, base_from_camera: Floats | None) -> None:
        """Take the fixed pose of a camera on a mast, or None for the camera on the wrist."""
        self.scene, self.camera = scene, camera
        self._camera_from_base = None if base_from_camera is None else tf.invert_transform(base_from_camera)
        self._still = raster.make_mesh(convert_to_boxes((*scene.solids, *scene.edge.screens)))
        self._times, self._added = picture.compute_exposure(scene, camera, is_fixed_camera=base_from_camera is not None)
        self._still_shades = self._still.compute_face_colours(SUN, scene.light.ambient)
        self._background = raster.make_blank_buffer(camera)
        if self._camera_from_base is not None:
            raster.draw_mesh(self._background, camera, self._camera_from_base, self._still)

    def render_colour(self, moment: Moment, frame: int) -> NDArray[np.uint8]:
        """Return the picture of a moment."""
        buffer, moving = self._render_moment(moment)
        lamp = self.scene.light
        table = np.concatenate([SKY, self._still_shades, moving.compute_face_colours(SUN, lamp.ambient)])
        seed = self.scene.noise_seed + (self._camera_from_base is None)
        seen = picture.expose_picture(table.take(buffer.faces, axis=0), self._times, self._added, lamp, seed, frame)
        return seen if self._camera_from_base is None else hide_covered_colour(seen, self.scene.edge)

    def render_depth(self, moment: Moment, frame: int) -> NDArray[np.float32]:
        """Return the depth of a moment in metres."""
        buffer, moving = self._render_moment(moment)
        gloss = np.zeros(1 + len(self._still) + len(moving), dtype=np.float32)
        gloss[1 + len(self._still) : 7 + len(self._still)] = self.scene.item.article.gloss  # the item moves first
        lamp, seed = self.scene.light, self.scene.noise_seed + 2
        depth = picture.measure_depth(buffer.nearness, gloss.take(buffer.faces), lamp, seed, frame)
        return hide_covered_depth(depth, self.scene.edge)

    def _render_moment(self, moment: Moment) -> tuple[Buffer, Mesh]:
        item = self.scene.item
        size, colour = np.array([[item.length, item.width, item.height]]), np.array([item.article.colour])
        thing = Boxes(moment.base_from_item[None], size, colour)
        hand = gripper.make_gripper_boxes(moment.base_from_tool, moment.opening_m)
        buffer = self._background.copy()
        if self._camera_from_base is not None:
            moving = raster.make_mesh(join_boxes(thing, hand, arm.make_arm_boxes(moment.base_from_links)))
            raster.draw_mesh(buffer, self.camera, self._camera_from_base, moving, 1 + len(self._still))
            return buffer, moving
        moving = raster.make_mesh(join_boxes(thing, hand))
        camera_from_base = tf.invert_transform(moment.base_from_tool @ get_tool_from_wrist())
        raster.draw_mesh(buffer, self.camera, camera_from_base, self._still + moving)
        return buffer, moving


def make_cameras(scene: Scene, rig: Rig, names: Iterable[str] = STREAMS) -> dict[str, Eye]:
    """Return the cameras of a station by the name of their stream."""
    mast = get_base_from_overhead(scene.site)
    optics = {
        "camera/overhead": (rig.overhead, mast),
        "camera/wrist": (rig.wrist, None),
        "depth/overhead": (rig.depth, mast),
    }
    return {name: Eye(scene, *optics[name]) for name in names}
