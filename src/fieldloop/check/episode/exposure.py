"""Questions about whether anything can be seen in a picture."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.frames import share_seen
from fieldloop.check.episode.pictures import Scan, colour_cameras, scan
from fieldloop.check.episode.stamps import moment, said
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import Stream

UNKNOWN = float("nan")
NOTHING_DECODED = "no frame could be decoded."


@check(
    "vision.black_or_blown",
    pixels=True,
    unit="share of frames",
    needs=("cameras",),
    advice="Check lens cap, exposure and lighting.",
)
def black_or_blown(case: Case) -> Iterator[Measurement]:
    """Which share of frames is too dark or too bright to show anything?

    A camera that is plain black from first to last was most likely never there: datasets of several cameras fill in
    for one that an episode lacks.
    """
    for stream, seen in _looked_through(case):
        found = _share(case, stream, seen, ~_lit(case, seen))
        never = bool(seen.decoded.any()) and not seen.level[seen.decoded].any()
        yield (
            replace(found, place="(plain black throughout: in place of a camera that was not there?)")
            if never
            else found
        )


@check(
    "vision.overexposed",
    pixels=True,
    unit="share of pixels",
    needs=("cameras",),
    advice="Lower the exposure or the lamp; what is white throughout cannot be told apart later.",
)
def overexposed(case: Case) -> Iterator[Measurement]:
    """Which share of the picture is burnt out to white, in the frame in the middle of all?

    Black is not counted: a frame set into a larger one has black bars that no lamp put there.
    """
    for stream, seen in _looked_through(case):
        shares = seen.burnt[seen.decoded]
        if not len(shares):
            yield Measurement(stream.name, UNKNOWN, cannot_tell=NOTHING_DECODED)
            continue
        worst = int(seen.indices[seen.decoded][np.argmax(shares)])
        at_s = moment(case, stream, worst)
        place = f"(at most {100 * shares.max():.3g} %, {said(at_s)}){share_seen(stream, seen.indices)}"
        yield Measurement(stream.name, float(np.median(shares)), place, at_s=at_s)


@check(
    "vision.covered",
    pixels=True,
    unit="share of frames",
    needs=("cameras",),
    advice="Look for a hand, a cable or a cap before the lens; clean it.",
)
def covered(case: Case) -> Iterator[Measurement]:
    """In which share of frames is there no edge anywhere, as with something before the lens?

    Frames that are black or blown are not counted again. A plain wall has no edge either: whoever wants to film one
    raises the limit.
    """
    edge = case.parameter("vision.covered", "edge_level")
    for stream, seen in _looked_through(case):
        yield _share(case, stream, seen, _lit(case, seen) & (seen.contrast < edge))


@check(
    "vision.sharpness",
    pixels=True,
    unit="share of usual sharpness",
    needs=("cameras",),
    advice="Look for a focus that hunts, a lens that came loose, water or grease on it.",
)
def sharpness(case: Case) -> Iterator[Measurement]:
    """How sharp is each camera at its worst, against its own middle?

    The strongest edges of a frame, in the median over half a second and against the median of the episode: motion
    blurs a frame or two, a lens out of focus blurs until somebody sees to it. What is out of focus throughout has no
    sharper moment to be held against, and is not found here. Frames in which nothing can be seen are not asked.
    """
    lasting_s, least = (case.parameter("vision.sharpness", name) for name in ("lasting_s", "least_edge"))
    for stream, seen in _looked_through(case):
        shown = seen.decoded & _lit(case, seen) & (seen.contrast >= case.parameter("vision.covered", "edge_level"))
        edges = seen.sharpness[shown]
        usual = float(np.nanmedian(edges)) if np.isfinite(edges).any() else UNKNOWN
        around = max(1, round(lasting_s * (stream.hz or 0.0)))
        if not usual >= least or len(edges) < 2 * around:
            reason = "there are too few frames." if usual >= least else "there is hardly an edge in its pictures."
            yield Measurement(stream.name, UNKNOWN, cannot_tell=reason)
            continue
        smooth = np.median(np.lib.stride_tricks.sliding_window_view(edges, around), axis=1)
        worst = int(np.argmin(smooth))
        at_s = moment(case, stream, int(seen.indices[shown][worst]))
        place = f"{said(at_s)}{share_seen(stream, seen.indices)}"
        yield Measurement(stream.name, float(smooth[worst]) / usual, place, at_s=at_s)


def _looked_through(case: Case) -> Iterator[tuple[Stream, Scan]]:
    return ((stream, scan(case, stream)) for stream in colour_cameras(case))


def _lit(case: Case, seen: Scan) -> NDArray[np.bool_]:
    """Which frames are neither black nor blown?"""
    dark = case.parameter("vision.black_or_blown", "dark_level")
    bright = case.parameter("vision.black_or_blown", "bright_level")
    lit: NDArray[np.bool_] = (seen.level >= dark) & (seen.level <= bright)
    return lit


def _share(case: Case, stream: Stream, seen: Scan, bad: NDArray[np.bool_]) -> Measurement:
    bad = bad[seen.decoded]
    if not len(bad):
        return Measurement(stream.name, UNKNOWN, cannot_tell=NOTHING_DECODED)
    at_s = moment(case, stream, int(seen.indices[seen.decoded][np.argmax(bad)])) if bad.any() else None
    first = f"first {said(at_s)}" if at_s is not None else ""
    place = f"{first}{share_seen(stream, seen.indices)}".strip()
    return Measurement(stream.name, float(bad.mean()), place, at_s=at_s)
