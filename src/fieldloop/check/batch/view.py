"""Check of fixed cameras that moved between episodes without a new calibration."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch.view_jumps import Compared, Rules, Stood, View, compare_views
from fieldloop.check.batch_case import Batch
from fieldloop.check.naming import MOST_NAMED
from fieldloop.check.registry import check
from fieldloop.geometry.view_shift import SMALLEST_PX
from fieldloop.model.episode import Episode
from fieldloop.model.finding import UNKNOWN, Measurement, Status
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.quality import Dimension
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.protocol import CollectionProtocol

NAME = "batch.view_moved"
IMPRINT = "view"
"""Where `check/imprint/view.py` keeps the pictures: `view/<camera>/picture` and `view/<camera>/stays`."""

PLANE = 2
"""Dimensions of a grey picture."""


@dataclass(slots=True)
class _Camera:
    """One camera of one robot: its views, whether it stood still in each episode, and its names."""

    views: list[View] = field(default_factory=list)
    stays: list[float] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    foreign: bool = False
    """Does it come from a dataset, which may join episodes of many places?"""


@check(
    NAME,
    unit="share of the picture's width",
    needs=("episodes", "imprints"),
    dimension=Dimension.SENSOR_FIDELITY,
    revision=2,
)
def measure_camera_view_jumps(batch: Batch) -> Iterator[Measurement]:
    """How far did a fixed camera's view jump between episodes without a new calibration?

    The static parts of an episode's pictures are compared with those of earlier episodes, camera by camera in order of
    time; changes of light, objects and people are left out. Everything changes in the view of a camera on the robot, so
    such a camera is not checked. One hundredth of the width is about half a degree for a usual lens.
    """
    rules, most = read_view_rules(batch.protocol), int(batch.read_parameter(NAME, "max_views"))
    mostly = batch.read_parameter(NAME, "mostly")
    stays = float(batch.protocol.setting("calibration.view_min_stays"))
    for (robot, site, name), camera in sorted(_collect_camera_views(batch).items()):
        known = [stay for stay in camera.stays if math.isfinite(stay)]
        if known and np.mean(np.asarray(known) < stays) >= mostly:
            continue
        fixed = [v for v, stay in zip(camera.views, camera.stays, strict=True) if not stay < stays]  # NaN: nothing seen
        looked = [fixed[i] for i in np.unique(np.linspace(0, len(fixed) - 1, min(len(fixed), most)).astype(int))]
        about = Subject(stream=name, rig=robot, aspect=f"at {site}" if site else "")
        if len(looked) <= 1:
            yield Measurement(about, UNKNOWN, cannot_tell=note("check.one_episode_alone"))
            continue
        if not robot and not site and camera.foreign:
            yield Measurement(about, UNKNOWN, cannot_tell=note("check.rig_unknown"))
            continue
        compared = compare_views(looked, rules, _list_calibration_starts_ns(batch, robot, camera.names))
        measurement = _measure_view_jumps(
            about, compared, rules, mostly, calibrations_known=batch.calibrations is not None
        )
        some = len(looked) < len(fixed) and measurement.place is not None
        yield (
            replace(measurement, place=_add_sample_size(measurement.place, len(looked), len(fixed)))
            if some
            else measurement
        )


def _add_sample_size(place: Note | None, examined_count: int, episode_count: int) -> Note | None:
    """Add the number of examined episodes where not all were."""
    sampled = (("examined", examined_count), ("of_episodes", episode_count))
    return None if place is None else replace(place, numbers=(*place.numbers, *sampled))


def read_view_rules(protocol: CollectionProtocol) -> Rules:
    """Return the protocol's limits for a jump of the view."""
    from scipy.special import ndtri

    most = protocol.limits[NAME].maximum
    return Rules(
        most_off=math.inf if most is None else most,
        min_agreement=float(protocol.setting("calibration.view_min_agreement")),
        min_seen=float(protocol.setting("calibration.view_min_seen")),
        anchors=int(protocol.setting("calibration.view_anchors")),
        deviations=float(ndtri(0.5 + float(protocol.setting("calibration.confidence")) / 2)),
    )


def _collect_camera_views(batch: Batch) -> dict[tuple[str, str, str], _Camera]:
    cameras: dict[tuple[str, str, str], _Camera] = defaultdict(_Camera)
    for episode in _sort_by_time(batch.episodes):
        kept = dict(batch.find_imprint(episode.id).list_arrays_under(IMPRINT))
        for key, picture in kept.items():
            name, _, what = key.rpartition("/")
            stays = _read_scalar(kept.get(f"{name}/stays"))
            if what == "picture" and stays is not None and _is_comparable_picture(picture):
                camera = cameras[episode.robot, episode.site, name]
                camera.views.append(View(episode.name, episode.start_ns, picture))
                camera.stays.append(stays)
                camera.foreign |= episode.get_fact("dataset") is not None
                camera.names |= {name, episode.get_fact(f"serial.{name}") or name}
    return cameras


def _read_scalar(stored: NDArray[Any] | None) -> float | None:
    return None if stored is None or stored.size != 1 or stored.dtype.kind != "f" else float(stored.item())


def _is_comparable_picture(stored: NDArray[Any]) -> bool:
    """Is it a grey picture of sufficient size? Broken pictures and those of other versions are not compared."""
    return stored.dtype == np.uint8 and stored.ndim == PLANE and min(stored.shape) >= SMALLEST_PX


def _sort_by_time(episodes: Sequence[Episode]) -> Sequence[Episode]:
    """Sort by time, or keep the log's order where it has no time of day."""
    timed = all(e.start_ns >= NS_PER_DAY for e in episodes)
    return sorted(episodes, key=lambda e: e.start_ns) if timed else episodes


def _list_calibration_starts_ns(batch: Batch, robot: str, sensor_names: set[str]) -> Iterator[int]:
    for calibration in batch.calibrations or ():
        if calibration.status is Status.PASSED and calibration.robot == robot and calibration.sensor in sensor_names:
            yield calibration.valid_from_ns


def _measure_view_jumps(
    subject: Subject, comparisons: Sequence[Compared], rules: Rules, min_still_share: float, *, calibrations_known: bool
) -> Measurement:
    by = {stood: [one for one in comparisons if one.stood is stood] for stood in Stood}
    if by[Stood.JUMPED]:
        return _make_jump_measurement(subject, by[Stood.JUMPED], rules, calibrations_known=calibrations_known)
    if by[Stood.ELSEWHERE]:
        where = tuple(_note_episodes_compared(one) for one in by[Stood.ELSEWHERE][:MOST_NAMED])
        return Measurement(subject, UNKNOWN, cannot_tell=note("check.view_elsewhere", where=where))
    still, unsure = by[Stood.STILL], by[Stood.UNSURE]
    if len(still) < min_still_share * len(comparisons) or not still:
        why = unsure[0].why if unsure else note("check.calibrated_each_time")
        return Measurement(subject, UNKNOWN, cannot_tell=why)
    place = note("check.views_compared", compared=len(comparisons), unclear=len(unsure) or None)
    return Measurement(subject, max(one.off for one in still), place)


def _make_jump_measurement(
    subject: Subject, jumps: Sequence[Compared], rules: Rules, *, calibrations_known: bool
) -> Measurement:
    largest = max(jumps, key=lambda one: one.off)
    spread = rules.deviations * largest.deviation
    code = "check.view_jumped_uncalibrated" if calibrations_known else "check.view_jumped"
    place = note(code, where=tuple(_note_episodes_compared(one) for one in jumps[:MOST_NAMED]))
    return Measurement(subject, largest.off, place, low=largest.off - spread, high=largest.off + spread)


def _note_episodes_compared(comparison: Compared) -> Note:
    at_ns = comparison.view.at_ns if comparison.view.at_ns >= NS_PER_DAY else None
    return note("check.between_episodes", before=comparison.last.episode, after=comparison.view.episode, at_ns=at_ns)
