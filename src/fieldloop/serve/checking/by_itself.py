"""Does a LeRobot policy agree with itself: configuration, normalisers, and the shapes of its weights?"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.finding import Finding
from fieldloop.model.note import note
from fieldloop.serve import lerobot_folder as lerobot
from fieldloop.serve.checking.answers import leave_open, report_agreement, report_contradiction, report_unstated
from fieldloop.serve.engines.act import STATE, VISUAL
from fieldloop.serve.lerobot_folder import ACTION, Feature, LerobotFolder, Step
from fieldloop.serve.normaliser import MODES
from fieldloop.serve.safetensors import Pointer, read_header

Statistics = Mapping[str, Mapping[str, NDArray[np.float64]]]
CONFIGURATION, NORMALISER, ORDERED = "policy.configuration", "policy.normaliser", "policy.statistics_in_order"
DIMENSIONS, CAMERAS, WEIGHTS, BOTH = "policy.dimensions", "policy.cameras", "policy.weights", "policy.both_normalisers"
IDENTITY = "identity"
EMPTY_CAMERA = "empty_camera"
"""Part of the name of an input that a policy fills with a blank picture itself."""

ORDERS = (("min", "max"), ("q01", "q99"), ("q10", "q90"))


def check_by_itself(stated: LerobotFolder) -> Iterator[Finding]:
    """Yield the answers about one policy folder."""
    yield from _check_configuration(stated)
    if stated.before is None and stated.after is None:
        yield _judge_missing_normalisers(stated)
    else:
        yield from _check_normaliser(stated, lerobot.NORMALISE, stated.inputs)
        yield from _check_normaliser(stated, lerobot.UNNORMALISE, stated.outputs)
        yield from _compare_normalisers(stated)
    yield from _check_weights(stated)


def _check_configuration(stated: LerobotFolder) -> Iterator[Finding]:
    action = stated.outputs.get(ACTION)
    if action is None or len(action.shape) != 1:
        fact = note("policy.no_action", listed=", ".join(stated.outputs) or "–")
        yield report_contradiction(CONFIGURATION, ACTION, fact)
    else:
        yield report_agreement(CONFIGURATION, ACTION, note("policy.action", values=action.shape[0]))
    executed, chunk = stated.config.get("n_action_steps"), stated.horizon
    if isinstance(executed, int) and chunk is not None:
        fact = note("policy.steps", executed=executed, chunk=chunk)
        yield (report_agreement if executed <= chunk else report_contradiction)(CONFIGURATION, "n_action_steps", fact)


def _judge_missing_normalisers(stated: LerobotFolder) -> Finding:
    """A checkpoint without processors: one of an older LeRobot, one that needs none, or one that lost them."""
    needed = {one.kind for one in (*stated.inputs.values(), *stated.outputs.values())}
    if stated.modes and all(stated.modes.get(kind, "IDENTITY") == "IDENTITY" for kind in needed):
        return report_agreement(NORMALISER, "", note("policy.needs_no_normaliser"))
    if lerobot.has_built_in_statistics(stated.folder):
        return report_unstated(NORMALISER, "", note("policy.normaliser_of_old_lerobot"))
    if not stated.modes:
        return report_unstated(NORMALISER, "", note("policy.no_modes"))
    return report_contradiction(NORMALISER, "", note("policy.no_normaliser", file=lerobot.PRE))


def _check_normaliser(stated: LerobotFolder, name: str, features: Mapping[str, Feature]) -> Iterator[Finding]:
    """Compare one normaliser with the features that it must serve."""
    step = stated.get_normaliser(name)
    if step is None:
        yield report_unstated(NORMALISER, name, note("policy.no_such_step", step=name))
        return
    try:
        statistics = lerobot.read_statistics(stated.folder, step)
    except BadInput as wrong:
        yield _judge_unreadable(NORMALISER, step.state, wrong)
        return
    renamed = {stated.renamed.get(key, key): values for key, values in statistics.items()}
    for key, feature in features.items():
        if EMPTY_CAMERA not in key:
            yield from _check_feature(_find_mode(stated, step, feature), key, feature, renamed)
    yield from _check_cameras(stated, name, renamed)


def _judge_unreadable(check: str, about: str, wrong: BadInput) -> Finding:
    """A damaged file is a fault; one that was not fetched states nothing yet."""
    judge = report_unstated if isinstance(wrong, Pointer) else report_contradiction
    return judge(check, about, note("policy.unreadable", why=str(wrong)))


def _find_mode(stated: LerobotFolder, step: Step, feature: Feature) -> str:
    modes = step.config.get("norm_map") or stated.modes
    return str(modes.get(feature.kind, IDENTITY)).lower()


def _check_feature(mode: str, key: str, feature: Feature, statistics: Statistics) -> Iterator[Finding]:
    if mode == IDENTITY:
        return
    if mode not in MODES:
        yield report_unstated(NORMALISER, key, note("policy.unknown_mode", mode=mode.upper()))
        return
    found = statistics.get(key, {})
    if missing := [one for one in MODES[mode] if one not in found]:
        if feature.kind == VISUAL and not found:
            return  # the question about cameras answers
        listed = ", ".join(sorted(found)) or "–"
        fact = note("policy.no_statistics", mode=mode.upper(), missing=", ".join(missing), listed=listed)
        yield report_contradiction(NORMALISER, key, fact)
        return
    yield report_agreement(NORMALISER, key, note("policy.statistics", mode=mode.upper()))
    yield _compare_dimensions(key, feature, {one: found[one] for one in MODES[mode]})
    yield _judge_order(key, found)


def _compare_dimensions(key: str, feature: Feature, found: Mapping[str, NDArray[np.float64]]) -> Finding:
    """A vector has one number for each value, a picture one for each channel; one number for all fits both."""
    sizes = {values.size for values in found.values()}
    wanted = feature.shape[0] if feature.shape else 1
    fits = sizes <= {wanted, 1} or all(values.shape == feature.shape for values in found.values())
    fact = note("policy.sizes", stated=wanted, found=max(sizes))
    return (report_agreement if fits else report_contradiction)(DIMENSIONS, key, fact)


def _judge_order(key: str, found: Mapping[str, NDArray[np.float64]]) -> Finding:
    """Statistics are finite, no spread is negative, and no lower end is above its upper end."""
    for name, values in found.items():
        if values.dtype.kind == "f" and name != "count" and not np.isfinite(values).all():
            return report_contradiction(ORDERED, key, note("policy.not_finite", statistic=name))
    if "std" in found and (found["std"] < 0).any():
        return report_contradiction(ORDERED, key, note("policy.negative_spread"))
    for low, high in ORDERS:
        if low in found and high in found and found[low].shape == found[high].shape:
            above = np.flatnonzero(found[low] > found[high])
            if above.size:
                fact = note("policy.crossed", low=low, high=high, value=int(above[0]))
                return report_contradiction(ORDERED, key, fact)
    return report_agreement(ORDERED, key, note("policy.in_order"))


def _check_cameras(stated: LerobotFolder, name: str, statistics: Statistics) -> Iterator[Finding]:
    """A camera that the configuration names and the normaliser never saw, while it saw others, is a stale one."""
    if name != lerobot.NORMALISE:
        return
    seen = sorted(key for key in statistics if key.startswith("observation.image"))
    for key, feature in stated.inputs.items():
        if feature.kind != VISUAL or EMPTY_CAMERA in key:
            continue
        if key in statistics:
            yield report_agreement(CAMERAS, key, note("policy.camera_known"))
        elif seen:
            yield report_contradiction(CAMERAS, key, note("policy.camera_stale", listed=", ".join(seen)))
        else:
            yield leave_open(CAMERAS, key, note("policy.no_cameras_stated"))


def _compare_normalisers(stated: LerobotFolder) -> Iterator[Finding]:
    """The statistics of the action must be the same before and after the network."""
    before, after = stated.get_normaliser(lerobot.NORMALISE), stated.get_normaliser(lerobot.UNNORMALISE)
    if before is None or after is None:
        return
    try:
        sides = [lerobot.read_statistics(stated.folder, step).get(ACTION, {}) for step in (before, after)]
    except BadInput:
        return  # the question about each normaliser answers
    both = sorted(sides[0].keys() & sides[1].keys())
    if not both:
        return
    differ = [one for one in both if not np.array_equal(sides[0][one], sides[1][one], equal_nan=True)]
    if differ:
        yield report_contradiction(BOTH, ACTION, note("policy.normalisers_differ", listed=", ".join(differ)))
    else:
        yield report_agreement(BOTH, ACTION, note("policy.normalisers_agree"))


def _check_weights(stated: LerobotFolder) -> Iterator[Finding]:
    """Compare the shapes of weights, from their header, with the configuration; the places are known for ACT."""
    path = stated.folder / lerobot.WEIGHTS
    if not path.is_file():
        yield report_contradiction(WEIGHTS, lerobot.WEIGHTS, note("policy.no_weights", file=lerobot.WEIGHTS))
        return
    try:
        header = read_header(path)
    except BadInput as wrong:
        yield _judge_unreadable(WEIGHTS, lerobot.WEIGHTS, wrong)
        return
    if stated.kind != "act":
        yield leave_open(WEIGHTS, lerobot.WEIGHTS, note("policy.weights_not_compared", kind=stated.kind))
        return
    states = [one.shape[0] for one in stated.inputs.values() if one.kind == STATE and one.shape]
    action = stated.outputs.get(ACTION)
    state = states[0] if len(states) == 1 else None
    wanted = {
        ACTION: ("model.action_head.weight", 0, action.shape[0] if action and action.shape else None),
        "observation.state": ("model.encoder_robot_state_input_proj.weight", 1, state),
        "chunk_size": ("model.decoder_pos_embed.weight", 0, stated.horizon),
    }
    for key, (tensor, axis, size) in wanted.items():
        if tensor in header and size is not None:
            found = header[tensor].shape[axis]
            fact = note("policy.weight_sizes", stated=size, found=found)
            yield (report_agreement if found == size else report_contradiction)(WEIGHTS, key, fact)
