"""Injuries that the checks of integrity must notice."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.note import note
from fieldloop.testing.injuries.injury import Injury, change_values
from fieldloop.testing.synthetic import with_streams


def set_nan(case: Case) -> Case:
    """Set one reading to NaN."""

    def spoil(values: NDArray[Any]) -> None:
        values[700, 1] = np.nan

    return change_values(case, "force", spoil)


def freeze_force(case: Case) -> Case:
    """Repeat the wrench for a second during movement."""

    def repeat(values: NDArray[Any]) -> None:
        values[1000:1300] = values[1000]

    return change_values(case, "force", repeat)


def kill_axis(case: Case) -> Case:
    """Hold one axis of the inertial sensor constant."""

    def silence(values: NDArray[Any]) -> None:
        values[:, 2] = 0.0

    return change_values(case, "imu", silence)


def cut_peak(case: Case) -> Case:
    """Clip an impact at the end of the inertial sensor's range."""

    def clip(values: NDArray[Any]) -> None:
        values[1000:1060, 0] = 19.6

    return change_values(case, "imu", clip)


def shrink_quaternion(case: Case) -> Case:
    """Shorten a quaternion by a twentieth for a while, as averaging two does."""

    def shorten(values: NDArray[Any]) -> None:
        values[500:520, 3:] *= 0.95

    return change_values(case, "tool", shorten)


def add_defect(case: Case) -> Case:
    """Add a read defect."""
    defect = Defect.at("log.mcap", "byte", 4096, note("ingest.chunk_damaged", reason="its checksum does not match"))
    return replace(case, recording=replace(case.recording, defects=(defect,)), _kept={})


def describe_wrongly(case: Case) -> Case:
    """State another number of frames than the video has."""
    message = note("ingest.video_length_differs", frames=90, rows=100)
    defect = Defect.at("camera/overhead", "episode", 0, message, Harm.MISLEADS)
    return replace(case, recording=replace(case.recording, defects=(defect,)), _kept={})


INJURIES: dict[str, Injury] = {
    "integrity.readable": Injury(add_defect),
    "integrity.described": Injury(describe_wrongly),
    "integrity.required_streams": Injury(
        lambda case: replace(case, recording=with_streams(case.recording, {"camera/overhead": None}), _kept={}),
    ),
    "integrity.not_finite": Injury(set_nan),
    "integrity.frozen": Injury(freeze_force),
    "integrity.dead_columns": Injury(kill_axis),
    "integrity.saturated": Injury(cut_peak),
    "integrity.unit_quaternion": Injury(shrink_quaternion),
}
