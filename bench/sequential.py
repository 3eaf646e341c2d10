"""Comparing two versions: error, power and mean pairs of `gate compare`, exact, beside other tests.

Everything without an n is exact: a recursion over all outcomes, not a simulation. `max_size` bounds how often equal
versions are called different (each way), at every success rate, also between grid points. STEP is the best known test
at 200 pairs; its licence forbids commercial use, so only its figures stand here, computed from its decision table.
`wald_pairs` is what no sequential test with the same errors can undercut. Barnard's test waits for all 200 pairs.
`ville` (BSD-3) bets on every pair, without a last one. `paired` figures have the same scenes for both versions, so that
their results are correlated; `null` figures are of equal versions.

    nice python -m bench.sequential --page docs/compare.md
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.doc_page import put
from bench.harness import Figure, Missing, Skipped, print_to_stderr, summarise_mean, summarise_share
from bench.two_rates.betting import run_betting_test
from bench.two_rates.bound import compute_wald_bound, count_fixed_pairs
from bench.two_rates.drifting import simulate_false_verdicts
from bench.two_rates.fixed import compute_barnard_power
from bench.two_rates.report import LONG, tabulate
from fieldloop.evaluate.boundary_in_force import find_boundary, find_margin
from fieldloop.protocol import default_operations
from fieldloop.protocol.boundaries import read_boundaries
from fieldloop.stats.sequential import (
    Boundary,
    Futility,
    Pair,
    Scenes,
    bound_size,
    compute_miss_chances,
    compute_operating_characteristics,
    compute_sizes,
    pair_with_correlation,
)

COMMAND = "bench.sequential"
ALPHA, PAIRS = 0.05, 200
STEP = {(0.85, 0.80): (0.312, 173.5), (0.90, 0.80): (0.824, 119.2), (0.80, 0.70): (0.673, 138.8)}
STEP_EQUAL_PAIRS = 190.4
CORRELATIONS = (0.0, 0.2, 0.4, 0.6)
GRID = np.unique(np.concatenate([np.linspace(0.001, 0.999, 500), [0.002, 0.005, 0.995, 0.998]]))


def measure(*, short: bool) -> Mapping[str, Figure | Skipped]:
    """Measure; the short form leaves out tests of more than 200 pairs."""
    settings = default_operations()["gate"]
    worth, least = settings.number("compare_worth"), settings.number("compare_least_chance")
    unpaired, paired = (find_boundary(scenes, PAIRS, ALPHA) for scenes in Scenes)
    stops = {scenes: Futility(worth, least, find_margin(scenes)) for scenes in Scenes}
    return {
        **dict(_measure_sizes(short=short)),
        **dict(_measure_beside_step(unpaired, stops[Scenes.UNPAIRED])),
        **_measure_ville(1000 if short else 10_000),
        **dict(_measure_paired(paired, stops[Scenes.PAIRED], short=short)),
        **dict(_measure_null(unpaired, paired, 4000 if short else 40_000)),
        **dict(_measure_intervals(short=short)),
    }


def _measure_sizes(*, short: bool) -> Iterator[tuple[str, Figure]]:
    kept = [row for row in read_boundaries().rows if row.max_pairs <= PAIRS or not short]
    bounds = {}
    for row in kept:
        boundary = find_boundary(Scenes(row.scenes), row.max_pairs, row.alpha)
        bounds[row.scenes, row.max_pairs] = bound_size(boundary)
    yield "max_size", Figure(bounds["unpaired", PAIRS], unit="probability", aim="≤ 0.05")
    yield "max_size_paired", Figure(bounds["paired", PAIRS], unit="probability", aim="≤ 0.05")
    longest = max(row.max_pairs for row in kept)
    yield f"max_size_of_all_up_to_{longest}_pairs", Figure(max(bounds.values()), unit="probability", aim="≤ 0.05")
    on_grid = compute_sizes(find_boundary(Scenes.UNPAIRED, PAIRS, ALPHA), GRID)
    yield f"max_size_on_{len(GRID)}_rates", Figure(float(on_grid.max()), unit="probability", aim="≤ 0.05")


def _measure_beside_step(boundary: Boundary, futility: Futility) -> Iterator[tuple[str, Figure]]:
    for (candidate, other), (power, pairs) in STEP.items():
        name = _name(candidate, other)
        pair = pair_with_correlation(candidate, other)
        found, waiting = (compute_operating_characteristics(boundary, pair, stop) for stop in (futility, None))
        yield f"power_{name}", Figure(found.better, unit="probability", aim=f"≥ {0.98 * power:.3f} (STEP {power})")
        yield f"pairs_{name}", Figure(found.mean_pairs, unit="mean pairs", aim=f"≤ {1.02 * pairs:.1f} (STEP {pairs})")
        yield f"power_{name}_without_futility", Figure(waiting.better, unit="probability", aim=f"STEP {power} ± 2 %")
        yield f"pairs_{name}_without_futility", Figure(waiting.mean_pairs, unit="mean pairs", aim=f"STEP {pairs} ± 2 %")
        bound = compute_wald_bound(candidate, other, ALPHA, waiting.better)
        yield f"wald_pairs_{name}", Figure(bound, unit="mean pairs, at our power without futility")
        fixed = compute_barnard_power(PAIRS, candidate, other, ALPHA)
        yield f"barnard_power_{name}", Figure(fixed, unit=f"probability, always {PAIRS} pairs")
    equal = compute_operating_characteristics(boundary, pair_with_correlation(0.8, 0.8), futility)
    yield (
        "equal_pairs",
        Figure(equal.mean_pairs, unit="mean pairs at 80 % against 80 %", aim=f"STEP {STEP_EQUAL_PAIRS}"),
    )
    yield "equal_pairs_ratio_to_step", Figure(equal.mean_pairs / STEP_EQUAL_PAIRS, unit="×", aim="≤ 0.6")
    waiting = compute_operating_characteristics(boundary, pair_with_correlation(0.8, 0.8))
    yield "equal_pairs_without_futility", Figure(waiting.mean_pairs, unit="mean pairs, both 80 %")
    yield "equal_called_better", Figure(equal.better, unit="probability", aim="≤ 0.05")


def _measure_ville(runs: int) -> dict[str, Figure | Skipped]:
    try:
        found = run_betting_test(list(STEP), PAIRS, runs, ALPHA)
    except Missing as reason:
        return {"ville_power_80_90": Skipped(str(reason)), "ville_pairs_80_90": Skipped(str(reason))}
    figures: dict[str, Figure | Skipped] = {}
    for (candidate, other), stops in zip(STEP, found, strict=True):
        name = _name(candidate, other)
        figures[f"ville_power_{name}"] = summarise_share([stop is not None for stop in stops], "probability")
        figures[f"ville_pairs_{name}"] = summarise_mean([float(stop or PAIRS) for stop in stops], "mean pairs")
    return figures


def _measure_paired(boundary: Boundary, futility: Futility, *, short: bool) -> Iterator[tuple[str, Figure]]:
    for rho in CORRELATIONS:
        found = compute_operating_characteristics(boundary, pair_with_correlation(0.9, 0.8, rho), futility)
        yield f"paired_power_80_90_correlation_{rho}", Figure(found.better, unit="probability")
        yield f"paired_pairs_80_90_correlation_{rho}", Figure(found.mean_pairs, unit="mean pairs")
        equal = compute_operating_characteristics(boundary, pair_with_correlation(0.8, 0.8, rho), futility)
        yield f"paired_pairs_equal_correlation_{rho}", Figure(equal.mean_pairs, unit="mean pairs, both 80 %")
    if short:
        return
    long, small = find_boundary(Scenes.PAIRED, LONG, ALPHA), replace(futility, worth=0.05)
    for rho in CORRELATIONS:
        found = compute_operating_characteristics(long, pair_with_correlation(0.85, 0.8, rho), small)
        once = count_fixed_pairs(0.85, 0.8, ALPHA, found.better, rho)
        yield f"paired_power_80_85_of_{LONG}_correlation_{rho}", Figure(found.better, unit="probability")
        yield f"paired_pairs_80_85_of_{LONG}_correlation_{rho}", Figure(found.mean_pairs, unit="mean pairs")
        yield f"paired_once_80_85_{rho}", Figure(once, unit="pairs of one test at the end, same power")


def _measure_null(unpaired: Boundary, paired: Boundary, runs: int) -> Iterator[tuple[str, Figure]]:
    """Equal versions: exact where conditions stay, simulated where they change meanwhile."""
    for rho in CORRELATIONS:
        found = compute_operating_characteristics(paired, pair_with_correlation(0.8, 0.8, rho))
        yield f"paired_null_correlation_{rho}", Figure(found.better, unit="probability", aim="≤ 0.05")
    for name, boundary in (("paired", paired), ("unpaired", unpaired)):
        for way, rates in (
            ("falling_95_50", np.linspace(0.95, 0.5, PAIRS)),
            ("rising_50_95", np.linspace(0.5, 0.95, PAIRS)),
            ("with_easy_and_hard_scenes", np.full(PAIRS, 0.8)),
        ):
            spread = 0.5 if way.startswith("with") else 0.0
            better = simulate_false_verdicts(boundary, rates, spread, runs, seed=1)
            yield f"{name}_null_{way}", summarise_share(better, "probability", "≤ 0.05 where nothing changes")


def _measure_intervals(*, short: bool) -> Iterator[tuple[str, Figure]]:
    """How often a bound of the interval misses the true difference, worst over many true rates."""
    for scenes in Scenes:
        boundary, margin = find_boundary(scenes, 50 if short else PAIRS, ALPHA), find_margin(scenes)
        missed = max(max(compute_miss_chances(boundary, margin, pair)) for pair in _list_true_rates(scenes))
        unit = f"probability, {boundary.max_pairs} pairs"
        yield f"interval_misses_{scenes}", Figure(missed, unit=unit, aim="≤ 0.05 each bound")


def _list_true_rates(scenes: Scenes) -> list[Pair]:
    if scenes is Scenes.UNPAIRED:
        means = [(m, d) for m in (0.01, 0.05, 0.1, 0.2, 0.35, 0.5) for d in (0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 0.95)]
        return [pair_with_correlation(m + d / 2, m - d / 2) for m, d in means if d / 2 <= m <= 1 - d / 2]
    ways = [(q, w) for q in (0.01, 0.05, 0.1, 0.2, 0.4, 0.7, 0.95) for w in (0.0, 0.3, 0.6, 0.9, 1.0)]
    return [Pair(1 - q, q * (1 + w) / 2, q * (1 - w) / 2, 0.0) for q, w in ways]


def _name(candidate: float, other: float) -> str:
    return f"{100 * min(candidate, other):.0f}_{100 * max(candidate, other):.0f}"


def main() -> None:
    """Run from the command line; the full form can exchange the tables of a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="tests of at most 200 pairs")
    parser.add_argument("--json", action="store_true", help="print one object of headline figures")
    parser.add_argument("--page", type=Path, help="exchange the tables of this page")
    words = parser.parse_args()
    with print_to_stderr():
        figures = measure(short=words.short)
    if words.page:
        step = {_name(*rates): figure for rates, figure in STEP.items()}
        put(words.page, COMMAND, tabulate(figures, step, STEP_EQUAL_PAIRS))
    if words.json:
        print(json.dumps({name: figure.plain() for name, figure in figures.items()}, allow_nan=False))
        return
    width = max(map(len, figures))
    for name, figure in figures.items():
        aim = f"   aim: {figure.aim}" if isinstance(figure, Figure) and figure.aim else ""
        print(f"{name:<{width}}  {figure}{aim}")


if __name__ == "__main__":
    main()
