"""A timing rig: an arm, a stage, cameras with their lenses and shutters, and how the joints are sensed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.timing_truth.arms import Arm
from bench.timing_truth.lens import Lens
from bench.timing_truth.scenes import Stage
from bench.timing_truth.video import Codec
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats

STAMPED = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""At which share of the exposure a driver takes the stamp."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One camera: where it sits, its lens, picture size and rate, its shutter, and what it does to pictures."""

    mount: Floats
    """`base_from_camera`, or `tool_from_camera` where it rides on a limb."""
    lens: Lens
    width: int = 160
    height: int = 120
    hz: float = 30.0
    on_limb: int | None = None
    exposure_s: float = 0.008
    breathing: float = 0.0
    """Automatic exposure: by which share of itself the exposure wanders."""
    readout_s: float = 0.0
    """Between first and last row; negative where the last row is read first."""
    stamped: str = "middle"
    noise: float = 2.0
    """Standard deviation of a pixel in grey levels."""
    flicker: float = 0.0
    """By which share lamps on the mains vary from frame to frame."""
    codec: Codec = Codec()  # noqa: RUF009 - frozen
    oversample: int = 1
    soft_px: float = 0.6
    """How far optics and sensor spread a point (standard deviation): edges of drawn boxes would be too sharp."""


@dataclass(frozen=True, slots=True)
class JointSensor:
    """How the joints are sensed: rate, whole steps per turn (bits), noise (rad), how old a value is when stamped."""

    hz: float
    bits: int
    noise_rad: float = 0.0
    latency_s: float = 0.0

    @property
    def step_rad(self) -> float:
        """The smallest difference that is seen."""
        return float(2 * np.pi / 2**self.bits)


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """One robot station whose timing is known; `straight` moves its tool along lines."""

    name: str
    arm: Arm
    stage: Stage
    views: Mapping[str, View]
    joints: JointSensor
    straight: bool = False


def looking(eye: tuple[float, float, float], at: tuple[float, float, float]) -> Floats:
    """Return `base_from_camera` of a camera that looks at a place, not from straight above, with the ground below."""
    forward = np.array(at) - np.array(eye)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right = right / np.linalg.norm(right)
    return tf.make_transform(np.stack([right, np.cross(forward, right), forward], axis=1), eye)


def behind_fingers(tilt_rad: float, back_m: float, up_m: float, roll_rad: float = 0.0) -> Floats:
    """Return `tool_from_camera` of a camera behind the palm, tilted towards the fingertips, rolled about its axis."""
    tilted = tf.make_transform(tf.make_rotation_about_axis("y", tilt_rad), [-back_m, 0.0, -up_m])
    return tilted @ tf.make_transform(tf.make_rotation_about_axis("z", roll_rad), [0.0, 0.0, 0.0])
