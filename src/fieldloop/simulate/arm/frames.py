"""Rendered pictures as a source of frames: each is rendered on demand from the logged joints."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry import chain as kin
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm import arm
from fieldloop.simulate.arm.camera import Eye, Moment
from fieldloop.simulate.arm.track import Track


@dataclass(frozen=True, slots=True, eq=False)
class Logged:
    """What was logged of the arm: angles and openings with the times they were sensed at (s)."""

    joint_times_s: Floats
    joints_rad: Floats
    gripper_times_s: Floats
    opening_m: Floats

    def iterate_moments(self, times_s: Floats, track: Track) -> Iterator[Moment]:
        """Return what a camera sees at each time."""
        angles = np.column_stack([np.interp(times_s, self.joint_times_s, column) for column in self.joints_rad.T])
        openings = np.interp(times_s, self.gripper_times_s, self.opening_m)
        links = kin.compute_link_poses(arm.make_arm_chain(), angles)
        for time_s, opening, frames in zip(times_s.tolist(), openings.tolist(), links, strict=True):
            tool = frames[-1] @ arm.make_arm_chain().last_from_tool
            yield Moment(frames, tool, opening, track.locate_item(time_s, tool))


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """A FrameSource that draws on demand; a frame is the same every time."""

    eye: Eye
    times_s: Floats
    logged: Logged
    track: Track
    is_depth: bool

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.eye.camera.width, self.eye.camera.height

    def __len__(self) -> int:
        return len(self.times_s)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Yield frames in ascending order: uint8 H×W×3, or float32 H×W metres for depth."""
        wanted = np.arange(len(self.times_s)) if indices is None else np.array(sorted(indices), dtype=int)
        moments = self.logged.iterate_moments(self.times_s[wanted], self.track)
        for frame, moment in zip(wanted.tolist(), moments, strict=True):
            yield self.eye.render_depth(moment, frame) if self.is_depth else self.eye.render_colour(moment, frame)
