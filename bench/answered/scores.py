"""Counts over rows: shares with Wilson intervals, errors with exact or Student intervals, paired differences."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from bench.answered import matching
from bench.answered.row import FOREIGN, KNOWN, Reply, Row
from bench.harness import Figure
from fieldloop.stats.binomial import compute_wilson_interval

Holds = Callable[[Row, Reply], bool]
FEWEST = 6
"""With fewer values no interval of a median or mean is given."""
Z95 = 1.959964


def strong(rows: Sequence[Row]) -> list[Row]:
    """Return worlds with a logged cause that costs enough to be found."""
    return [row for row in rows if row.faults and not row.weak and not matching.is_unlogged(row)]


def sound(rows: Sequence[Row]) -> list[Row]:
    """Return worlds in which nothing is wrong; a harder mix is not a fault."""
    return [row for row in rows if not row.faults]


def rate(rows: Sequence[Row], headers: str, holds: Holds, aim: str = "") -> Figure:
    """Return the share of worlds in which it holds, with its Wilson interval."""
    hits = sum(holds(row, row.reply(headers)) for row in rows)
    low, high = compute_wilson_interval(hits, len(rows)) if rows else (math.nan, math.nan)
    return Figure(hits / len(rows) if rows else math.nan, len(rows), low, high, aim=aim)


def errors(rows: Sequence[Row], headers: str) -> list[float]:
    """Return the errors of all faults' shares, in points."""
    return [error for row in rows for error in matching.share_errors(row, row.reply(headers))]


def median_error(rows: Sequence[Row], headers: str, aim: str = "") -> Figure:
    """Return the median of the shares' errors, with an interval by order statistics."""
    values = sorted(errors(rows, headers))
    if not values:
        return Figure(math.nan, 0, math.nan, math.nan, "points", aim)
    low = high = math.nan
    if len(values) >= FEWEST:
        from scipy.stats import binom

        rank = int(binom.ppf(0.025, len(values), 0.5))
        low, high = values[max(rank - 1, 0)], values[min(len(values) - rank, len(values) - 1)]
    return Figure(float(np.median(values)), len(values), low, high, "points", aim)


def mean_error(rows: Sequence[Row], headers: str, aim: str = "") -> Figure:
    """Return the mean of the worlds' mean errors, with Student's interval over worlds."""
    values = [float(np.mean(matching.share_errors(row, row.reply(headers)))) for row in rows]
    if len(values) < FEWEST:
        return Figure(float(np.mean(values)) if values else math.nan, len(values), math.nan, math.nan, "points", aim)
    from scipy.stats import t

    half = float(t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values)))
    middle = float(np.mean(values))
    return Figure(middle, len(values), middle - half, middle + half, "points", aim)


def renaming_cost(rows: Sequence[Row], holds: Holds, aim: str = "") -> Figure:
    """Return by how many points fewer worlds are right under foreign headers, world by world.

    The interval is that of Agresti and Min (2005) for paired shares, which stays open where no answer changed.
    """
    pairs = [(holds(row, row.known), holds(row, row.foreign)) for row in rows]
    if not pairs:
        return Figure(math.nan, 0, math.nan, math.nan, "points", aim)
    lost, won = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    more, fewer, count = lost + 0.5, won + 0.5, len(pairs) + 2.0
    middle = (more - fewer) / count
    half = Z95 * math.sqrt(more + fewer - (more - fewer) ** 2 / count) / count
    return Figure(
        100 * (lost - won) / len(pairs), len(pairs), 100 * (middle - half), 100 * (middle + half), "points", aim
    )


def headline(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return all headline figures of a family."""
    found, fine = strong(rows), sound(rows)
    decoyed = [row for row in fine if row.decoys]
    plain = [row for row in fine if not row.decoys]
    weak = [row for row in rows if row.weak]
    unlogged = [row for row in rows if matching.is_unlogged(row) and not row.weak]
    two = [row for row in found if len(row.faults) > 1]
    placed = [row for row in found if matching.find_larger(row).places]

    def blamed(_: Row, reply: Reply) -> bool:
        return matching.is_blamed(reply)

    return {
        "right_cause_first": rate(found, KNOWN, matching.is_right, "≥ 0.9"),
        "right_cause_first_renamed": rate(found, FOREIGN, matching.is_right),
        "renaming_cost_points": renaming_cost(found, matching.is_right, "≤ 3"),
        "either_cause_first": rate(found, KNOWN, matching.is_either),
        "larger_of_two_first": rate(two, KNOWN, matching.is_right),
        "clearly_larger_of_two_first": rate([r for r in two if matching.is_unequal(r)], KNOWN, matching.is_right),
        "right_place_first": rate(placed, KNOWN, matching.is_placed),
        "share_error_median_points": median_error(found, KNOWN, "≤ 10"),
        "share_error_mean_points": mean_error(found, KNOWN, "≤ 15"),
        "nothing_called_wrong_with_decoys": rate(decoyed, KNOWN, blamed, "≤ 0.05"),
        "nothing_called_wrong_without_decoys": rate(plain, KNOWN, blamed, "≤ 0.05"),
        "nothing_called_wrong_renamed": rate(fine, FOREIGN, blamed, "≤ 0.05"),
        "decoy_blamed_beside_a_cause": rate([row for row in found if row.decoys], KNOWN, matching.is_decoy_blamed),
        "weak_falsely_blamed": rate(weak, KNOWN, matching.is_falsely_blamed),
        "unlogged_blamed": rate(unlogged, KNOWN, blamed),
    }
