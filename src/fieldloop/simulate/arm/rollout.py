"""Run one attempt of a policy: it sees a scene and returns a grasp; controller and physics give the result."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry import chain as kin
from fieldloop.geometry import transforms as tf
from fieldloop.model.condition import Stratum
from fieldloop.model.policy import Action, FailureClass, Observation, Policy
from fieldloop.simulate.arm import arm
from fieldloop.simulate.arm.camera import Moment, make_cameras
from fieldloop.simulate.arm.compression import simulate_delivered_depth, simulate_delivered_picture
from fieldloop.simulate.arm.controller import HOME_OPENING_M, Grasp, Style, clamp_grasp, plan_pick_path
from fieldloop.simulate.arm.physics import TIMEOUT_S, Verdict, simulate_pick
from fieldloop.simulate.arm.rig import Rig
from fieldloop.simulate.arm.scene import Scene

SEES = ("camera/overhead", "depth/overhead")


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """How one attempt of a policy ended; `verdict` is None where it gave no grasp that could be tried."""

    stratum: Stratum
    succeeded: bool
    failure: FailureClass | None
    reason: str
    cycle_s: float
    confidence: float | None
    latency_ms: float | None
    action: Action
    scene: Scene
    verdict: Verdict | None
    steps: int = 1


def make_observation(scene: Scene, rig: Rig, at_ns: int) -> Observation:
    """Return what a policy sees before anything moves: the arm where it waits, the fingers half open."""
    item, angles = scene.item, scene.edge.get_start_angles()
    links = kin.compute_link_poses(arm.make_arm_chain(), angles)
    tool = links[-1] @ arm.make_arm_chain().last_from_tool
    place = tf.make_transform(
        tf.make_rotation_about_axis("z", np.array(item.yaw_rad)), [item.x, item.y, item.bottom + item.height / 2]
    )
    moment = Moment(links, tool, HOME_OPENING_M, place)
    cameras = make_cameras(scene, rig, SEES)
    pictures: dict[str, NDArray[Any]] = {
        "camera/overhead": simulate_delivered_picture(cameras["camera/overhead"].render_colour(moment, 0)),
        "depth/overhead": simulate_delivered_depth(cameras["depth/overhead"].render_depth(moment, 0)),
    }
    signals = {"joints": angles, "gripper": np.array([HOME_OPENING_M]), "tool": tf.pose_from_matrix(tool)}
    return Observation(at_ns, pictures, signals)


def attempt_pick(policy: Policy, scene: Scene, rig: Rig, at_ns: int) -> Attempt:
    """Run one attempt of a policy in a scene."""
    action = policy.act(make_observation(scene, rig, at_ns))
    grasp = _read_grasp(action)
    if grasp is None:
        why = "the policy gave no finite grasp"
        return _make_attempt(scene, action, None, FailureClass.OTHER, why, TIMEOUT_S)
    path = plan_pick_path(grasp, Style(), scene.site.bin_floor_m, scene.edge.get_start_angles())
    verdict = simulate_pick(scene, path)
    return _make_attempt(scene, action, verdict, verdict.failure, verdict.reason, verdict.cycle_s)


def _make_attempt(
    scene: Scene, action: Action, verdict: Verdict | None, failure: FailureClass | None, reason: str, cycle_s: float
) -> Attempt:
    return Attempt(
        stratum=scene.stratum,
        succeeded=verdict is not None and verdict.succeeded,
        failure=failure,
        reason=reason,
        cycle_s=cycle_s,
        confidence=action.confidence,
        latency_ms=action.latency_ms,
        action=action,
        scene=scene,
        verdict=verdict,
    )


def _read_grasp(action: Action) -> Grasp | None:
    named = dict(zip(action.names, np.asarray(action.values, dtype=float).ravel().tolist(), strict=True))
    if missing := [name for name in Grasp.NAMES if name not in named]:
        raise BadInput(f"A grasp needs {', '.join(Grasp.NAMES)}; the policy's action lacks {', '.join(missing)}.")
    values = [named[name] for name in Grasp.NAMES]
    return clamp_grasp(Grasp(*values)) if np.isfinite(values).all() else None
