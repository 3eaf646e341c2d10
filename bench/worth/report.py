"""Sum up the rows of `bench.value`: gains over no filter in points, and what the shipped rule does."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import stdtrit

from bench.harness import LEVEL, RANGE, Figure, table
from bench.worth.rounds import RULE_METHOD, RULE_SHARE, SETS, SHARES, SHORT, TRIALS, does_rule_leave_out

Row = dict[str, Any]
ORACLE, CHANCE, NO_FILTER = "tier", "random", "no filter"
UNIT = "points"


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the headline figures, and for each set the best filter and the shipped rule."""
    found: dict[str, Figure] = {}
    for name in _list_sets(rows):
        of = _select(rows, name)
        chosen = [_choose([other for other in of if other is not row] or of) for row in of]
        key = name.replace(" ", "_")
        found[f"best_gain_{key}"] = _sum_up([_gain(row, *one) for row, one in zip(of, chosen, strict=True)])
        found[f"random_gain_{key}"] = _sum_up([_gain(row, CHANCE, one[1]) for row, one in zip(of, chosen, strict=True)])
        found[f"rule_gain_{key}"] = _sum_up([_gain_of_rule(row) for row in of])
    helped = max(_list_sets(rows), key=lambda name: found[f"best_gain_{name.replace(' ', '_')}"].value)
    key = helped.replace(" ", "_")
    worse = [name for name in found if name.startswith("rule_gain") and (found[name].high or 0.0) < 0]
    head = {
        "best_gain_points": found[f"best_gain_{key}"],
        "random_gain_points": found[f"random_gain_{key}"],
        "never_worse": Figure(float(not worse), aim="1"),
    }
    return head | found


def tabulate(rows: Sequence[Row]) -> str:
    """Write a table of gains a set, what each method knows and costs, the rule, and the figures."""
    parts: list[str] = []
    for name in _list_sets(rows):
        parts += [_tabulate_set(name, _select(rows, name)), ""]
    return "\n".join([*parts, _tabulate_methods(rows), "", _tabulate_rules(rows), "", table(figures(rows))])


def _tabulate_set(name: str, rows: Sequence[Row]) -> str:
    whole = 100 * np.mean([row["all"] for row in rows])
    shares, best = _list_shares(rows), _choose(rows)
    lines = [
        f"**{name}**, {len(rows)} floors: no filter {whole:.1f} % success. Best over all floors: {best[0]}"
        + (f", {best[1]:.0%} out." if best[1] else "."),
        "",
        "| left out | " + " | ".join(f"{share:.0%}" for share in shares) + f" | {RULE_SHARE:.0%}, equal lengths |",
        "|---|" + "---|" * (len(shares) + 1),
    ]
    for method in rows[0]["methods"]:
        gains = [[_gain(row, method, share) for row in rows] for share in shares]
        gains.append([100 * (row["methods"][method]["controlled"] - row["all"]) for row in rows])
        lines.append(f"| {method} | " + " | ".join(map(_write_gain, gains)) + " |")
    return "\n".join(lines)


def _tabulate_methods(rows: Sequence[Row]) -> str:
    lines = ["| method | tier recognised (AUROC) | correlation with length | CPU-s |", "|---|---|---|---|"]
    for method in rows[0]["methods"]:
        of = [row["methods"][method] for row in rows]
        known = [one["tier_auroc"] for one in of if one["tier_auroc"] is not None]
        lines.append(
            f"| {method} | {np.mean(known):.2f} | {np.mean([one['length_rho'] for one in of]):+.2f} "
            f"| {np.mean([one['cpu_s'] for one in of]):.2f} |"
        )
    return "\n".join(lines)


def _tabulate_rules(rows: Sequence[Row]) -> str:
    lines = [
        (
            f"| set | {RULE_METHOD}, {RULE_SHARE:.0%} out, always | only after {TRIALS} + {TRIALS} trials show it "
            "| floors that filter | floors where held-out loss would agree |"
        ),
        "|---|---|---|---|---|",
    ]
    for name in _list_sets(rows):
        judged = _select(rows, name)
        always = [_gain(row, RULE_METHOD, RULE_SHARE) for row in judged]
        ruled = [_gain_of_rule(row) for row in judged]
        by_loss = sum(row["loss_rule"]["gain"] > row["loss_rule"]["half"] for row in judged)
        filtered = sum(_does_rule_filter(row) for row in judged)
        lines.append(
            f"| {name} | {_write_gain(always)} | {_write_gain(ruled)} | {filtered} of {len(judged)} "
            f"| {by_loss} of {len(judged)} |"
        )
    return "\n".join(lines)


def _select(rows: Sequence[Row], name: str) -> list[Row]:
    return [row for row in rows if row["set"] == name]


def _choose(rows: Sequence[Row]) -> tuple[str, float]:
    """Return the method and share with the largest mean gain, or no filter; the oracle and chance are left out."""
    options = [(method, share) for method in rows[0]["methods"] for share in _list_shares(rows)]
    fair = [option for option in options if option[0] not in (ORACLE, CHANCE)]
    best = max(fair, key=lambda option: np.mean([_gain(row, *option) for row in rows]))
    return best if np.mean([_gain(row, *best) for row in rows]) > 0 else (NO_FILTER, 0.0)


def _gain(row: Row, method: str, share: float) -> float:
    if method == NO_FILTER or not share:
        return 0.0
    return 100 * float(row["methods"][method]["success"][_list_shares([row]).index(share)] - row["all"])


def _gain_of_rule(row: Row) -> float:
    return _gain(row, RULE_METHOD, RULE_SHARE) if _does_rule_filter(row) else 0.0


def _does_rule_filter(row: Row) -> bool:
    """Judge the trials that a row holds by the rule as it is now."""
    return does_rule_leave_out(row["rule"]["before"], row["rule"]["after"])


def _list_shares(rows: Sequence[Row]) -> tuple[float, ...]:
    count = len(rows[0]["methods"][CHANCE]["success"])
    return next(shares for shares in (SHARES, SHORT.shares) if len(shares) == count)


def _list_sets(rows: Sequence[Row]) -> list[str]:
    here = {row["set"] for row in rows}
    return [name for name in SETS if name in here]


def _sum_up(gains: Sequence[float]) -> Figure:
    """Return the mean of paired gains with Student's interval over floors; one floor has only its value."""
    mean, count = float(np.mean(gains)), len(gains)
    if count == 1:
        return Figure(mean, 1, mean, mean, UNIT, kind=RANGE)
    half = float(stdtrit(count - 1, (1 + LEVEL) / 2)) * float(np.std(gains, ddof=1)) / count**0.5
    return Figure(mean, count, mean - half, mean + half, UNIT)


def _write_gain(gains: Sequence[float]) -> str:
    figure = _sum_up(gains)
    if not figure.kind and figure.high is not None:
        return f"{figure.value:+.1f} ± {figure.high - figure.value:.1f}"
    return f"{figure.value:+.1f}"
