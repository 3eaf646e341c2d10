"""How accurately is a camera located, and how soon is a moved one noticed? Every method on the same scenes.

The yardstick is Park's closed form refined by least squares with *known* noise; ours must estimate the noise.
"""

import math
from collections.abc import Mapping

import numpy as np

from bench.harness import Figure, main, summarise, summarise_mean, summarise_share
from fieldloop.calibrate import measure_drift, measure_slow_drift
from fieldloop.calibrate.conventions import choose_reading, convert_to_matrices
from fieldloop.calibrate.hand_eye import METHODS, REFINED, Pairs, Setup, make_pairs, solve_hand_eye
from fieldloop.calibrate.hand_eye.held_out import measure_held_out_residuals
from fieldloop.calibrate.hand_eye.methods import solve_closed_form
from fieldloop.calibrate.hand_eye.pairing import choose_spread_poses, estimate_clock_offset, pair_by_stamp
from fieldloop.calibrate.hand_eye.refine import refine_answer
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.ingest.poses import read_poses
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.model.verification import Drift
from fieldloop.protocol import default_protocol
from fieldloop.testing.hand_eye_scene import CHEAP_ARM, GOOD_ARM, Noise, compute_pose_error, make_hand_eye_scene
from fieldloop.testing.shared import find_shared_data

PROTOCOL = default_protocol()
SCENARIOS = {
    "good_15": (15, 30.0, GOOD_ARM, (0.085, 0.77)),
    "good_40": (40, 30.0, GOOD_ARM, (0.061, 0.47)),
    "small_turns": (15, 10.0, GOOD_ARM, (0.148, 1.82)),
    "cheap": (15, 30.0, CHEAP_ARM, (0.290, 2.87)),
    "cheap_wide": (15, 60.0, CHEAP_ARM, (0.176, 1.58)),
}
"""Poses, span, noise, and what the yardstick showed over 60 (or 40) scenes when it was chosen: degrees, millimetres."""
RUNS, SHORT_RUNS = 200, 12
YARDSTICK = "yardstick"
STEPS = {"still": (0.0, 0.0), "0.1deg": (0.1, 0.0), "0.2deg": (0.2, 0.0), "1mm": (0.0, 1.0), "2mm": (0.0, 2.0)}
VIEWS = (1, 3, 5, 10, 20)
TYPICAL_AWAY_M = 0.5


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Measure hand-eye accuracy, drift detection, slow drift's false alarms, and the real sets."""
    runs = SHORT_RUNS if short else RUNS
    figures: dict[str, Figure] = {}
    for name, (poses, span, noise, aim) in SCENARIOS.items():
        figures |= _accuracy(name, poses, span, noise, aim, runs)
    figures |= _coverage(runs)
    figures |= _detection(runs)
    figures["slow_drift_looks_to_false_alarm"] = _run_length(40 if short else 200)
    for which in ("real", "sim"):
        figures |= _eth(which)
    return figures


def _accuracy(
    name: str, poses: int, span: float, noise: Noise, aim: tuple[float, float], runs: int
) -> dict[str, Figure]:
    off: dict[str, list[tuple[float, float]]] = {method: [] for method in (*METHODS, YARDSTICK)}
    for seed in range(runs):
        made = make_hand_eye_scene(poses, span, noise, np.random.default_rng(seed))
        given = make_pairs(made.base_from_gripper, made.camera_from_target, Setup.EYE_IN_HAND)
        park = solve_closed_form(given, "park")
        assert park is not None
        for method in METHODS:
            answer = refine_answer(given, park).answer if method == REFINED else solve_closed_form(given, method)
            if answer is not None:
                off[method].append(compute_pose_error(made.gripper_from_camera, answer.mount_from_camera))
        off[YARDSTICK].append(
            compute_pose_error(made.gripper_from_camera, _with_known_noise(given, park.mount_from_camera, noise))
        )
    figures = {}
    for method, each in off.items():
        aims = tuple(f"{a:g} in the research note's scenes" if method == YARDSTICK else "" for a in aim)
        figures[f"{name}_{method}_deg"] = summarise([deg for deg, _ in each], "deg", aims[0])
        figures[f"{name}_{method}_mm"] = summarise([mm for _, mm in each], "mm", aims[1])
    for place, unit in enumerate(("deg", "mm")):
        ours, theirs = ([each[place] for each in off[method]] for method in (REFINED, YARDSTICK))
        ratios = [own / other for own, other in zip(ours, theirs, strict=True)]
        figures[f"{name}_refined_over_yardstick_{unit}"] = summarise(ratios, "times", "≤ 1 within its interval")
    return figures


def _with_known_noise(given: Pairs, start: Floats, noise: Noise) -> Floats:
    from scipy.optimize import least_squares

    turn = math.radians(math.hypot(noise.robot_deg, noise.camera_deg))
    shift = math.hypot(noise.robot_m, noise.camera_m) + TYPICAL_AWAY_M * math.radians(noise.robot_deg)
    target = (given.world_from_mount @ start @ given.camera_from_target)[0]

    def left(x: Floats) -> Floats:
        camera, world = (tf.make_transform(tf.rotation_from_vector(x[n : n + 3]), x[n + 3 : n + 6]) for n in (0, 6))
        expected = tf.invert_transform(given.world_from_mount @ camera) @ world
        seen = given.camera_from_target
        turned = tf.vector_from_rotation(np.swapaxes(seen[:, :3, :3], -1, -2) @ expected[:, :3, :3])
        return np.concatenate([(turned / turn).ravel(), ((expected[:, :3, 3] - seen[:, :3, 3]) / shift).ravel()])

    begin = np.concatenate([np.r_[tf.vector_from_rotation(p[:3, :3]), p[:3, 3]] for p in (start, target)])
    found = least_squares(left, begin, loss="huber", f_scale=2.0).x
    return tf.make_transform(tf.rotation_from_vector(found[:3]), found[3:6])


def _coverage(runs: int) -> dict[str, Figure]:
    """How often does the whole calibration pass on a good arm, and does the truth lie within its bounds?"""
    passed, within_mm, within_deg, chance = [], [], [], []
    for seed in range(runs):
        made = make_hand_eye_scene(20, 30, GOOD_ARM, np.random.default_rng(10_000 + seed))
        given = make_pairs(made.base_from_gripper, made.camera_from_target, Setup.EYE_IN_HAND)
        found = solve_hand_eye(given, Setup.EYE_IN_HAND, PROTOCOL)
        assert found.answer is not None
        off_deg, off_mm = compute_pose_error(made.gripper_from_camera, found.answer.mount_from_camera)
        passed.append(found.status is Status.PASSED)
        within_mm.append(off_mm <= (found.uncertainty_mm or 0))
        within_deg.append(off_deg <= (found.uncertainty_deg or 0))
        scores = {method: residual.score(2.0, 0.5) for method, residual in found.held_out.items()}
        chance.append(min(s for m, s in scores.items() if m != REFINED) / scores[REFINED])
    return {
        "good_20_passed": summarise_share(passed, aim="≥ 0.95"),
        "good_20_within_mm": summarise_share(within_mm, aim="0.95"),
        "good_20_within_deg": summarise_share(within_deg, aim="0.95"),
        "best_other_over_refined_least": Figure(min(chance), unit="share", aim="> hand_eye_clearly_better"),
    }


def _detection(runs: int) -> dict[str, Figure]:
    held = Calibration(
        "c", "hand_eye", "r", "s", "gripper", "s", (), "", 0.51 * 3**0.5, 0.102 * 3**0.5, 20, Status.PASSED, 0,
        covariance=((0.0,) * 6,) * 6,
    )  # fmt: skip
    figures = {}
    for name, (turn_deg, shift_mm) in STEPS.items():
        for views in VIEWS:
            seen = [_look(held, views, turn_deg, shift_mm, seed) for seed in range(runs)]
            aim = "≤ 0.001" if name == "still" else ""
            figures[f"moved_{name}_{views}_views"] = summarise_share([each.moved for each in seen], aim=aim)
    return figures


def _look(held: Calibration, views: int, turn_deg: float, shift_mm: float, seed: int) -> Drift:
    rng = np.random.default_rng(seed)
    made = make_hand_eye_scene(views, 30, GOOD_ARM, rng)
    axis, way = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    step = tf.make_transform(tf.rotation_from_vector(axis * math.radians(turn_deg)), way * shift_mm / 1e3)
    expected = tf.invert_transform(made.base_from_gripper @ made.gripper_from_camera) @ made.base_from_target
    found = measure_drift(held, expected, tf.invert_transform(step) @ made.camera_from_target, PROTOCOL)
    assert found is not None
    return found


def _run_length(runs: int) -> Figure:
    """Looks until the slow alarm on a camera that does not drift; cut off at 4000."""
    rng, unit = np.random.default_rng(0), tuple(tuple(row) for row in np.eye(6))
    lengths = []
    for _ in range(runs):
        looks = [Drift(tuple(step), unit, 0, 0, 1, moved=False, own_noise=True) for step in rng.normal(size=(4000, 6))]
        shares = np.array(measure_slow_drift(looks, PROTOCOL))
        lengths.append(float(np.argmax(shares >= 1) + 1 if (shares >= 1).any() else len(shares)))
    return summarise_mean(lengths, "looks (mean)", "about 1000")


def _eth(which: str) -> dict[str, Figure]:
    folder = find_shared_data("handeye-eth")
    if folder is None:
        return {}
    given = read_poses([folder / f"robot_arm_w_color_camera_{which}.zip"])
    assert given.robot.stamps_s is not None
    assert given.target.stamps_s is not None
    robot, target = (
        convert_to_matrices(given.robot, choose_reading(given.robot)),
        convert_to_matrices(given.target, choose_reading(given.target, inverse=("target",))),
    )
    stamps = given.robot.stamps_s, given.target.stamps_s
    offset_s = estimate_clock_offset(robot, stamps[0], target, stamps[1], min_correlation=0.5, max_offset_s=5.0) or 0.0
    near = pair_by_stamp(robot, given.robot.stamps_s, given.target.stamps_s, offset_s=offset_s, max_distance_s=0.02)
    most = int(PROTOCOL.setting("calibration.hand_eye_max_poses"))
    chosen = choose_spread_poses(near.robot, near.speed_rad_s, most, slow_share=0.75, min_distance=0.02)
    made = make_pairs(near.robot[chosen], target[near.rows[chosen]], Setup.EYE_IN_HAND)
    park = solve_closed_form(made, "park")
    assert park is not None
    figures = {f"eth_{which}_clock_offset_ms": Figure(1e3 * offset_s, unit="ms")}
    for method, residual in measure_held_out_residuals(made, refine_answer(made, park).answer, 5).items():
        figures[f"eth_{which}_{method}_held_out_mm"] = Figure(residual.translation_mm, unit="mm")
        figures[f"eth_{which}_{method}_held_out_deg"] = Figure(residual.rotation_deg, unit="deg")
    return figures


if __name__ == "__main__":
    main(measure)
