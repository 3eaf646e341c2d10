"""Does a LeRobot policy agree with a dataset: features, sizes, order of values, rate, and the range of its numbers?"""

from collections.abc import Iterator

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.finding import Finding
from fieldloop.model.note import note
from fieldloop.serve import lerobot_folder as lerobot
from fieldloop.serve.checking.answers import leave_open, report_agreement, report_contradiction
from fieldloop.serve.checking.by_itself import EMPTY_CAMERA
from fieldloop.serve.checking.dataset import DatasetFacts
from fieldloop.serve.engines.act import VISUAL
from fieldloop.serve.lerobot_folder import ACTION, LerobotFolder

FEATURES, SIZES, NAMES = "policy.data_features", "policy.data_sizes", "policy.data_order"
RATE, RANGES = "policy.data_rate", "policy.data_ranges"
STATE = "observation.state"
FIXED_PICTURES = ("act", "diffusion", "vqbet", "tdmpc")
"""Policies that take pictures in the size they learnt from; the others resize."""


def check_with_data(stated: LerobotFolder, data: DatasetFacts, control_hz: float | None) -> Iterator[Finding]:
    """Yield the answers about a policy and a dataset; `control_hz` is the rate at which the policy is to run."""
    original = {new: old for old, new in stated.renamed.items()}
    for key, feature in (*stated.inputs.items(), *stated.outputs.items()):
        if EMPTY_CAMERA in key:
            continue
        there = key if key in data.shapes else original.get(key, key)
        if there not in data.shapes:
            listed = ", ".join(sorted(name for name in data.shapes if name.startswith(("observation", ACTION)))) or "–"
            yield report_contradiction(FEATURES, key, note("policy.feature_missing", data=data.name, listed=listed))
            continue
        yield report_agreement(FEATURES, key, note("policy.feature_there", data=data.name))
        yield _compare_sizes(stated, key, feature, data.shapes[there])
    yield from _compare_orders(stated, data)
    yield _compare_rates(stated, data, control_hz)
    yield from _compare_ranges(stated, data)


def _compare_sizes(stated: LerobotFolder, key: str, feature: lerobot.Feature, there: tuple[int, ...]) -> Finding:
    fact = note("policy.shapes", stated=_write_shape(feature.shape), found=_write_shape(there))
    if feature.shape == there:
        return report_agreement(SIZES, key, fact)
    if feature.kind == VISUAL and stated.kind not in FIXED_PICTURES:
        return leave_open(SIZES, key, note("policy.pictures_resized", kind=stated.kind))
    return report_contradiction(SIZES, key, fact)


def _compare_orders(stated: LerobotFolder, data: DatasetFacts) -> Iterator[Finding]:
    """The values of action and state must come in the order that the policy learnt."""
    names = stated.config.get("action_feature_names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield leave_open(NAMES, ACTION, note("policy.no_names"))
        return
    for key in (ACTION, STATE):
        there = data.names.get(key)
        if there is None:
            if key == ACTION:
                yield leave_open(NAMES, key, note("policy.no_names_in_data", data=data.name))
        elif tuple(names) == there:
            yield report_agreement(NAMES, key, note("policy.same_order"))
        elif sorted(names) == sorted(there):
            first = next(n for n, (mine, its) in enumerate(zip(names, there, strict=True)) if mine != its)
            fact = note("policy.other_order", value=first, mine=names[first], its=there[first])
            yield report_contradiction(NAMES, key, fact)
        elif key == ACTION:
            yield leave_open(NAMES, key, note("policy.other_names", mine=names[0], its=there[0]))


def _compare_rates(stated: LerobotFolder, data: DatasetFacts, control_hz: float | None) -> Finding:
    rate = control_hz or _find_rate(stated)
    if rate is None:
        return leave_open(RATE, "", note("policy.no_rate"))
    if data.fps is None:
        return leave_open(RATE, "", note("policy.no_rate_in_data", data=data.name))
    fact = note("policy.rates", stated_hz=rate, found_hz=data.fps)
    return (report_agreement if np.isclose(rate, data.fps, rtol=1e-3) else report_contradiction)(RATE, "", fact)


def _find_rate(stated: LerobotFolder) -> float | None:
    """Return the rate that a configuration states: LeRobot's own states none."""
    found = (stated.config.get(key) for key in ("control_hz", "fps"))
    return next((float(one) for one in found if isinstance(one, int | float) and not isinstance(one, bool)), None)


def _compare_ranges(stated: LerobotFolder, data: DatasetFacts) -> Iterator[Finding]:
    """Ranges that do not even touch are of another unit or another robot."""
    sides = ((lerobot.NORMALISE, STATE), (lerobot.UNNORMALISE, ACTION))
    for name, key in sides:
        step, there = stated.get_normaliser(name), data.statistics.get(key, {})
        if step is None or not {"min", "max"} <= there.keys():
            continue
        try:
            mine = lerobot.read_statistics(stated.folder, step).get(key, {})
        except BadInput:
            continue  # the question about the normaliser answers
        if not {"min", "max"} <= mine.keys() or mine["min"].shape != there["min"].shape or mine["min"].ndim != 1:
            continue
        apart = np.flatnonzero((mine["min"] > there["max"]) | (mine["max"] < there["min"]))
        if apart.size:
            n = int(apart[0])
            yield report_contradiction(
                RANGES, key,
                note(
                    "policy.ranges_apart", value=n, low=float(mine["min"][n]), high=float(mine["max"][n]),
                    data_low=float(there["min"][n]), data_high=float(there["max"][n]),
                ),
            )  # fmt: skip
        else:
            yield report_agreement(RANGES, key, note("policy.ranges_overlap"))


def _write_shape(shape: tuple[int, ...]) -> str:
    """Write a shape as people do.

    >>> _write_shape((3, 480, 640))
    '3 × 480 × 640'
    """
    return " × ".join(map(str, shape))
