"""A camera films a motion: moments, shutter, light and noise become pictures."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bench.timing_truth import lens, shutter
from bench.timing_truth.eye import Eye, Moment
from bench.timing_truth.held import Held
from bench.timing_truth.motions import Motion, wander
from bench.timing_truth.rig import Rig, View
from bench.timing_truth.scenes import ARM_PRINT, THING_PRINT, Scene
from bench.timing_truth.textures import Prints
from fieldloop.geometry import chain as kin
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm import gripper
from fieldloop.simulate.arm.boxes import join_boxes
from fieldloop.simulate.arm.picture import get_noise_window

BRIEF_S = 0.005
"""Over this long the pace of a picture is taken."""
CLOSE_M = 0.25
"""How far from a camera on a wrist most of what it sees is, about."""


class Film:
    """One camera of a rig in front of one motion in one scene; times are the world's, in seconds."""

    def __init__(self, rig: Rig, view: View, scene: Scene, motion: Motion, seed: int) -> None:
        """Set the camera up; patterns are drawn from the rig's name, so that they stay from episode to episode."""
        self.rig, self.view, self.scene, self.motion, self.seed = rig, view, scene, motion, seed
        prints = Prints(scene.prints, np.random.default_rng(list(rig.name.encode())))
        optics = lens.optics(view.lens, view.width, view.height, view.oversample)
        self._joints = motion.spline()
        self._fixed = None if view.on_limb is not None else tf.invert_transform(view.mount)
        self._eye = Eye(scene, optics, prints, self._fixed)
        colours = np.random.default_rng([seed, 5]).choice(rig.stage.palette, len(rig.arm.limbs))
        tools = self._frames(motion.times_s)[1]
        self._held = [
            Held(motion.times_s, width, tool, tuple(colour))
            for width, tool, colour in zip(motion.opening_m.T, tools, colours.tolist(), strict=True)
        ]

    def instant(self, time_s: float) -> NDArray[np.float32]:
        """Return the picture that a shutter of no length would take at a moment."""
        light, rows = self._eye.background(), (0, self.view.height)
        self._eye.expose(light, next(self._moments(np.array([time_s]))), rows, np.ones(self.view.height, np.float32))
        return self._softened(light)

    def pictures(self, times_s: Floats, exposures_s: Floats) -> Iterator[NDArray[np.uint8]]:
        """Yield a picture per frame, whose time is the middle of the exposure of its centre row."""
        view = self.view
        openings = [
            shutter.opening(view.height, exposure, view.readout_s, shutter.spacing_s(pace))
            for exposure, pace in zip(exposures_s.tolist(), self._paces(times_s).tolist(), strict=True)
        ]
        moments = self._moments(np.concatenate([t + o.after_s for t, o in zip(times_s, openings, strict=True)]))
        gains = self._gains(times_s)
        for frame, opening in enumerate(openings):
            light = self._eye.background()
            for j in range(len(opening.after_s)):
                upper, lower = opening.rows_of(j)
                moment = next(moments)
                if lower > upper:
                    shares = opening.weights[upper:lower, j].astype(np.float32)
                    self._eye.expose(light, moment, (upper, lower), shares)
            light = self._softened(light) * gains[frame]
            if view.noise:
                light += np.float32(view.noise) * get_noise_window(frame, self.seed, view.height, view.width)
            np.clip(light, 0, 255, out=light)
            yield light.astype(np.uint8)

    def _softened(self, light: NDArray[np.float32]) -> NDArray[np.float32]:
        import cv2

        if not self.view.soft_px:
            return light
        return np.asarray(cv2.GaussianBlur(light, (3, 3), self.view.soft_px), dtype=np.float32)

    def _gains(self, times_s: Floats) -> NDArray[np.float32]:
        """How bright each frame is: lamps on the mains beat with the frame rate, and the whole wanders slowly."""
        rng = np.random.default_rng([self.seed, 7])
        beat = np.sin(2 * np.pi * rng.uniform(0.5, 9.0) * times_s + rng.uniform(0, 6.3))
        slow = wander(rng, len(times_s), 0.8, 1, self.view.hz)[:, 0]
        return np.asarray(1 + self.view.flicker * (0.6 * beat + 0.4 * slow), dtype=np.float32)

    def _moments(self, times_s: Floats) -> Iterator[Moment]:
        limbs = self.rig.arm.limbs
        links, tools = self._frames(times_s)
        motion = self.motion
        openings = np.stack([np.interp(times_s, motion.times_s, width) for width in motion.opening_m.T], axis=1)
        for i, time_s in enumerate(times_s.tolist()):
            body = [limb.looks(frames[i]) for limb, frames in zip(limbs, links, strict=True)]
            body += [
                gripper.make_gripper_boxes(tool[i], width)
                for tool, width in zip(tools, openings[i].tolist(), strict=True)
            ]
            things = [held.at(time_s, tool[i]) for held, tool in zip(self._held, tools, strict=True)]
            others = [boxes for boxes in (*things, self.scene.cast(time_s)) if boxes is not None]
            arm, whole = sum(map(len, body)), join_boxes(*body, *others)
            which = np.where(np.arange(len(whole)) < arm, ARM_PRINT, THING_PRINT)
            yield Moment(self._camera_from_base(tools, i), whole, which, arm)

    def _paces(self, times_s: Floats) -> Floats:
        """Return about how many pixels a second the picture moves: all of it on a wrist, else the quickest link."""
        focal = self.view.lens.focal_widths * self.view.width
        (links, tools), (later_links, later_tools) = self._frames(times_s), self._frames(times_s + BRIEF_S)
        if self.view.on_limb is not None:
            before, after = (each[self.view.on_limb] @ self.view.mount for each in (tools, later_tools))
            turned = tf.angle_between(before[:, :3, :3], after[:, :3, :3])
            moved = np.linalg.norm(after[:, :3, 3] - before[:, :3, 3], axis=1)
            return np.asarray((turned + moved / CLOSE_M) * focal / BRIEF_S)
        here, there = (
            np.concatenate([*each, *(tool[:, None] for tool in ends)], axis=1)[..., :3, 3]
            for each, ends in ((links, tools), (later_links, later_tools))
        )
        moved = np.linalg.norm(there - here, axis=-1).max(axis=1)
        near = np.linalg.norm(here - self.view.mount[:3, 3], axis=-1).min(axis=1)
        return np.asarray(moved / near * focal / BRIEF_S)

    def _frames(self, times_s: Floats) -> tuple[list[Floats], list[Floats]]:
        """Return `base_from_link` and `base_from_tool` of each limb at many times."""
        limbs = self.rig.arm.limbs
        angles = self.rig.arm.split(self._joints(times_s))
        links = [kin.compute_link_poses(limb.chain, part) for limb, part in zip(limbs, angles, strict=True)]
        return links, [at[:, -1] @ limb.chain.last_from_tool for limb, at in zip(limbs, links, strict=True)]

    def _camera_from_base(self, tools: list[Floats], i: int) -> Floats:
        if self._fixed is not None:
            return self._fixed
        assert self.view.on_limb is not None
        return tf.invert_transform(tools[self.view.on_limb][i] @ self.view.mount)
