"""Was a camera moved between episodes without anybody calibrating it again?"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch.view_jumps import Compared, Rules, Stood, View, compare_views
from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.check.traits import NS_PER_DAY, listed
from fieldloop.geometry.view_shift import SMALLEST_PX
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement, Status
from fieldloop.model.quality import Dimension
from fieldloop.protocol import CollectionProtocol

NAME = "batch.view_moved"
IMPRINT = "view"
"""Where `check/imprint/view.py` keeps the pictures: `view/<camera>/picture` and `view/<camera>/stays`."""

MOSTLY = 0.5
PLANE = 2
"""Dimensions of a grey picture."""


@dataclass(slots=True)
class _Camera:
    """One camera of one robot: what it saw, whether it stood still in each episode, and the names it goes by."""

    views: list[View] = field(default_factory=list)
    stays: list[float] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


@check(
    NAME,
    unit="share of the picture's width",
    needs=("episodes", "imprints"),
    advice="Calibrate the camera as it stands now, and do not use the old calibration from there on.",
    dimension=Dimension.SENSOR_FIDELITY,
)
def view_moved(batch: Batch) -> Iterator[Measurement]:
    """How far did a fixed camera's view jump between episodes without a new calibration?

    What stands still in an episode's pictures is laid over what stood still before, camera by camera in the order of
    time; other light, objects and people are left out. A camera that rides on the robot sees everything change within
    an episode, and is not asked. One hundredth of the width is about half a degree for a usual lens.
    """
    rules, most = rules_of(batch.protocol), int(batch.parameter(NAME, "max_views"))
    stays = float(batch.protocol.setting("calibration.view_min_stays"))
    for (robot, site, name), camera in sorted(_cameras(batch).items()):
        told = [stay for stay in camera.stays if math.isfinite(stay)]
        if told and np.mean(np.asarray(told) < stays) >= MOSTLY:
            continue
        fixed = [v for v, stay in zip(camera.views, camera.stays, strict=True) if not stay < stays]  # NaN: nothing seen
        looked = [fixed[i] for i in np.unique(np.linspace(0, len(fixed) - 1, min(len(fixed), most)).astype(int))]
        subject = " ".join(word for word in (robot, name, f"at {site}" if site else "") if word)
        if len(looked) <= 1:
            yield Measurement(subject, math.nan, cannot_tell="One episode alone shows no jump.")
            continue
        compared = compare_views(looked, rules, _calibrated(batch, robot, camera.names))
        found = _measured(subject, compared, rules, known=batch.calibrations is not None)
        skipped = f" [{len(looked)} of {len(fixed)} episodes looked at]" if len(looked) < len(fixed) else ""
        yield replace(found, place=f"{found.place}{skipped}")


def rules_of(protocol: CollectionProtocol) -> Rules:
    """Return from when on a protocol says that a view has jumped."""
    from scipy.special import ndtri

    most = protocol.limits[NAME].maximum
    return Rules(
        most_off=math.inf if most is None else most,
        min_agreement=float(protocol.setting("calibration.view_min_agreement")),
        min_seen=float(protocol.setting("calibration.view_min_seen")),
        anchors=int(protocol.setting("calibration.view_anchors")),
        deviations=float(ndtri(0.5 + float(protocol.setting("calibration.confidence")) / 2)),
    )


def _cameras(batch: Batch) -> dict[tuple[str, str, str], _Camera]:
    found: dict[tuple[str, str, str], _Camera] = defaultdict(_Camera)
    for episode in _ordered(batch.episodes):
        kept = dict(batch.imprint(episode.id).under(IMPRINT))
        for key, picture in kept.items():
            name, _, what = key.rpartition("/")
            stays = _single(kept.get(f"{name}/stays"))
            if what == "picture" and stays is not None and _is_picture(picture):
                camera = found[episode.robot, episode.site, name]
                camera.views.append(View(episode.name, episode.start_ns, picture))
                camera.stays.append(stays)
                camera.names |= {name, episode.fact(f"serial.{name}") or name}
    return found


def _single(kept: NDArray[Any] | None) -> float | None:
    return None if kept is None or kept.size != 1 or kept.dtype.kind != "f" else float(kept.item())


def _is_picture(kept: NDArray[Any]) -> bool:
    """Is it grey and large enough? What is kept by another version, or broken, is not compared."""
    return kept.dtype == np.uint8 and kept.ndim == PLANE and min(kept.shape) >= SMALLEST_PX


def _ordered(episodes: Sequence[Episode]) -> Sequence[Episode]:
    """Go by time, or by the order in the log where it has no time of day."""
    timed = all(e.start_ns >= NS_PER_DAY for e in episodes)
    return sorted(episodes, key=lambda e: e.start_ns) if timed else episodes


def _calibrated(batch: Batch, robot: str, names: set[str]) -> Iterator[int]:
    for one in batch.calibrations or ():
        if one.status is Status.PASSED and one.robot == robot and one.sensor in names:
            yield one.valid_from_ns


def _measured(subject: str, compared: Sequence[Compared], rules: Rules, *, known: bool) -> Measurement:
    by = {stood: [one for one in compared if one.stood is stood] for stood in Stood}
    if by[Stood.JUMPED]:
        return _jumped(subject, by[Stood.JUMPED], rules, known=known)
    if by[Stood.ELSEWHERE]:
        where = listed([_place(one) for one in by[Stood.ELSEWHERE]])
        why = f"Nothing of the view is left {where}: the camera was moved far, or stands before another scene."
        return Measurement(subject, math.nan, cannot_tell=why)
    still, unsure = by[Stood.STILL], by[Stood.UNSURE]
    if len(still) < MOSTLY * len(compared) or not still:
        why = unsure[0].why if unsure else "It was calibrated before every episode: there is nothing to compare with."
        return Measurement(subject, math.nan, cannot_tell=why)
    left = f", {len(unsure)} could not be compared" if unsure else ""
    return Measurement(subject, max(one.off for one in still), f"(in {len(compared)} comparisons{left})")


def _jumped(subject: str, jumps: Sequence[Compared], rules: Rules, *, known: bool) -> Measurement:
    largest = max(jumps, key=lambda one: one.off)
    spread = rules.deviations * largest.deviation
    lacks = "without a new calibration" if known else "and no calibrations are known here"
    place = f"{listed([_place(one) for one in jumps])}, {lacks}"
    return Measurement(subject, largest.off, place, low=largest.off - spread, high=largest.off + spread)


def _place(one: Compared) -> str:
    at_ns = one.view.at_ns
    when = f" ({np.datetime64(at_ns, 'ns').astype('datetime64[m]')} UTC)" if at_ns >= NS_PER_DAY else ""
    return f"between {one.last.episode} and {one.view.episode}{when}"
