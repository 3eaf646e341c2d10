"""The small motion that aligns one depth cloud with another's surface, and which of its six parts are observable."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fieldloop.calibrate.cloud_surface import Surface, build_search_tree
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.stats.quantile import SD_PER_MAD

ROUNDS = 30  # the fit stops earlier where it has converged
STILL_M = 1e-6  # a step this small changes nothing that is reported
TUKEY = 4.685
"""Keeps 95 % of the efficiency where all errors are normal (Huber, Robust Statistics)."""
REACH = 1.5
"""How far beside a patch's middle a point may lie to belong to it, in the patch's radii."""
BLOCKS = 6
"""Along each axis; errors of neighbouring points are not independent, those of blocks nearly are."""


@dataclass(frozen=True, slots=True, eq=False)
class CloudFit:
    """A motion `right_from_left` about a middle, its covariance, and which parts are observable.

    `twist` is shift (m) and turn (rad) about `middle`; `unseen` are the directions of it, in the same units with turns
    times `radius_m`, that no surface shows.
    """

    right_from_left: Floats
    twist: Floats
    covariance: Floats
    unseen: Floats
    middle: Floats
    radius_m: float
    partners: int
    overlap: float


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    points: Floats
    normals: Floats
    distances: Floats
    normal_noise: Floats


def fit_clouds(points: Floats, surface: Surface, search_m: float, noise_factor: float) -> CloudFit | None:
    """Move points until they lie on the surface, each along the normal of its nearest patch; None without partners.

    A direction counts as observable when surfaces face it `noise_factor` times more than the noise of their normals
    suggests.
    """
    near = build_search_tree(surface.middles)
    moved, right_from_left = points, np.eye(4)
    middle, radius = points.mean(axis=0), 1.0
    for _ in range(ROUNDS):
        pairs = _pair_with_patches(moved, surface, near, search_m)
        if len(pairs.points) <= 6:  # noqa: PLR2004  unknowns
            return None
        middle = pairs.points.mean(axis=0)
        radius = float(np.sqrt(np.mean(np.sum((pairs.points - middle) ** 2, axis=1))))
        step, _, _ = _solve_step(pairs, middle, radius, noise_factor)
        motion = _make_motion(step, middle, radius)
        moved, right_from_left = tf.transform_points(motion, moved), motion @ right_from_left
        if np.abs(step).max() < STILL_M:
            break
    pairs = _pair_with_patches(moved, surface, near, search_m)
    _, covariance, unseen = _solve_step(pairs, middle, radius, noise_factor)
    shift = middle - tf.transform_points(tf.invert_transform(right_from_left), middle)
    twist = np.concatenate([shift, tf.vector_from_rotation(right_from_left[:3, :3])])
    scale = np.array([1, 1, 1, 1 / radius, 1 / radius, 1 / radius])
    return CloudFit(
        right_from_left=right_from_left,
        twist=twist,
        covariance=covariance * np.outer(scale, scale),
        unseen=unseen,
        middle=middle,
        radius_m=radius,
        partners=len(pairs.points),
        overlap=len(pairs.points) / len(points),
    )


def _pair_with_patches(points: Floats, surface: Surface, patch_tree: Any, search_m: float) -> _Pairs:
    """Pair points with the patch they are in front of; points beyond the rim of the surface have none."""
    away, which = patch_tree.query(points, distance_upper_bound=search_m)
    has_partner = np.isfinite(away)
    points, which = points[has_partner], which[has_partner]
    apart = points - surface.middles[which]
    across = np.sum(apart * surface.normals[which], axis=1)
    beside = np.linalg.norm(apart - across[:, None] * surface.normals[which], axis=1)
    kept = beside < REACH * surface.radii[which]
    which = which[kept]
    return _Pairs(points[kept], surface.normals[which], across[kept], surface.normal_noise[which])


def _solve_step(pairs: _Pairs, middle: Floats, radius: float, noise_factor: float) -> tuple[Floats, Floats, Floats]:
    """Return the step (turns times radius), its covariance by blocks, and the directions that nothing shows."""
    arms = np.cross(pairs.points - middle, pairs.normals) / radius
    rows = np.concatenate([pairs.normals, arms], axis=1)
    seen, unseen = _split_observable_directions(rows, pairs, noise_factor)
    step, weights = np.zeros(6), np.ones(len(rows))
    rows_seen = rows @ seen
    for _ in range(10):
        left = pairs.distances + rows @ step
        spread = max(SD_PER_MAD * float(np.median(np.abs(left - np.median(left)))), 1e-9)
        weights = np.clip(1 - (left / (TUKEY * spread)) ** 2, 0, None) ** 2
        normal = rows_seen.T @ (weights[:, None] * rows_seen)
        step = -seen @ np.linalg.lstsq(normal, rows_seen.T @ (weights * pairs.distances), rcond=None)[0]
    left = pairs.distances + rows @ step
    back = np.linalg.pinv(rows_seen.T @ (weights[:, None] * rows_seen))
    scores = np.zeros((BLOCKS**3, seen.shape[1]))
    np.add.at(scores, _assign_blocks(pairs.points), (weights * left)[:, None] * rows_seen)
    used = int((np.abs(scores).sum(axis=1) > 0).sum())
    meat = scores.T @ scores * (used / max(1, used - 1))
    return step, seen @ back @ meat @ back @ seen.T, unseen


def _split_observable_directions(rows: Floats, pairs: _Pairs, noise_factor: float) -> tuple[Floats, Floats]:
    """Split the six directions by whether surfaces face them.

    The normals of a flat wall are not all alike, because its points are noisy; taken at face value they would seem
    to show a shift along the wall. The effect of noise alone is known and must be exceeded clearly.
    """
    information, directions = np.linalg.eigh(rows.T @ rows / len(rows))
    by_noise = float(np.mean(pairs.normal_noise**2))
    true = information > noise_factor * max(by_noise, 1e-9)
    return directions[:, true], directions[:, ~true].T


def _assign_blocks(points: Floats) -> np.ndarray:
    low, high = points.min(axis=0), points.max(axis=0)
    cell = np.clip(((points - low) / np.maximum(high - low, 1e-9) * BLOCKS).astype(int), 0, BLOCKS - 1)
    return np.asarray((cell[:, 0] * BLOCKS + cell[:, 1]) * BLOCKS + cell[:, 2])


def _make_motion(step: Floats, middle: Floats, radius: float) -> Floats:
    turn = tf.rotation_from_vector(step[3:] / radius)
    return tf.make_transform(turn, step[:3] + middle - turn @ middle)
