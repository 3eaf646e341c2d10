"""One camera of a timing rig: a moment of the arm becomes light on the rows of a picture."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.timing_truth.lens import Optics
from bench.timing_truth.scenes import Scene
from bench.timing_truth.shadows import shadow_mask
from bench.timing_truth.textures import SLOPES, Prints
from bench.timing_truth.window import Window
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm import raster
from fieldloop.simulate.arm.boxes import Boxes
from fieldloop.simulate.arm.raster import Mesh

WHITE = 225.0
SKY = np.array([[68.0, 72.0, 79.0]], dtype=np.float32)
GROUND_FACE = 6
"""The ground is the first box that is drawn; its upper face is the last of its six."""
FACE_MASK = raster.MAX_FACES - 1

Light = NDArray[np.float32]
"""Rows of a picture, red first, 0 to about 255."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What a camera can see of one moment: where it is itself, all that moves with its prints, what casts a shadow."""

    camera_from_base: Floats
    moving: Boxes
    which: NDArray[np.int64]
    shading: int
    """How many of the moving boxes, from the first on, cast a shadow."""


class Eye:
    """One camera in one scene. For one that does not move, what stands still is drawn once and the rest over it."""

    def __init__(self, scene: Scene, optics: Optics, prints: Prints, camera_from_base: Floats | None) -> None:
        """Take the fixed pose of a camera on a stand, or None for one on a wrist."""
        self.scene, self.optics, self.prints = scene, optics, prints
        self._still = raster.make_mesh(scene.solids)
        self._still_which = np.repeat(scene.which, 6)
        self._still_shades = self._shades(self._still)
        self._fixed = camera_from_base is not None
        self._first = 1 + len(self._still) if self._fixed else 1
        self._keys = raster.make_blank_buffer(optics.pinhole).keys
        self._delivered = np.zeros((*optics.rows.shape, 3), np.float32)
        self._still_slopes = np.zeros((SLOPES, 0), np.float32)
        if camera_from_base is not None:
            raster.draw_mesh(raster.Buffer(self._keys), optics.pinhole, camera_from_base, self._still)
            self._still_slopes = prints.slopes(self._still, self._still_which, optics.pinhole, camera_from_base)
            everywhere = Window(0, optics.rows.shape[0], 0, optics.rows.shape[1])
            drawn = self._paint(self._keys, self._still_slopes, self._still_shades, (0, 0))
            self._delivered = optics.seen(drawn, (0, 0), everywhere)

    def background(self) -> Light:
        """Return the light that every moment adds to: what stands still before a camera that does, else darkness."""
        return self._delivered.copy()

    def expose(self, light: Light, moment: Moment, rows: tuple[int, int], shares: Light) -> None:
        """Add to `light` what a moment changes between two rows, by each row's share of it."""
        upper, lower = rows
        first, last = self.optics.band(upper, lower)
        whole = self.optics.pinhole
        band = Pinhole(whole.width, last - first, whole.fx, whole.fy, whole.cx, whole.cy - first)
        picture, changed = self._see(moment, band, first)
        seen = self.optics.touched(changed.lower_by(first), upper, lower)
        if not seen.empty:
            patch = self.optics.seen(picture, (first + changed.upper, changed.left), seen)
            patch -= self._delivered[seen.slices]
            light[seen.slices] += shares[seen.upper - upper : seen.lower - upper, None, None] * patch

    def _see(self, moment: Moment, band: Pinhole, first: int) -> tuple[Light, Window]:
        """Draw the band of the pinhole's picture that starts at row `first`; return what changed, and where."""
        keys = self._keys[first : first + band.height].copy()
        moving, which = raster.make_mesh(moment.moving), np.repeat(moment.which, 6)
        shades = np.concatenate([self._still_shades, self._shades(moving)])
        if not self._fixed:
            moving, which = self._still + moving, np.concatenate([self._still_which, which])
        raster.draw_mesh(raster.Buffer(keys), band, moment.camera_from_base, moving, self._first)
        mask, at = self._shadow(moment, band)
        everywhere = Window(0, band.height, 0, band.width)
        drawn = Window.of((keys & FACE_MASK) >= self._first) if self._fixed else everywhere
        at = at.around(drawn).grown(everywhere)
        slopes = self.prints.slopes(moving, which, self.optics.pinhole, moment.camera_from_base)
        slopes = np.concatenate([self._still_slopes, slopes], axis=1)
        dark = None if mask is None else mask[at.slices]
        return self._paint(keys[at.slices], slopes, shades, (first + at.upper, at.left), dark), at

    def _shades(self, what: Mesh) -> Light:
        return np.asarray(what.compute_face_colours(self.scene.sun, self.scene.ambient) * np.float32(WHITE))

    def _shadow(self, moment: Moment, band: Pinhole) -> tuple[NDArray[np.uint8] | None, Window]:
        if not self.scene.shadow:
            return None, Window(0, 0, 0, 0)
        return shadow_mask(moment.moving, moment.shading, self.scene.sun, band, moment.camera_from_base)

    def _paint(
        self,
        keys: NDArray[np.int32],
        slopes: Light,
        shades: Light,
        corner: tuple[int, int],
        dark: NDArray[np.uint8] | None = None,
    ) -> Light:
        """Colour a window of the pinhole's picture by face and print; the ground is darker where shadows fall."""
        import cv2

        if not keys.size:
            return np.zeros((*keys.shape, 3), np.float32)
        faces = (keys & FACE_MASK).astype(np.intp)
        v = np.arange(corner[0], corner[0] + keys.shape[0], dtype=np.float32)[:, None]
        u = np.arange(corner[1], corner[1] + keys.shape[1], dtype=np.float32)
        bright = self.prints.look_up(slopes, faces, keys, u, v)
        if dark is not None:
            bright[(dark > 0) & (faces == GROUND_FACE)] *= np.float32(1 - self.scene.shadow)
        table = np.concatenate([SKY, shades]).T.copy()
        planes = [column.take(faces, mode="clip") * bright for column in table]  # quicker than one plane of triples
        return np.asarray(cv2.merge(planes), dtype=np.float32)
