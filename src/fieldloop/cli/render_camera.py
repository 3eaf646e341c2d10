"""Terminal output of camera calibration: lenses, and the pose between two cameras."""

import math
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_facts_table, make_heading, make_styled_text, make_table
from fieldloop.model.intrinsics import Intrinsics, RejectedImage
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_fixed, percent


def print_intrinsics_result(result: Any, screen: Screen) -> None:
    """Print a camera's intrinsics: the answer, the numbers, what was left out, what to do next."""
    _print_intrinsics(result.intrinsics, screen)
    if result.remembered:
        screen.write(f"\nStored for {result.intrinsics.sensor} of {result.intrinsics.robot}.")
    if result.undistorted:
        screen.write(f"\nUndistorted pictures: {result.undistorted}")


def print_camera_pair(result: Any, screen: Screen) -> None:
    """Print two cameras: the pose between them with the lens of each, or how far their clouds are apart."""
    for name, lens in (("Left camera", result.left), ("Right camera", result.right)):
        if lens is not None:
            screen.print(make_heading(name))
            _print_intrinsics(lens, screen)
            screen.print()
    if (pair := result.board) is not None:
        screen.print(make_heading("Both cameras  ").append(format_status(pair.status)))
        screen.write(write_sentence(pair.message))
        shift = [row[3] for row in pair.left_from_right[:3]]
        screen.print(
            make_facts_table(
                [
                    ("right camera seen from the left", _format_numbers(shift, " m", 4) if shift else "–"),
                    ("error in both pictures", _format_pixels(pair.rms_px)),
                    ("distance from the epipolar line", _format_pixels(pair.epipolar_px)),
                    ("distance on held-out pairs", _format_pixels(pair.held_out_px)),
                    ("pairs used", len(pair.pairs_used)),
                ]
            )
        )
        _print_rejected(pair.pairs_rejected, screen)
    if (clouds := result.depth) is not None:
        screen.print(make_heading("Depth  ").append(format_status(clouds.status)))
        screen.write(write_sentence(clouds.message))
        screen.print(
            make_facts_table(
                [
                    ("left must move by", _format_numbers(clouds.shift_mm, " mm", 2)),
                    ("left must turn by", _format_numbers(clouds.turn_deg, "°", 3)),
                    ("points with a partner", f"{percent(clouds.overlap, 0)}"),
                ]
            )
        )
    for warning in result.warnings:
        screen.print(make_styled_text(write_sentence(warning), "yellow"))


def _print_intrinsics(lens: Intrinsics, screen: Screen) -> None:
    screen.print(make_heading("Intrinsics  ").append(format_status(lens.status)))
    screen.write(write_sentence(lens.message) if lens.message else "")
    if lens.camera_matrix:
        (fx, _, cx), (_, fy, cy), _ = lens.camera_matrix
        known = [f" ± {format_fixed(d, 2)}" if math.isfinite(d) else "" for d in lens.deviations] or [""] * 4
        screen.print(
            make_facts_table(
                [
                    ("focal length", f"{format_fixed(fx, 2)}{known[0]}, {format_fixed(fy, 2)}{known[1]} px"),
                    (
                        "centre",
                        (
                            f"{format_fixed(cx, 2)}{known[2]}, {format_fixed(cy, 2)}{known[3]} px of {lens.width} × "
                            f"{lens.height}"
                        ),
                    ),
                    ("distortion", f"{_format_numbers(lens.distortion, '', 4)} ({lens.model})"),
                    ("error on pictures used", _format_pixels(lens.rms_px)),
                    ("error on held-out pictures", _format_pixels(lens.held_out_px)),
                    ("pictures used", len(lens.images_used)),
                    ("share of the picture covered by boards", f"{percent(lens.coverage.covered, 0)}"),
                ]
            )
        )
    _print_rejected(lens.images_rejected, screen)
    if lens.advice:
        screen.print(make_heading("How to improve the calibration"))
        for hint in lens.advice:
            screen.write(f"  {write_sentence(hint)}")


def _print_rejected(rejected: tuple[RejectedImage, ...], screen: Screen) -> None:
    if rejected:
        screen.print(make_heading("Left out"))
        screen.print(make_table(("picture", "why"), [(image.name, write_sentence(image.reason)) for image in rejected]))


def _format_pixels(value: float | None) -> str:
    return "–" if value is None else f"{format_fixed(value, 3)} px"


def _format_numbers(values: Any, unit: str, digits: int) -> str:
    return ", ".join(f"{format_fixed(value, digits)}{unit}" for value in values) or "–"
