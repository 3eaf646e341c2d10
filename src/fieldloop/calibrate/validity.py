"""Validity of calibrations over time, and the episodes recorded with a sensor that had moved."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fieldloop.model.calibration import Calibration
from fieldloop.model.codec import format_iso_time
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.verification import Verification

ALWAYS_NS, FOREVER_NS = -(2**63), 2**63 - 1
"""Before and after every timestamp; integers, because a float cannot hold present-day nanoseconds."""

Spoilt = tuple[int, int, Verification]
"""From when to when (ns) a sensor may have been off, and the verification that showed it."""


def find_calibration_in_force(
    calibrations: Iterable[Calibration], sensor: str, at_ns: int, *, robot: str | None = None
) -> Calibration | None:
    """Return the calibration of a sensor that holds at a time, the newest where several do; None where none does."""
    holding = [
        c
        for c in calibrations
        if c.sensor == sensor and c.is_in_force_at(at_ns) and (robot is None or c.robot == robot)
    ]
    return max(holding, key=lambda c: (c.valid_from_ns, c.id), default=None)


@dataclass(frozen=True, slots=True)
class Flag:
    """An episode recorded while a sensor of its robot may have been off, and the verification that showed it."""

    episode: str
    sensor: str
    verification: Verification

    @property
    def reason(self) -> Note:
        """Return why the episode is flagged."""
        seen = self.verification
        off_mm, off_deg = seen.translation_mm, seen.rotation_deg
        return note(
            "calibrate.flagged", sensor=self.sensor, at=format_iso_time(seen.at_ns), off_mm=off_mm, off_deg=off_deg
        )


def flag_episodes(
    episodes: Iterable[Episode], verifications: Sequence[Verification], calibrations: Iterable[Calibration] = ()
) -> tuple[Flag, ...]:
    """Return every episode recorded while a sensor of its robot may have been off, once for each such sensor.

    A failed verification invalidates everything back to the last good one (or to a calibration that passed),
    and everything after it until the next good one or a new calibration that passes.
    """
    known, flagged = tuple(calibrations), []
    spoilt = [
        (robot, sensor, _find_spoilt_periods(robot, sensor, verifications, known))
        for robot, sensor in sorted({(v.robot, v.sensor) for v in verifications})
    ]
    for episode in episodes:
        for robot, sensor, spans in spoilt:
            hit = (v for begin, end, v in spans if episode.start_ns < end and episode.end_ns > begin)
            if robot == episode.robot and (bad := next(hit, None)):
                flagged.append(Flag(episode.id, sensor, bad))
    return tuple(flagged)


def cut_to_trusted_periods(
    calibrations: Iterable[Calibration], verifications: Sequence[Verification]
) -> tuple[Calibration, ...]:
    """Return calibrations for as long as they are reliable: a failed verification removes its interval.

    A calibration interrupted in the middle is returned twice, before and after. One with nothing left ends where it
    begins and does not pass, so that the record of the calibration remains.
    """
    known, kept = tuple(calibrations), []
    for calibration in known:
        pieces = _cut_out_spoilt_periods(
            calibration, _find_spoilt_periods(calibration.robot, calibration.sensor, verifications, known)
        )
        nothing = replace(calibration, valid_to_ns=calibration.valid_from_ns, status=Status.FAILED)
        kept += pieces or [nothing]
    return tuple(kept)


def _cut_out_spoilt_periods(calibration: Calibration, spoilt_periods: list[Spoilt]) -> list[Calibration]:
    begin, end = calibration.valid_from_ns, calibration.valid_to_ns
    last, kept = FOREVER_NS if end is None else end, []
    for start, stop, _ in sorted(spoilt_periods, key=lambda span: span[:2]):
        if start < last and stop > begin:
            if start > begin:
                kept.append(_limit_period(calibration, begin, start))
            begin = max(begin, stop)
    if begin < last:
        kept.append(_limit_period(calibration, begin, last))
    return kept


def _limit_period(calibration: Calibration, begin_ns: int, end_ns: int) -> Calibration:
    return replace(calibration, valid_from_ns=begin_ns, valid_to_ns=None if end_ns == FOREVER_NS else end_ns)


def _find_spoilt_periods(
    robot: str, sensor: str, verifications: Sequence[Verification], calibrations: Sequence[Calibration]
) -> list[Spoilt]:
    mine = [v for v in verifications if (v.robot, v.sensor) == (robot, sensor)]
    good = [v.at_ns for v in mine if v.is_good]
    made = (c for c in calibrations if (c.robot, c.sensor) == (robot, sensor) and c.status is Status.PASSED)
    good += [c.valid_from_ns for c in made]
    spans = []
    for bad in (v for v in mine if not v.is_good):
        start = max((g for g in good if g <= bad.at_ns), default=ALWAYS_NS)
        spans.append((start, min((g for g in good if g > bad.at_ns), default=FOREVER_NS), bad))
    return spans
