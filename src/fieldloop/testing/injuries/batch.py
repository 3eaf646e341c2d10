"""Injuries that the checks of batches must notice."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Batch
from fieldloop.model.finding import Measured, Measurement
from fieldloop.model.note import NO_SUBJECT
from fieldloop.testing.injuries.injury import BatchInjury, change_imprints, relabel


def reassign_to_one_operator(batch: Batch) -> Batch:
    """Give all episodes of one operator to another."""
    return relabel(batch, lambda _, e: {"operator": "operator-0"} if e.operator == "operator-1" else {})


def group_sessions_by_operator(batch: Batch) -> Batch:
    """Let each operator work once, one after the other, in four long sessions."""
    fourth = len(batch.episodes) // 4
    return relabel(batch, lambda i, _: {"operator": f"operator-{i // fourth}", "session": f"session-{i // fourth}"})


def relabel_dim_as_bright(batch: Batch) -> Batch:
    """Label three in four of the dim episodes as bright."""
    return relabel(
        batch,
        lambda i, e: {"stratum": type(e.stratum).of({**e.stratum.levels, "lighting": "bright"})} if i % 8 != 1 else {},
    )


def move_grasps_to_one_side(batch: Batch) -> Batch:
    """Move every grasp to one side of the work area."""

    def shift_array(array: NDArray[np.float32]) -> NDArray[np.float32]:
        moved = array.copy()
        moved[1] = -abs(moved[1])
        return moved

    return change_imprints(batch, "grasp/tool/tool", lambda _, array: shift_array(array))


def approach_from_one_side(batch: Batch) -> Batch:
    """Make every approach come from one side, with a little scatter."""
    random = np.random.default_rng(0)
    return change_imprints(
        batch, "approach/tool", lambda *_: _normalise_vector(np.asarray([0.4, 0.0, -0.9]) + random.normal(0.0, 0.15, 3))
    )


def approach_along_two_lines(batch: Batch) -> Batch:
    """Make nine in ten approaches come along two lines at most a tool's width apart."""
    one = _normalise_vector(np.asarray([0.42, 0.0, -0.9]))
    other = _normalise_vector(np.asarray([0.0, 0.75, -0.66]))
    return change_imprints(batch, "approach/tool", lambda i, _: other if i % 10 == 0 else one)


def speed_up_two_operators(batch: Batch) -> Batch:
    """Make two operators move at three times the speed of the others."""
    factor = [3.0 if e.operator in ("operator-2", "operator-3") else 1.0 for e in batch.episodes]
    return change_imprints(batch, "speed/mean_rad_s", lambda i, array: array * np.float32(factor[i]))


def give_operators_distinct_motion(batch: Batch) -> Batch:
    """Give each operator a distinct style of motion, in every feature."""
    who = [int(e.operator[-1]) for e in batch.episodes]
    hurt = batch
    for name in ("mean_rad_s", "peak_rad_s", "pause_share", "peaks_per_s", "directness"):
        hurt = change_imprints(hurt, f"speed/{name}", lambda i, array: array * np.float32(1.4 ** who[i]))
    return hurt


def shift_camera_between_calibrations(batch: Batch) -> Batch:
    """Shift the camera by two centimetres in the second calibration."""
    assert batch.calibrations
    first, second = batch.calibrations
    rows = [list(row) for row in second.parent_from_child]
    rows[1][3] += 0.02
    return replace(batch, calibrations=(first, replace(second, parent_from_child=tuple(map(tuple, rows)))))


def turn_camera_before_calibration(batch: Batch) -> Batch:
    """Turn the camera permanently before the sixth session, and calibrate it only before the ninth."""
    late = [int(e.session.removeprefix("session-")) >= 5 for e in batch.episodes]  # noqa: PLR2004  the sixth
    return change_imprints(
        batch, "view/camera/overhead/picture", lambda i, array: np.roll(array, 2, axis=1) if late[i] else array
    )


def slow_down_successes(batch: Batch) -> Batch:
    """Make every success take twice the target."""
    return replace(
        batch,
        measured={
            key: tuple(
                Measured(one.check, tuple(Measurement(NO_SUBJECT, 2.0 * m.value) for m in one.measurements))
                if one.check == "throughput.cycle_time"
                else one
                for one in found
            )
            for key, found in batch.measured.items()
        },
    )


def _normalise_vector(vector: NDArray[np.float64]) -> NDArray[np.float32]:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


BATCH_INJURIES: dict[str, BatchInjury] = {
    "batch.operator_share": BatchInjury(reassign_to_one_operator),
    "batch.operators": BatchInjury(
        lambda batch: relabel(batch, lambda _, e: {"operator": f"operator-{int(e.operator[-1]) % 2}"}),
        {"batch.operator_share": "two people cannot both stay below a third"},
    ),
    "batch.rotation": BatchInjury(group_sessions_by_operator),
    "batch.balance": BatchInjury(relabel_dim_as_bright),
    "batch.coverage": BatchInjury(move_grasps_to_one_side),
    "batch.approach_directions": BatchInjury(approach_from_one_side),
    "batch.approach_diversity": BatchInjury(approach_along_two_lines, {"batch.balance": "one line is one angle"}),
    "batch.reproducibility": BatchInjury(speed_up_two_operators),
    "batch.style": BatchInjury(
        give_operators_distinct_motion, {"batch.reproducibility": "every feature differs by itself"}
    ),
    "batch.calibration_shift": BatchInjury(shift_camera_between_calibrations),
    "batch.view_moved": BatchInjury(turn_camera_before_calibration),
    "batch.cycle_time": BatchInjury(slow_down_successes),
}
