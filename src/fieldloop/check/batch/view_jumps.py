"""Find the episode at which a fixed camera's view jumped, from the static parts of its pictures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.view_shift import ViewShift, measure_view_shift
from fieldloop.model.note import Note, note


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A fixed camera's view in an episode, small and grey: the median of some frames, which removes the arm."""

    episode: str
    at_ns: int
    picture: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Rules:
    """When a view has jumped: more than `most_off` (share of the width), by more than so many standard deviations.

    Two views that agree or overlap too little are not compared. Each view is compared with the first and last
    `anchors`.
    """

    most_off: float
    min_agreement: float
    min_seen: float
    anchors: int
    deviations: float


class Stood(StrEnum):
    """A view's position relative to earlier ones. Elsewhere: it and the next have nothing in common with them."""

    STILL = "still"
    JUMPED = "jumped"
    ELSEWHERE = "elsewhere"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One view compared with earlier ones; `last` is the newest known to have the same position.

    `off` and `deviation` are shares of the picture's width, NaN where unknown.
    """

    view: View
    last: View
    stood: Stood
    why: Note | None = None
    off: float = float("nan")
    deviation: float = float("nan")


@dataclass(slots=True)
class _ViewsSinceMove:
    """The views since the camera last moved: the first ones, which reveal a slow slip, and the last."""

    first: list[View] = field(default_factory=list)
    last: list[View] = field(default_factory=list)

    def add_view(self, view: View, max_views: int) -> None:
        if len(self.first) < max_views:
            self.first.append(view)
        self.last = [*self.last, view][-max_views:]


def compare_views(views: Sequence[View], rules: Rules, calibrated_ns: Iterable[int] = ()) -> tuple[Compared, ...]:
    """Compare the views of one camera in the order given; one result per view after the first of each position.

    From a new calibration on, views are compared with later ones only: a camera may be moved if it is calibrated again.
    A view that agrees with no earlier one (covered, dark, another scene) is unsure and not used as a reference. If the
    next one agrees with it, the camera was moved far or shows another scene, and later views are compared with these.
    """
    fresh = sorted(calibrated_ns)
    stand, stray, answers = _ViewsSinceMove(), None, []
    before: View | None = None
    for view in views:
        if before is not None and any(before.at_ns < at <= view.at_ns for at in fresh):
            stand, stray = _ViewsSinceMove(), None
        before = view
        if not stand.first:
            stand.add_view(view, rules.anchors)
            continue
        answer = _compare_with_references(view, stand, rules)
        if answer.stood is Stood.UNSURE and stray:
            settled = _ViewsSinceMove([stray], [stray])
            if _compare_with_references(view, settled, rules).stood is Stood.STILL:
                if len(stand.last) > 1:  # a single earlier view may itself have been covered or dark
                    answer = Compared(stray, answer.last, Stood.ELSEWHERE)
                stand, stray = settled, None
                stand.add_view(view, rules.anchors)
                answers.append(answer)
                continue
        answers.append(answer)
        if answer.stood is Stood.STILL:
            stand.add_view(view, rules.anchors)
        elif answer.stood is Stood.JUMPED:
            stand = _ViewsSinceMove([view], [view])
        stray = view if answer.stood is Stood.UNSURE else None
    return tuple(answers)


def _compare_with_references(view: View, references_since_move: _ViewsSinceMove, rules: Rules) -> Compared:
    """Compare with the first views, and where the scene has changed too much since, with the last."""
    newest = references_since_move.last[-1]
    later = [reference for reference in references_since_move.last if reference not in references_since_move.first]
    for references in (references_since_move.first, later):
        comparable: list[ViewShift] = []
        for reference in references:
            if reference.picture.shape != view.picture.shape:
                continue
            shift = measure_view_shift(reference.picture, view.picture)
            if shift.agreement >= rules.min_agreement and shift.seen >= rules.min_seen:
                comparable.append(shift)
                if shift.off_px <= rules.most_off * view.picture.shape[1]:
                    return _classify_shift(view, newest, shift, rules)  # unmoved: the others need no comparison
        if comparable:
            comparable.sort(key=lambda shift: shift.off_px)
            median = comparable[(len(comparable) - 1) // 2]  # resists a single odd view
            return _classify_shift(view, newest, median, rules)
    if newest.picture.shape != view.picture.shape:
        return Compared(view, newest, Stood.UNSURE, note("check.other_picture_size", name=view.episode))
    return Compared(view, newest, Stood.UNSURE, note("check.view_unrecognised", name=view.episode))


def _classify_shift(view: View, newest_view: View, shift: ViewShift, rules: Rules) -> Compared:
    width = view.picture.shape[1]
    off, deviation = shift.off_px / width, shift.deviation_px / width
    if off <= rules.most_off:
        return Compared(view, newest_view, Stood.STILL, None, off, deviation)
    if off - rules.deviations * deviation > rules.most_off:
        return Compared(view, newest_view, Stood.JUMPED, None, off, deviation)
    why = note("check.view_may_have_moved", off=off, since=newest_view.episode)
    return Compared(view, newest_view, Stood.UNSURE, why, off, deviation)
