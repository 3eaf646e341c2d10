"""At which episode did a fixed camera's view jump? From what stands still in its pictures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.view_shift import ViewShift, view_shift


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a fixed camera saw in an episode, small and grey: the median of some frames, so that the arm is gone."""

    episode: str
    at_ns: int
    picture: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Rules:
    """From when on a view has jumped: more than `most_off` (share of the width), by more than so many deviations.

    Two views tell nothing where they agree or are seen too little. `anchors` first and last views are held against.
    """

    most_off: float
    min_agreement: float
    min_seen: float
    anchors: int
    deviations: float


class Stood(StrEnum):
    """How a view lies against those before it; elsewhere: it has nothing in common with them, and stays so."""

    STILL = "still"
    JUMPED = "jumped"
    ELSEWHERE = "elsewhere"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One view against those before it, of which `last` is the newest that is known to have stood with them.

    `off` and `deviation` are shares of the picture's width, NaN where unknown.
    """

    view: View
    last: View
    stood: Stood
    why: str = ""
    off: float = float("nan")
    deviation: float = float("nan")


@dataclass(slots=True)
class _Stand:
    """The views since the camera last came to stand: the first ones, which a slow slip shows against, and the last."""

    first: list[View] = field(default_factory=list)
    last: list[View] = field(default_factory=list)

    def add(self, view: View, most: int) -> None:
        if len(self.first) < most:
            self.first.append(view)
        self.last = [*self.last, view][-most:]


def compare_views(views: Sequence[View], rules: Rules, calibrated_ns: Iterable[int] = ()) -> tuple[Compared, ...]:
    """Compare the views of one camera in the order given; one answer per view after the first of each stand.

    From a new calibration on, views are compared with later ones only: a camera may be moved if it is calibrated again.
    A view that agrees with none before it (covered, dark, another scene) is unsure, and no reference for others; when
    the next one agrees with it, the camera was moved far or stands before another scene, and later views are held
    against these.
    """
    fresh = sorted(calibrated_ns)
    stand, stray, answers = _Stand(), None, []
    before: View | None = None
    for view in views:
        if before is not None and any(before.at_ns < at <= view.at_ns for at in fresh):
            stand, stray = _Stand(), None
        before = view
        if not stand.first:
            stand.add(view, rules.anchors)
            continue
        answer = _compare(view, stand, rules)
        if answer.stood is Stood.UNSURE and stray:
            settled = _Stand([stray], [stray])
            if _compare(view, settled, rules).stood is Stood.STILL:
                if len(stand.last) > 1:  # one view alone, never seen again, may itself have been covered or dark
                    answer = Compared(stray, answer.last, Stood.ELSEWHERE)
                stand, stray = settled, None
                stand.add(view, rules.anchors)
                answers.append(answer)
                continue
        answers.append(answer)
        if answer.stood is Stood.STILL:
            stand.add(view, rules.anchors)
        elif answer.stood is Stood.JUMPED:
            stand = _Stand([view], [view])
        stray = view if answer.stood is Stood.UNSURE else None
    return tuple(answers)


def _compare(view: View, stand: _Stand, rules: Rules) -> Compared:
    """Compare with the first views, and where the scene has changed too much since, with the last."""
    newest = stand.last[-1]
    later = [one for one in stand.last if one not in stand.first]
    for references in (stand.first, later):
        telling: list[ViewShift] = []
        for one in references:
            if one.picture.shape != view.picture.shape:
                continue
            shift = view_shift(one.picture, view.picture)
            if shift.agreement >= rules.min_agreement and shift.seen >= rules.min_seen:
                telling.append(shift)
                if shift.off_px <= rules.most_off * view.picture.shape[1]:
                    return _told(view, newest, shift, rules)  # where it stood: no need to ask the others
        if telling:
            telling.sort(key=lambda shift: shift.off_px)
            return _told(view, newest, telling[(len(telling) - 1) // 2], rules)  # the middle one: no odd view decides
    if newest.picture.shape != view.picture.shape:
        return Compared(view, newest, Stood.UNSURE, f"{view.episode} has pictures of another size.")
    why = f"Nothing stands out in {view.episode} that showed before: dark, covered, featureless, or another scene."
    return Compared(view, newest, Stood.UNSURE, why)


def _told(view: View, newest: View, shift: ViewShift, rules: Rules) -> Compared:
    width = view.picture.shape[1]
    off, deviation = shift.off_px / width, shift.deviation_px / width
    if off <= rules.most_off:
        return Compared(view, newest, Stood.STILL, "", off, deviation)
    if off - rules.deviations * deviation > rules.most_off:
        return Compared(view, newest, Stood.JUMPED, "", off, deviation)
    why = f"The view may have moved by {100 * off:.1f} % of its width since {newest.episode}."
    return Compared(view, newest, Stood.UNSURE, why, off, deviation)
