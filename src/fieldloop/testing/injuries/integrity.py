"""Injuries that the checks of integrity must notice."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note
from fieldloop.testing.injuries.injury import Injury, change_values
from fieldloop.testing.synthetic import replace_streams


def set_nan(case: Case) -> Case:
    """Set one reading to NaN."""

    def set_value_to_nan(values: NDArray[Any]) -> None:
        values[700, 1] = np.nan

    return change_values(case, "force", set_value_to_nan)


def drop_joint_readings(case: Case) -> Case:
    """Replace single readings of a joint by one value, at several places of its path."""

    def set_fixed_value(values: NDArray[Any]) -> None:
        values[[400, 520, 640, 760], 1] = 3.0

    return change_values(case, "joints", set_fixed_value)


def freeze_force(case: Case) -> Case:
    """Repeat the wrench for a second during movement."""

    def repeat_values(values: NDArray[Any]) -> None:
        values[1000:1300] = values[1000]

    return change_values(case, "force", repeat_values)


def freeze_imu_axis(case: Case) -> Case:
    """Hold one axis of the inertial sensor constant."""

    def freeze_column(values: NDArray[Any]) -> None:
        values[:, 2] = 0.0

    return change_values(case, "imu", freeze_column)


def clip_imu_peak(case: Case) -> Case:
    """Clip an impact at the end of the inertial sensor's range."""

    def clip_values(values: NDArray[Any]) -> None:
        values[1000:1060, 0] = 19.6

    return change_values(case, "imu", clip_values)


def shrink_quaternion(case: Case) -> Case:
    """Shorten a quaternion by a twentieth for a while, as averaging two does."""

    def shorten_quaternions(values: NDArray[Any]) -> None:
        values[500:520, 3:] *= 0.95

    return change_values(case, "tool", shorten_quaternions)


def add_defect(case: Case) -> Case:
    """Add a read defect."""
    defect = Defect.from_place(
        "log.mcap", "byte", 4096, note("ingest.chunk_damaged", reason="its checksum does not match")
    )
    return replace(case, recording=replace(case.recording, defects=(defect,)), _kept={})


def misstate_frame_count(case: Case) -> Case:
    """State another number of frames than the video has."""
    message = note("ingest.video_length_differs", frames=90, rows=100)
    defect = Defect.from_place("camera/overhead", "episode", 0, message, Harm.MISLEADS)
    return replace(case, recording=replace(case.recording, defects=(defect,)), _kept={})


INJURIES: dict[str, Injury] = {
    "integrity.readable": Injury(add_defect),
    "integrity.described": Injury(misstate_frame_count),
    "integrity.required_streams": Injury(
        lambda case: replace(case, recording=replace_streams(case.recording, {"camera/overhead": None}), _kept={}),
    ),
    "integrity.not_finite": Injury(set_nan),
    "integrity.dropouts": Injury(drop_joint_readings, {"motion.teleport": "the jump is too fast for an arm"}),
    "integrity.frozen": Injury(freeze_force),
    "integrity.dead_columns": Injury(freeze_imu_axis),
    "integrity.saturated": Injury(clip_imu_peak),
    "integrity.unit_quaternion": Injury(shrink_quaternion),
}
