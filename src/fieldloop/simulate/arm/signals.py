"""What joints, gripper, wrist sensor and accelerometer feel while a path is driven."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry.transforms import Floats
from fieldloop.model.policy import FailureClass
from fieldloop.simulate.arm import arm, gripper
from fieldloop.simulate.arm.carry import GRAVITY
from fieldloop.simulate.arm.controller import HOME_OPENING_M, LAG_S
from fieldloop.simulate.arm.physics import Verdict
from fieldloop.simulate.arm.scene import Item

ENCODER_RAD = 1e-4
VELOCITY_RAD_S = 2e-3
WIDTH_M = 2e-5
EFFORT_N = 0.08
FORCE_N, TORQUE_NM = 0.04, 0.002
ACCELERATION, TURN_RATE = 0.04, 0.002
"""Standard deviations of what is read."""
GRIP_RISE_S = 0.05
HIT_N, HIT_S, LEAN_N = 28.0, 0.03, 6.0
"""A collision: peak, decay, and what remains while the arm stands still against the thing it hit."""


@dataclass(frozen=True, slots=True, eq=False)
class Feeling:
    """The attempt as smooth functions of time, from which every sensor samples at its own beat."""

    verdict: Verdict
    item: Item

    def compute_joint_angles(self, times_s: Floats) -> Floats:
        """Return the true joint angles."""
        return np.asarray(self._fit_spline(self.verdict.path.joints_rad)(self._clip_times(times_s)))

    def compute_velocities(self, times_s: Floats) -> Floats:
        """Return the true joint velocities; none before the first and after the last motion."""
        rate = self._fit_spline(self.verdict.path.joints_rad)(self._clip_times(times_s), 1)
        return np.asarray(np.where(self._is_moving(times_s)[:, None], rate, 0.0))

    def compute_commands(self, times_s: Floats) -> Floats:
        """Return the commanded joint angles: what the joints will do a moment later."""
        return self.compute_joint_angles(times_s + LAG_S)

    def compute_opening(self, times_s: Floats) -> Floats:
        """Return the opening between the fingers."""
        at, width = zip(*self._list_opening_knots(), strict=True)
        return np.asarray(np.interp(times_s, at, width))

    def compute_opening_command(self, times_s: Floats) -> Floats:
        """Return the commanded opening: as wide as asked for, shut, wide again."""
        phases, path = self.verdict.path.phases, self.verdict.path
        shut = phases["grasp"][0] if "grasp" in phases else np.inf
        let_go = phases["release"][0] if "release" in phases else np.inf
        later = times_s + LAG_S
        wide = np.interp(later, [0.0, phases["approach"][1] / 2], [HOME_OPENING_M, path.grasp.width_m])
        return np.asarray(np.where(later < shut, wide, np.where(later < let_go, 0.0, HOME_OPENING_M)))

    def compute_grip_force(self, times_s: Floats) -> Floats:
        """Return the force between the fingers: it rises when they meet the item, or each other."""
        verdict, force = self.verdict, self.verdict.path.grasp.force_n
        phases = verdict.path.phases
        if "grasp" not in phases or "release" not in phases:
            return np.zeros(len(times_s))
        let_go = phases["release"][0]
        width, pressed = verdict.path.grasp.width_m, np.zeros(len(times_s))
        meets = verdict.contact_s
        if meets is None:
            meets = phases["grasp"][0] + width / gripper.CLOSING_M_PER_S
        spans = [(meets, let_go)]
        if verdict.grip is not None and verdict.lost_s is not None and verdict.lost_s < let_go - 1e-9:
            shut = verdict.lost_s + verdict.grip.opening_m / gripper.CLOSING_M_PER_S
            spans = [(meets, verdict.lost_s), (shut, let_go)]
        for begin, end in spans:
            rise = 1 - np.exp(-np.clip(times_s - begin, 0, None) / GRIP_RISE_S)
            fade = np.exp(-np.clip(times_s - end, 0, None) / 0.03)
            pressed = pressed + force * rise * fade
        return np.clip(pressed, 0.0, force)

    def compute_wrench(self, times_s: Floats) -> Floats:
        """Return force and torque at the wrist in the tool's frame: the item's weight, inertia, and what was hit."""
        pull = self._compute_acceleration(times_s)
        load = -gripper.MASS_KG * pull + self._compute_carried_mass(times_s)[:, None] * (
            np.array([0, 0, -GRAVITY]) - pull
        )
        force = self._rotate_into_tool(load, times_s)
        force[:, 2] -= self._compute_impact_force(times_s)
        grip = self.verdict.grip
        arm_m = np.array([0.0 if grip is None else -grip.along_m, 0.0, arm.FLANGE_M])
        return np.concatenate([force, np.cross(arm_m, force)], axis=1)

    def compute_inertial_reading(self, times_s: Floats) -> Floats:
        """Return specific force and turn rate in the tool's frame, as a strapped-down sensor reads them."""
        felt = self._compute_acceleration(times_s) + np.array([0, 0, GRAVITY])
        felt[:, 2] += self._compute_impact_force(times_s) / 2.0
        turning = self._fit_spline(self.verdict.path.yaw_rad)(self._clip_times(times_s), 1)
        about = np.zeros((len(times_s), 3))
        about[:, 2] = np.where(self._is_moving(times_s), turning, 0.0)
        return np.concatenate([self._rotate_into_tool(felt, times_s), self._rotate_into_tool(about, times_s)], axis=1)

    def _fit_spline(self, values: Floats):  # type: ignore[no-untyped-def]  # noqa: ANN202 - SciPy brings no types
        from scipy.interpolate import CubicSpline

        return CubicSpline(self.verdict.path.times_s, values, bc_type="clamped")

    def _clip_times(self, times_s: Floats) -> Floats:
        return np.clip(times_s, 0.0, self.verdict.path.times_s[-1])

    def _is_moving(self, times_s: Floats) -> np.ndarray:
        return np.asarray((times_s >= 0) & (times_s <= self.verdict.path.times_s[-1]))

    def _compute_acceleration(self, times_s: Floats) -> Floats:
        pull = self._fit_spline(self.verdict.path.xyz)(self._clip_times(times_s), 2)
        return np.asarray(np.where(self._is_moving(times_s)[:, None], pull, 0.0))

    def _rotate_into_tool(self, vectors: Floats, times_s: Floats) -> Floats:
        yaw = np.interp(times_s, self.verdict.path.times_s, self.verdict.path.yaw_rad)
        cosine, sine = np.cos(yaw), np.sin(yaw)
        level = cosine * vectors[:, 0] + sine * vectors[:, 1]
        return np.stack([-level, -sine * vectors[:, 0] + cosine * vectors[:, 1], -vectors[:, 2]], axis=1)

    def _compute_carried_mass(self, times_s: Floats) -> Floats:
        """Return the mass that hangs in the fingers: it comes as the item leaves the ground, and goes at once."""
        verdict = self.verdict
        if verdict.grip is None or verdict.lost_s is None or "lift" not in verdict.path.phases:
            return np.zeros(len(times_s))
        comes = np.clip((times_s - verdict.path.phases["lift"][0] - 0.05) / 0.12, 0.0, 1.0)
        return np.asarray(np.where(times_s <= verdict.lost_s, comes, 0.0) * self.item.mass_kg)

    def _compute_impact_force(self, times_s: Floats) -> Floats:
        if self.verdict.failure is not FailureClass.COLLISION:
            return np.zeros(len(times_s))
        since = times_s - self.verdict.cycle_s
        leaning = np.where((since >= 0) & (since < 1.0), LEAN_N, 0.0)
        return np.asarray(np.where(since >= 0, HIT_N * np.exp(-np.clip(since, 0, None) / HIT_S), 0.0) + leaning)

    def _list_opening_knots(self) -> list[tuple[float, float]]:
        verdict, path = self.verdict, self.verdict.path
        phases, width, speed = path.phases, path.grasp.width_m, gripper.CLOSING_M_PER_S
        knots = [(0.0, HOME_OPENING_M), (phases["approach"][1] / 2, width)]
        if "grasp" not in phases or "release" not in phases:
            home = path.times_s[-1]
            return [*knots, (home - 0.6, width), (home - 0.3, HOME_OPENING_M)]
        shuts, let_go = phases["grasp"][0], phases["release"][0]
        held = 0.0 if verdict.grip is None else verdict.grip.opening_m
        knots += [(shuts, width), (shuts + max(width - held, 0.0) / speed + 1e-6, held)]
        if verdict.grip is not None and verdict.lost_s is not None and verdict.lost_s < let_go - 1e-9:
            shut = verdict.lost_s + held / speed
            knots += [(verdict.lost_s, held), (shut, 0.0)]
            held, let_go = 0.0, max(let_go, shut + 1e-6)
        return [*knots, (let_go, held), (max(phases["release"][1], let_go + 1e-3), HOME_OPENING_M)]
