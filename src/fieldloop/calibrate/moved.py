"""Was a camera moved between episodes without new extrinsics? From what stands still in its pictures."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.view_shift import ViewShift, view_shift
from fieldloop.model.finding import Status
from fieldloop.protocol import CollectionProtocol


@dataclass(frozen=True, slots=True, eq=False)
class EpisodeView:
    """What a fixed camera saw in an episode, small and grey: the median of some frames, so that the arm is gone."""

    episode: str
    at_ns: int
    picture: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ViewMoved:
    """How an episode's view lies against the views since the last calibration or jump; FAILED where it jumped.

    Pixels are those of the small picture. `turn_deg` is the turn that would explain the shift, where a focal length is
    known; a shift of the mount by the distance to the scene times that angle would explain it as well.
    """

    episode: str
    against: str
    status: Status
    message: str
    off_px: float | None = None
    deviation_px: float | None = None
    shift_px: tuple[float, float] | None = None
    turn_deg: float | None = None
    roll_deg: float | None = None
    zoom: float | None = None
    agreement: float | None = None


@dataclass(frozen=True, slots=True)
class _Limits:
    off: float
    agreement: float
    seen: float
    anchors: int
    deviations: float

    @classmethod
    def of(cls, protocol: CollectionProtocol) -> "_Limits":
        from scipy.special import ndtri

        return cls(
            off=float(protocol.setting("calibration.view_max_off")),
            agreement=float(protocol.setting("calibration.view_min_agreement")),
            seen=float(protocol.setting("calibration.view_min_seen")),
            anchors=int(protocol.setting("calibration.view_anchors")),
            deviations=float(ndtri(0.5 + float(protocol.setting("calibration.confidence")) / 2)),
        )


@dataclass(slots=True)
class _Standing:
    """The views since the camera last came to stand: the first ones, which a slow slip shows against, and the last."""

    first: list[EpisodeView] = field(default_factory=list)
    last: list[EpisodeView] = field(default_factory=list)

    def add(self, view: EpisodeView, most: int) -> None:
        if len(self.first) < most:
            self.first.append(view)
        self.last = [*self.last, view][-most:]


def moved(
    views: Sequence[EpisodeView],
    protocol: CollectionProtocol,
    *,
    calibrated_ns: Iterable[int] = (),
    focal_px: float | None = None,
) -> tuple[ViewMoved, ...]:
    """Compare the views of one camera in the order of time; one answer per view after the first of each stand.

    From a new calibration on, views are compared with later ones only: a camera may be moved if it is calibrated again.
    A view that agrees with none before it (covered, dark, another scene) cannot tell, and is no reference for others;
    when the next one agrees with it, the camera stands somewhere else for good, and that is a jump.
    """
    limits, fresh = _Limits.of(protocol), sorted(calibrated_ns)
    standing, stray, answers = _Standing(), None, []
    previous_ns = None
    for view in sorted(views, key=lambda v: v.at_ns):
        if previous_ns is not None and any(previous_ns < at <= view.at_ns for at in fresh):
            standing, stray = _Standing(), None
        previous_ns = view.at_ns
        if not standing.first:
            standing.add(view, limits.anchors)
            continue
        answer = _answer(view, standing, limits, focal_px)
        if answer.status is Status.CANNOT_TELL and stray is not None:
            settled = _answer(view, _Standing([stray], [stray]), limits, focal_px)
            if settled.status is Status.PASSED:
                message = f"The view has nothing in common with {answer.against}, but agrees with {stray.episode}."
                answer = ViewMoved(view.episode, answer.against, Status.FAILED, message)
        answers.append(answer)
        if answer.status is Status.PASSED:
            standing.add(view, limits.anchors)
            stray = None
        elif answer.status is Status.FAILED:
            standing, stray = _Standing([view], [view]), None
        else:
            stray = view
    return tuple(answers)


def _answer(view: EpisodeView, standing: _Standing, limits: _Limits, focal_px: float | None) -> ViewMoved:
    """Compare with the first views, and where the scene has changed too much since, with the last."""
    for references in (standing.first, standing.last):
        found = [(r, view_shift(r.picture, view.picture)) for r in references if r.picture.shape == view.picture.shape]
        telling = [(r, s) for r, s in found if s.agreement >= limits.agreement and s.seen >= limits.seen]
        if telling:
            telling.sort(key=lambda pair: pair[1].off_px)
            reference, shift = telling[(len(telling) - 1) // 2]  # the median one: no single odd view decides
            return _told(view, reference, shift, limits, focal_px)
    against = standing.last[-1].episode
    if standing.last[-1].picture.shape != view.picture.shape:
        message = f"The picture has another size than in {against}."
    else:
        message = f"Nothing stands out that also showed in {against}: dark, covered, featureless, or another scene."
    return ViewMoved(view.episode, against, Status.CANNOT_TELL, message)


def _told(
    view: EpisodeView, reference: EpisodeView, shift: ViewShift, limits: _Limits, focal_px: float | None
) -> ViewMoved:
    most_px = limits.off * view.picture.shape[1]
    surely_px = shift.off_px - limits.deviations * shift.deviation_px
    turn = None if focal_px is None else math.degrees(math.atan(math.hypot(*shift.shift_px) / focal_px))
    roll = math.degrees(shift.roll_rad)
    seen = f"{shift.off_px:.1f} px of {view.picture.shape[1]}"
    if surely_px > most_px:
        as_by = "" if turn is None else f", as a turn by {turn:.1f}° with a roll by {abs(roll):.1f}° would move it"
        status, message = Status.FAILED, f"The view moved by {seen} since {reference.episode}{as_by}."
    elif shift.off_px <= most_px:
        status, message = Status.PASSED, f"The view stands where it stood in {reference.episode}, to {seen}."
    else:
        status, message = Status.CANNOT_TELL, f"The view may have moved by {seen} since {reference.episode}."
    return ViewMoved(
        view.episode, reference.episode, status, message, shift.off_px, shift.deviation_px, shift.shift_px, turn, roll,
        shift.zoom, shift.agreement,
    )  # fmt: skip
