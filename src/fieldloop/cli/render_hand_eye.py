"""Terminal output of arm-mounted sensors: hand-eye, force-torque, poses and verifications."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import facts, heading, mark, styled, table
from fieldloop.geometry import transforms as tf
from fieldloop.model.codec import iso
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.say import sentence
from fieldloop.say.numbers import fixed, p_value, percent

NOT_INSTEAD = ", unless one that passed is in force"


def hand_eye_found(result: Any, screen: Screen) -> None:
    """Print a hand-eye calibration: the answer, both poses, every method side by side, what to do next."""
    calibrated = result.found
    screen.print(heading("Hand-eye  ").append(mark(calibrated.status)))
    screen.write(sentence(calibrated.reason))
    if calibrated.answer:
        camera, target = (
            tf.pose_from_matrix(p) for p in (calibrated.answer.mount_from_camera, calibrated.answer.world_from_target)
        )
        screen.print(
            facts(
                [
                    (f"camera in the {calibrated.setup.mount}", _pose(camera)),
                    (f"target in the {calibrated.setup.world}", _pose(target)),
                    ("known to", f"{fixed(calibrated.uncertainty_mm, 2)} mm, {fixed(calibrated.uncertainty_deg, 3)}°"),
                    ("poses used", f"{len(calibrated.used)} of {result.paired}, as {calibrated.setup}"),
                    ("read as", "; ".join(f"{r.rotation}, {r.unit}{', inverse' * r.inverse}" for r in result.readings)),
                ]
            )
        )
        rows = [
            (f"{method}{' ←' * (method == calibrated.method)}", fixed(r.translation_mm, 2), fixed(r.rotation_deg, 3))
            for method, r in calibrated.held_out.items()
        ]
        screen.print(heading("On held-out poses"))
        screen.print(table(("method", "mm", "deg"), rows, right=("mm", "deg")))
    _print_rejected(calibrated.rejected, screen)
    for assumed in result.assumed:
        screen.print(styled(sentence(assumed), "yellow"))
    _proposals(result.proposals, screen)
    _advice(calibrated.advice, screen)
    if result.calibration:
        screen.write(f"\nStored for {result.calibration.sensor} of {result.calibration.robot}.")


def force_torque_found(result: Any, screen: Screen) -> None:
    """Print a force-torque sensor's mounting, the tool's weight and the bias."""
    calibrated = result.found
    screen.print(heading("Force-torque  ").append(mark(calibrated.status)))
    screen.write(sentence(calibrated.reason))
    if calibrated.mass_kg is not None:
        screen.print(
            facts(
                [
                    (
                        "turned from the wrist",
                        f"{fixed(calibrated.turn_deg, 2)} ± {fixed(calibrated.turn_uncertainty_deg, 2)}°",
                    ),
                    ("tool", f"{fixed(calibrated.mass_kg, 3)} ± {fixed(calibrated.mass_uncertainty_kg, 3)} kg"),
                    (
                        "centre of mass",
                        (
                            f"{_numbers_text(calibrated.centre_of_mass_m, 4)} m "
                            f"± {fixed(calibrated.centre_uncertainty_mm, 1)} mm"
                        ),
                    ),
                    (
                        "bias",
                        (
                            f"{_numbers_text(calibrated.force_bias_n, 2)} N; "
                            f"{_numbers_text(calibrated.torque_bias_nm, 3)} Nm"
                        ),
                    ),
                    ("noise", f"{fixed(calibrated.force_noise_n, 3)} N, {fixed(calibrated.torque_noise_nm, 4)} Nm"),
                    ("poses used", calibrated.poses_used),
                ]
            )
        )
    _print_rejected(calibrated.poses_rejected, screen)
    _proposals(result.proposals, screen)
    _advice(calibrated.advice, screen)


def placed(found: Any, screen: Screen) -> None:
    """Print a camera's pose, its uncertainty and the start of its validity."""
    screen.print(heading(f"{found.sensor}  ").append(mark(found.status)))
    if found.message:
        screen.write(sentence(found.message))
    pose = tf.pose_from_matrix(np.array(found.parent_from_child))
    shown = [
        (f"{found.child} in the {found.parent}", _pose(pose)),
        ("points", found.points),
        ("error on held-out points", None if found.residual_mm is None else f"{fixed(found.residual_mm, 2)} mm"),
        ("known to", _uncertainty_text(found)),
        ("valid from", iso(found.valid_from_ns) + ("" if found.status is Status.PASSED else NOT_INSTEAD)),
        ("stored for", f"{found.robot}, as {found.id}"),
    ]
    screen.print(facts((name, value) for name, value in shown if value is not None))


def _uncertainty_text(calibrated: Any) -> str | None:
    if calibrated.uncertainty_mm is None or calibrated.uncertainty_deg is None:
        return None
    return f"{fixed(calibrated.uncertainty_mm, 2)} mm, {fixed(calibrated.uncertainty_deg, 3)}°"


def verified(result: Any, screen: Screen) -> None:
    """Print a verification: the offset, whether collecting must stop, and how many episodes are flagged."""
    word = "stop collecting" if result.halts else ""
    screen.print(heading(f"{result.verification.sensor}  ").append(mark(result.status, word)))
    screen.write(sentence(result.says))
    moved = result.verification.drift
    doubt = "cannot tell" if moved is None or moved.p_value is None else p_value(moved.p_value)
    chance = f"{fixed(moved.shift_mm, 2)} mm, {fixed(moved.turn_deg, 3)}° ({doubt})" if moved else "–"
    screen.print(
        facts(
            [
                ("views", result.verification.views),
                ("moved since the first verification", chance),
                ("slow drift", f"{percent(result.slow_drift, 0)} of the alarm threshold"),
                ("episodes flagged", len(result.flagged)),
            ]
        )
    )


def _print_rejected(rejected: Iterable[Any], screen: Screen) -> None:
    if rows := [(each.pose, sentence(each.reason)) for each in rejected]:
        screen.print(heading("Left out"))
        screen.print(table(("pose", "why"), rows))


def _proposals(proposals: Iterable[Any], screen: Screen) -> None:
    if rows := [(" ".join(p.options), f"{fixed(p.times_smaller, 1)}", sentence(p.says)) for p in proposals]:
        screen.print(heading("Another way to read the file fits better (not applied)"))
        screen.print(table(("options", "times", ""), rows, right=("times",)))


def _advice(advice: Iterable[Note], screen: Screen) -> None:
    if hints := tuple(advice):
        screen.print(heading("How to improve the calibration"))
        for hint in hints:
            screen.write(f"  {sentence(hint)}")


def _pose(pose: Any) -> str:
    return f"{_numbers_text(pose[:3], 4)} m, quaternion {_numbers_text(pose[3:], 4)}"


def _numbers_text(values: Any, digits: int) -> str:
    return " ".join(fixed(value, digits) for value in values)
