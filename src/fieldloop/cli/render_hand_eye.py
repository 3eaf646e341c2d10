"""Terminal output of arm-mounted sensors: hand-eye, force-torque, poses and verifications."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_facts_table, make_heading, make_styled_text, make_table
from fieldloop.geometry import transforms as tf
from fieldloop.model.codec import format_iso_time
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_fixed, format_p_value, percent

NOT_INSTEAD = ", unless one that passed is in force"


def print_hand_eye_result(result: Any, screen: Screen) -> None:
    """Print a hand-eye calibration: the answer, both poses, every method side by side, what to do next."""
    calibrated = result.found
    screen.print(make_heading("Hand-eye  ").append(format_status(calibrated.status)))
    screen.write(write_sentence(calibrated.reason))
    if calibrated.answer:
        camera, target = (
            tf.pose_from_matrix(p) for p in (calibrated.answer.mount_from_camera, calibrated.answer.world_from_target)
        )
        screen.print(
            make_facts_table(
                [
                    (f"camera in the {calibrated.setup.mount}", _format_pose(camera)),
                    (f"target in the {calibrated.setup.world}", _format_pose(target)),
                    (
                        "known to",
                        (
                            f"{format_fixed(calibrated.uncertainty_mm, 2)} mm, "
                            f"{format_fixed(calibrated.uncertainty_deg, 3)}°"
                        ),
                    ),
                    ("poses used", f"{len(calibrated.used)} of {result.paired}, as {calibrated.setup}"),
                    ("read as", "; ".join(f"{r.rotation}, {r.unit}{', inverse' * r.inverse}" for r in result.readings)),
                ]
            )
        )
        rows = [
            (
                f"{method}{' ←' * (method == calibrated.method)}",
                format_fixed(r.translation_mm, 2),
                format_fixed(r.rotation_deg, 3),
            )
            for method, r in calibrated.held_out.items()
        ]
        screen.print(make_heading("On held-out poses"))
        screen.print(make_table(("method", "mm", "deg"), rows, right=("mm", "deg")))
    _print_rejected(calibrated.rejected, screen)
    for assumed in result.assumed:
        screen.print(make_styled_text(write_sentence(assumed), "yellow"))
    _print_proposals(result.proposals, screen)
    _print_advice(calibrated.advice, screen)
    if result.calibration:
        screen.write(f"\nStored for {result.calibration.sensor} of {result.calibration.robot}.")


def print_force_torque_result(result: Any, screen: Screen) -> None:
    """Print a force-torque sensor's mounting, the tool's weight and the bias."""
    calibrated = result.found
    screen.print(make_heading("Force-torque  ").append(format_status(calibrated.status)))
    screen.write(write_sentence(calibrated.reason))
    if calibrated.mass_kg is not None:
        screen.print(
            make_facts_table(
                [
                    (
                        "turned from the wrist",
                        f"{format_fixed(calibrated.turn_deg, 2)} ± {format_fixed(calibrated.turn_uncertainty_deg, 2)}°",
                    ),
                    (
                        "tool",
                        f"{format_fixed(calibrated.mass_kg, 3)} ± {format_fixed(calibrated.mass_uncertainty_kg, 3)} kg",
                    ),
                    (
                        "centre of mass",
                        (
                            f"{_format_numbers(calibrated.centre_of_mass_m, 4)} m "
                            f"± {format_fixed(calibrated.centre_uncertainty_mm, 1)} mm"
                        ),
                    ),
                    (
                        "bias",
                        (
                            f"{_format_numbers(calibrated.force_bias_n, 2)} N; "
                            f"{_format_numbers(calibrated.torque_bias_nm, 3)} Nm"
                        ),
                    ),
                    (
                        "noise",
                        (
                            f"{format_fixed(calibrated.force_noise_n, 3)} N, "
                            f"{format_fixed(calibrated.torque_noise_nm, 4)} Nm"
                        ),
                    ),
                    ("poses used", calibrated.poses_used),
                ]
            )
        )
    _print_rejected(calibrated.poses_rejected, screen)
    _print_proposals(result.proposals, screen)
    _print_advice(calibrated.advice, screen)


def print_camera_pose(result: Any, screen: Screen) -> None:
    """Print a camera's pose, its uncertainty and the start of its validity."""
    screen.print(make_heading(f"{result.sensor}  ").append(format_status(result.status)))
    if result.message:
        screen.write(write_sentence(result.message))
    pose = tf.pose_from_matrix(np.array(result.parent_from_child))
    shown = [
        (f"{result.child} in the {result.parent}", _format_pose(pose)),
        ("points", result.points),
        (
            "error on held-out points",
            None if result.residual_mm is None else f"{format_fixed(result.residual_mm, 2)} mm",
        ),
        ("known to", _format_uncertainty(result)),
        ("valid from", format_iso_time(result.valid_from_ns) + ("" if result.status is Status.PASSED else NOT_INSTEAD)),
        ("stored for", f"{result.robot}, as {result.id}"),
    ]
    screen.print(make_facts_table((name, value) for name, value in shown if value is not None))


def _format_uncertainty(calibration: Any) -> str | None:
    if calibration.uncertainty_mm is None or calibration.uncertainty_deg is None:
        return None
    return f"{format_fixed(calibration.uncertainty_mm, 2)} mm, {format_fixed(calibration.uncertainty_deg, 3)}°"


def print_verification(result: Any, screen: Screen) -> None:
    """Print a verification: the offset, whether collecting must stop, and how many episodes are flagged."""
    word = "stop collecting" if result.halts else ""
    screen.print(make_heading(f"{result.verification.sensor}  ").append(format_status(result.status, word)))
    screen.write(write_sentence(result.says))
    moved = result.verification.drift
    doubt = "cannot tell" if moved is None or moved.p_value is None else format_p_value(moved.p_value)
    chance = f"{format_fixed(moved.shift_mm, 2)} mm, {format_fixed(moved.turn_deg, 3)}° ({doubt})" if moved else "–"
    screen.print(
        make_facts_table(
            [
                ("views", result.verification.views),
                ("moved since the first verification", chance),
                ("slow drift", f"{percent(result.slow_drift, 0)} of the alarm threshold"),
                ("episodes flagged", len(result.flagged)),
            ]
        )
    )


def _print_rejected(rejected: Iterable[Any], screen: Screen) -> None:
    if rows := [(each.pose, write_sentence(each.reason)) for each in rejected]:
        screen.print(make_heading("Left out"))
        screen.print(make_table(("pose", "why"), rows))


def _print_proposals(proposals: Iterable[Any], screen: Screen) -> None:
    if rows := [
        (" ".join(p.options), f"{format_fixed(p.times_smaller, 1)}", write_sentence(p.says)) for p in proposals
    ]:
        screen.print(make_heading("Another way to read the file fits better (not applied)"))
        screen.print(make_table(("options", "times", ""), rows, right=("times",)))


def _print_advice(advice: Iterable[Note], screen: Screen) -> None:
    if hints := tuple(advice):
        screen.print(make_heading("How to improve the calibration"))
        for hint in hints:
            screen.write(f"  {write_sentence(hint)}")


def _format_pose(pose: Any) -> str:
    return f"{_format_numbers(pose[:3], 4)} m, quaternion {_format_numbers(pose[3:], 4)}"


def _format_numbers(values: Any, digits: int) -> str:
    return " ".join(format_fixed(value, digits) for value in values)
