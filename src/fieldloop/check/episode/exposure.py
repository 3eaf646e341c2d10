"""Checks of whether a picture is usable: exposure, covered lens and sharpness."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.frames import note_place_in_frames
from fieldloop.check.signals.pictures import Scan, find_colour_cameras, scan_colour_frames
from fieldloop.check.signals.sensed import Evidence
from fieldloop.check.signals.stamps import compute_sample_time_s
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import Stream

DATASETS = ("lerobot", "hdf5", "rlds")
"""Formats that a converter writes, which fills in frames that an episode lacks."""

NOTHING_DECODED = note("check.nothing_decoded")


@check(
    "vision.black_or_blown",
    pixels=True,
    unit="share of frames",
    needs=("cameras",),
    revision=2,
    evidence=Evidence.SENSOR,
)
def measure_share_of_black_or_white_frames(case: Case) -> Iterator[Measurement]:
    """Which share of frames is too dark or too bright to show anything?

    A camera that is black throughout was most likely missing: datasets with several cameras fill in black frames for a
    camera that an episode lacks. Such a camera is named; it fails only where no other camera shows anything.
    """
    scanned = list(_scan_colour_cameras(case))
    shows = {stream.name: bool(seen.level[seen.decoded].any()) for stream, seen in scanned if seen.decoded.any()}
    fills_in = case.episode.format.startswith(DATASETS) and any(shows.values())
    for stream, seen in scanned:
        measurement = _measure_share_of_bad_frames(case, stream, seen, ~_find_well_lit_frames(case, seen))
        if shows.get(stream.name, True):
            yield measurement
        elif fills_in:
            yield replace(measurement, value=UNKNOWN, place=None, cannot_tell=note("check.filled_in_camera"))
        else:
            yield replace(measurement, place=note("check.black_throughout"))


@check(
    "vision.overexposed",
    pixels=True,
    unit="share of pixels",
    needs=("cameras",),
    revision=2,
)
def measure_overexposed_share(case: Case) -> Iterator[Measurement]:
    """Which share of the picture is overexposed to white, in the median frame?

    Black is not counted, because a picture inside a larger frame has black bars. A white background, as in many
    simulators, looks alike, so this is left open where the log names no protocol.
    """
    for stream, seen in _scan_colour_cameras(case):
        shares = seen.burnt[seen.decoded]
        if not len(shares):
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=NOTHING_DECODED)
            continue
        worst = int(seen.indices[seen.decoded][np.argmax(shares)])
        at_s = compute_sample_time_s(case, stream, worst)
        place = note_place_in_frames(stream, seen.indices, at_s, "check.worst_frame", worst=float(shares.max()))
        measurement = Measurement(Subject(stream.name), float(np.median(shares)), place, at_s=at_s)
        yield measurement if case.collected_by_protocol else replace(measurement, low=0.0, high=measurement.value)


@check(
    "vision.covered",
    pixels=True,
    unit="share of frames",
    needs=("cameras",),
    evidence=Evidence.SENSOR,
)
def measure_share_of_frames_without_edges(case: Case) -> Iterator[Measurement]:
    """Which share of frames has no edge anywhere, as when something covers the lens?

    Frames that are black or overexposed are not counted again. A plain wall has no edge either: raise the limit if the
    camera looks at one.
    """
    edge = case.read_parameter("vision.covered", "edge_level")
    for stream, seen in _scan_colour_cameras(case):
        yield _measure_share_of_bad_frames(
            case, stream, seen, _find_well_lit_frames(case, seen) & (seen.contrast < edge)
        )


@check(
    "vision.sharpness",
    pixels=True,
    unit="share of usual sharpness",
    needs=("cameras",),
)
def compare_worst_and_median_sharpness(case: Case) -> Iterator[Measurement]:
    """How sharp is each camera at its worst, compared with its own median?

    The value compares the strongest edges of a frame, as the median over half a second, with the median of the episode.
    Motion blurs a frame or two; a lens out of focus stays blurred. A camera that is out of focus throughout has no
    sharper moment to compare with and is not detected. Frames that show nothing are ignored.
    """
    lasting_s, least = (case.read_parameter("vision.sharpness", name) for name in ("lasting_s", "least_edge"))
    for stream, seen in _scan_colour_cameras(case):
        shown = (
            seen.decoded
            & _find_well_lit_frames(case, seen)
            & (seen.contrast >= case.read_parameter("vision.covered", "edge_level"))
        )
        edges = seen.sharpness[shown]
        usual = float(np.nanmedian(edges)) if np.isfinite(edges).any() else UNKNOWN
        around = max(1, round(lasting_s * (stream.hz or 0.0)))
        if not usual >= least or len(edges) < 2 * around:
            reason = note("check.too_few_frames") if usual >= least else note("check.hardly_an_edge")
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=reason)
            continue
        smooth = np.median(np.lib.stride_tricks.sliding_window_view(edges, around), axis=1)
        worst = int(np.argmin(smooth))
        at_s = compute_sample_time_s(case, stream, int(seen.indices[shown][worst]))
        place = note_place_in_frames(stream, seen.indices, at_s, "check.at")
        yield Measurement(Subject(stream.name), float(smooth[worst]) / usual, place, at_s=at_s)


def _scan_colour_cameras(case: Case) -> Iterator[tuple[Stream, Scan]]:
    return ((stream, scan_colour_frames(case, stream)) for stream in find_colour_cameras(case))


def _find_well_lit_frames(case: Case, picture_scan: Scan) -> NDArray[np.bool_]:
    """Return which frames are neither black nor overexposed."""
    dark = case.read_parameter("vision.black_or_blown", "dark_level")
    bright = case.read_parameter("vision.black_or_blown", "bright_level")
    lit: NDArray[np.bool_] = (picture_scan.level >= dark) & (picture_scan.level <= bright)
    return lit


def _measure_share_of_bad_frames(
    case: Case, stream: Stream, picture_scan: Scan, is_bad: NDArray[np.bool_]
) -> Measurement:
    is_bad = is_bad[picture_scan.decoded]
    if not len(is_bad):
        return Measurement(Subject(stream.name), UNKNOWN, cannot_tell=NOTHING_DECODED)
    at_s = (
        compute_sample_time_s(case, stream, int(picture_scan.indices[picture_scan.decoded][np.argmax(is_bad)]))
        if is_bad.any()
        else None
    )
    return Measurement(
        Subject(stream.name), float(is_bad.mean()), note_place_in_frames(stream, picture_scan.indices, at_s), at_s=at_s
    )
