"""What was found, as Markdown: a table of strategies for each trial."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bench.closed_loop.judge import Estimate, Seen, paired, spent_to_level
from bench.closed_loop.trials import BASELINE, CONTENDERS
from fieldloop.stats.multiple import adjust_by_holm

POINTS = 100.0


def differences(all_seen: Sequence[Seen]) -> Mapping[tuple[str, str], tuple[Estimate, float]]:
    """Each strategy's area less the baseline's, with p by Holm over all contenders and trials."""
    found = {
        (each.trial.name, name): paired(each.area(name), each.area(BASELINE))
        for each in all_seen
        for name in each.curves
        if name != BASELINE and BASELINE in each.curves
    }
    tested = [key for key in found if key[1] in CONTENDERS]
    adjusted = dict(zip(tested, adjust_by_holm([found[key].p for key in tested]), strict=True))
    return {key: (estimate, float(adjusted.get(key, np.nan))) for key, estimate in found.items()}


def tables(all_seen: Sequence[Seen]) -> str:
    """Write every trial's table."""
    compared = differences(all_seen)
    return "\n\n".join("\n".join(_table(each, compared)) for each in all_seen)


def _table(of: Seen, compared: Mapping[tuple[str, str], tuple[Estimate, float]]) -> Iterator[str]:
    trial, last = of.trial, of.trial.rounds
    yield (
        f"**{trial.name}**: {trial.budget:g} × {last}, {len(of.seeds)} seeds; start {of.start.mean():.3f}, "
        f"reference {of.reference.mean():.3f}, X = {of.levels.mean():.3f}"
    )
    yield ""
    yield (
        f"| strategy | after {trial.budget:g} | after {trial.budget * last:g} | AUC | AUC − {BASELINE}, points "
        f"| p (Holm) | spent to X | rarest quarter − {BASELINE}, points | laboratory, change |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, curves in of.curves.items():
        mean = curves.production.mean(axis=0)
        gap, p = compared.get((trial.name, name), (None, float("nan")))
        reached = spent_to_level(of, name)
        tail = paired(curves.tail[:, last], of.curves[BASELINE].tail[:, last]) if gap else None
        lab = paired(curves.laboratory[:, last], curves.laboratory[:, 0])
        yield (
            f"| {name} | {mean[1]:.3f} | {mean[last]:.3f} | {of.area(name).mean():.3f} | {_points(gap)} | {_p(p)} "
            f"| {_reached(reached, float(curves.spent.mean(axis=0)[-1]))} | {_points(tail)} | {_points(lab)} |"
        )


def _points(gap: Estimate | None) -> str:
    """A difference in points of success, with half its interval."""
    return "" if gap is None else f"{POINTS * gap.value:+.1f} ± {POINTS * (gap.high - gap.value):.1f}"


def _p(value: float) -> str:
    if np.isnan(value):
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"  # noqa: PLR2004 - as it is read


def _reached(spent: float, furthest: float) -> str:
    return f"{spent:.0f}" if np.isfinite(spent) else f"> {furthest:.0f}"
