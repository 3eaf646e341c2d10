"""Which calibration held when, and which episodes were recorded on one that had slipped?"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fieldloop.calibrate.verify import Verification
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode


def in_force(
    calibrations: Iterable[Calibration], sensor: str, at_ns: int, *, robot: str | None = None
) -> Calibration | None:
    """Return the calibration of a sensor that holds at a time, the newest where several do; None where none does."""
    holding = [
        c for c in calibrations if c.sensor == sensor and c.holds_at(at_ns) and (robot is None or c.robot == robot)
    ]
    return max(holding, key=lambda c: (c.valid_from_ns, c.id), default=None)


def closed_by(calibrations: Iterable[Calibration], new: Calibration) -> tuple[Calibration, ...]:
    """Return the calibrations that a new one of the same sensor ends, ended where it begins."""
    return tuple(
        replace(old, valid_to_ns=new.valid_from_ns)
        for old in calibrations
        if (old.robot, old.sensor, old.kind) == (new.robot, new.sensor, new.kind)
        and old.id != new.id
        and old.valid_from_ns <= new.valid_from_ns
        and old.holds_at(new.valid_from_ns)
    )


def flagged(
    episodes: Iterable[Episode], verifications: Sequence[Verification], calibrations: Iterable[Calibration] = ()
) -> tuple[str, ...]:
    """Return the ids of episodes recorded while a sensor of their robot may have been off.

    A failed verification spoils everything back to the last good one (or to the calibration itself, which was good when
    it was made), and everything after it until the next good one or a new calibration.
    """
    spoilt: dict[str, list[tuple[float, float]]] = {}
    calibrations = tuple(calibrations)
    for robot, sensor in sorted({(v.robot, v.sensor) for v in verifications}):
        spoilt.setdefault(robot, []).extend(_spoilt(robot, sensor, verifications, calibrations))
    return tuple(
        e.id for e in episodes if any(e.start_ns < end and e.end_ns > start for start, end in spoilt.get(e.robot, ()))
    )


def _spoilt(
    robot: str, sensor: str, verifications: Sequence[Verification], calibrations: Sequence[Calibration]
) -> list[tuple[float, float]]:
    mine = [v for v in verifications if (v.robot, v.sensor) == (robot, sensor)]
    good = [float(v.at_ns) for v in mine if v.good]
    good += [float(c.valid_from_ns) for c in calibrations if (c.robot, c.sensor) == (robot, sensor)]
    spans = []
    for bad in (v for v in mine if not v.good):
        start = max((g for g in good if g <= bad.at_ns), default=float("-inf"))
        spans.append((start, min((g for g in good if g > bad.at_ns), default=float("inf"))))
    return spans
