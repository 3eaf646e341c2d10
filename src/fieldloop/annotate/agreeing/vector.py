"""The vector: each number with its interval over episodes, for a pair of authors or the mean over pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.annotate.agreeing.kind_columns import KindColumns
from fieldloop.annotate.agreeing.pair import Pair, divide
from fieldloop.model.agreement import AgreementEstimate, AgreementVector
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.protocol.operations import Section
from fieldloop.stats.segments.gamma import TooManySegments, Units, compute_disorder, estimate_expected_disorder
from fieldloop.stats.segments.segment_arrays import Floats

NUMBERS = (
    *("kappa", "boundary_mae_frames", "boundary_bias_frames", "boundary_f1", "boundary_hits"),
    *("f1_10", "f1_50", "f1_90", "edit"),
)
UNDEFINED = {"kappa": "agree.kappa_undefined", "boundary": "agree.boundary_undefined"}
FAILS = {"kappa": "agree.kappa_fails", "boundary": "agree.boundary_fails"}
OPEN = {"kappa": "agree.kappa_open", "boundary": "agree.boundary_open"}
LEAST_DEFINED = 0.9
"""Share of the draws in which a number must be defined for an interval."""


@dataclass(frozen=True, slots=True)
class AgreementLimits:
    """What the protocol demands of each kind of label; None where it demands nothing."""

    min_kappa: float | None
    max_boundary_frames: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Disorders:
    """Of some episodes: the disorder observed and the one expected by chance, times the mean count of segments."""

    episode: NDArray[np.int64]
    observed: Floats
    expected: Floats


def draw_weights(episodes: NDArray[np.bool_], settings: Section, rng: np.random.Generator) -> Floats:
    """Return weights of episodes: first of all once, then of draws with replacement from the marked ones."""
    marked = np.flatnonzero(episodes)
    weights = np.zeros((1 + int(settings.number("draws")), len(episodes)))
    weights[0, marked] = 1.0
    if len(marked):
        draws = len(weights) - 1
        drawn = rng.integers(len(marked), size=(draws, len(marked))) + len(marked) * np.arange(draws)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=draws * len(marked))
        weights[1:, marked] = counts.reshape(draws, len(marked))
    return weights


def make_vector(
    columns: KindColumns, pairs: Sequence[Pair], weights: Floats, settings: Section, disorders: Disorders | None = None
) -> AgreementVector:
    """Sum up some pairs; the weights decide which episodes count."""
    used = weights[0] > 0
    compared = [pair for pair in pairs if (pair.shared & used).any()]
    episodes = int(np.logical_or.reduce([pair.shared & used for pair in compared]).sum()) if compared else 0
    drawn = [pair.compute_numbers(weights) for pair in compared]
    bounded = episodes >= settings.number("min_episodes")

    def estimate(values: Floats) -> AgreementEstimate:
        return estimate_from_draws(values, settings.number("level"), bounded=bounded)

    found = {name: estimate(_average_defined([one[name] for one in drawn], len(weights))) for name in NUMBERS}
    if len(pairs) > 1:
        found["boundary_bias_frames"] = AgreementEstimate()
    gamma = AgreementEstimate() if disorders is None else estimate(_compute_gammas(disorders, weights))
    return AgreementVector(
        kind=columns.kind,
        authors=tuple(columns.authors[n] for n in dict.fromkeys(n for pair in pairs for n in pair.authors)),
        episodes=episodes,
        segments=int(sum((pair.segments * used).sum() for pair in compared)),
        kappa=found["kappa"],
        boundary_mae_frames=found["boundary_mae_frames"],
        boundary_bias_frames=found["boundary_bias_frames"],
        boundary_f1=found["boundary_f1"],
        boundary_hits=found["boundary_hits"],
        f1_10=found["f1_10"],
        f1_50=found["f1_50"],
        f1_90=found["f1_90"],
        edit=found["edit"],
        gamma=gamma,
    )


def judge_vector(vector: AgreementVector, limits: AgreementLimits, settings: Section) -> AgreementVector:
    """Judge kappa and boundary distance: a number passes or fails where its whole interval does."""
    least = int(settings.number("min_episodes"))
    if vector.episodes < least:
        reason = note("agree.too_few_episodes", episodes=vector.episodes, least=least)
        return replace(vector, status=Status.CANNOT_TELL, reason=reason)
    judged = []
    if limits.min_kappa is not None:
        judged.append((vector.kappa.judge(limits.min_kappa, above=True), "kappa", vector.kappa, limits.min_kappa))
    if limits.max_boundary_frames is not None:
        apart = vector.boundary_mae_frames
        judged.append(
            (apart.judge(limits.max_boundary_frames, above=False), "boundary", apart, limits.max_boundary_frames)
        )
    if not judged:
        return replace(vector, reason=note("agree.no_limit"))
    status, name, value, limit = min(judged, key=lambda one: list(Status).index(one[0]))
    if status is Status.PASSED:
        return replace(vector, status=status, reason=None)
    if value.value is None:
        return replace(vector, status=status, reason=note(UNDEFINED[name]))
    code = (FAILS if status is Status.FAILED else OPEN)[name]
    return replace(
        vector, status=status, reason=note(code, value=value.value, low=value.low, high=value.high, limit=limit)
    )


def measure_disorders(
    columns: KindColumns, authors: Sequence[int], used: NDArray[np.bool_], settings: Section, rng: np.random.Generator
) -> Disorders | None:
    """Measure what gamma is made of on episodes that all these authors labelled, at most so many of them.

    None without such episodes, or where one has too many segments to align.
    """
    shared = np.flatnonzero(np.logical_and.reduce([columns.seen[a] for a in authors]) & used)
    most = int(settings.number("gamma_episodes"))
    chosen = np.sort(rng.choice(shared, most, replace=False)) if len(shared) > most else shared
    if not len(chosen):
        return None
    samples = max(2, -(-int(settings.number("gamma_samples")) // len(chosen)))
    observed, expected = [], []
    try:
        for episode in chosen:
            units = [_collect_units(columns, author, int(episode)) for author in authors]
            many = sum(map(len, units)) / len(units)
            observed.append(many * compute_disorder(units) if many else 0.0)
            expected.append(many * estimate_expected_disorder(units, rng, samples) if many else 0.0)
    except TooManySegments:
        return None
    return Disorders(chosen, *(np.nan_to_num(np.array(each)) for each in (observed, expected)))


def _collect_units(columns: KindColumns, author: int, episode: int) -> Units:
    held = columns.segments[author]
    lines = np.flatnonzero(columns.owner == episode)
    begin, end = np.searchsorted(held.episode, (lines[0], lines[-1] + 1))  # timelines of an episode are neighbours
    return Units(held.label[begin:end], held.start[begin:end].astype(float), held.end[begin:end].astype(float))


def _compute_gammas(disorders: Disorders, weights: Floats) -> Floats:
    counted = weights[:, disorders.episode]
    return np.asarray(1.0 - divide(counted @ disorders.observed, counted @ disorders.expected))


def _average_defined(drawn: Sequence[Floats], rows: int) -> Floats:
    if not drawn:
        return np.full(rows, np.nan)
    table = np.array(drawn)
    known = np.isfinite(table)
    return divide(np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0).astype(float))


def estimate_from_draws(values: Floats, level: float, *, bounded: bool) -> AgreementEstimate:
    """Take the first as the number, the others as draws; undefined is None, never 0 or 1."""
    if not np.isfinite(values[0]):
        return AgreementEstimate()
    known = values[1:][np.isfinite(values[1:])]
    if not bounded or len(known) < LEAST_DEFINED * len(values[1:]):
        return AgreementEstimate(float(values[0]))
    low, high = np.quantile(known, ((1 - level) / 2, (1 + level) / 2))
    return AgreementEstimate(float(values[0]), float(low), float(high))
