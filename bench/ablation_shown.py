"""Points of the ablation as tables and pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.harness import Figure
from fieldloop.report.plots import SERIES, STYLE

IN_DATA, AT_RUN, IN_BOTH, LABELS = "lag in the data", "lag at run time", "the same lag in both", "annotation noise"
LINE, LABORATORY = "line", "laboratory"


@dataclass(frozen=True, slots=True)
class Point:
    """Success of one seed under one amount of one fault, at one pace."""

    seed: int
    fault: str
    pace: str
    amount_ms: float
    success: float


def mean(values: Sequence[float], unit: str = "") -> Figure:
    """Mean over floors with its 95 % interval (Student)."""
    from scipy.stats import t

    many = np.asarray(values, dtype=float)
    half = float(t.ppf(0.975, len(many) - 1) * many.std(ddof=1) / np.sqrt(len(many))) if len(many) > 1 else float("nan")
    centre = float(many.mean())
    return Figure(centre, len(many), centre - half, centre + half, unit)


def success(found: Sequence[Point], fault: str, pace: str) -> dict[float, dict[int, float]]:
    """Success by amount and seed."""
    table: dict[float, dict[int, float]] = {}
    for point in found:
        if (point.fault, point.pace) == (fault, pace):
            table.setdefault(point.amount_ms, {})[point.seed] = point.success
    return table


def costs(found: Sequence[Point], fault: str, pace: str) -> dict[float, Figure]:
    """Return the points of success that each amount costs, floor by floor against the same floor without the fault."""
    table = success(found, fault, pace)
    return {
        amount: mean([100 * (table[0][seed] - rate) for seed, rate in by_seed.items()], "points")
        for amount, by_seed in table.items()
    }


def tables(found: Sequence[Point]) -> str:
    """Return success and its loss as Markdown."""
    lines = []
    for faults, unit in (((IN_DATA, AT_RUN, IN_BOTH), "lag"), ((LABELS,), "standards apart")):
        amounts = sorted(success(found, faults[0], LINE))
        lines += ["", f"| {unit}, ms | {' | '.join(f'{a:g}' for a in amounts)} |", "|---" * (len(amounts) + 1) + "|"]
        for fault in faults:
            for pace in (LINE, LABORATORY):
                rates = success(found, fault, pace)
                shown = [f"{mean(list(rates[a].values())).value:.3f}" for a in amounts]
                lost = [f"{f.value:+.1f} ({f.low:+.1f} to {f.high:+.1f})" for f in costs(found, fault, pace).values()]
                lines.append(f"| {fault}, {pace}: success | {' | '.join(shown)} |")
                lines.append(f"| points lost | {' | '.join(['–', *lost[1:]])} |")
    return "\n".join(lines)


def draw(found: Sequence[Point], faults: Sequence[str], across: str, file: Path) -> None:
    """Draw success over the amount, with its interval, for each fault and pace; the same points give the same bytes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Sketch

    with mpl.rc_context(STYLE | {"savefig.facecolor": "white"}):
        sketch = Sketch(figsize=(6.4, 3.4), layout="constrained")
        FigureCanvasSVG(sketch)
        axis = sketch.add_subplot()
        for colour, fault in zip(SERIES, faults, strict=False):
            for pace, style in ((LINE, "-"), (LABORATORY, "--")):
                rates = success(found, fault, pace)
                means = [mean(list(by_seed.values())) for by_seed in rates.values()]
                name = f"{fault}, {pace}" if len(faults) > 1 else pace
                axis.plot(list(rates), [m.value for m in means], style, color=colour, label=name, marker=".")
                low, high = ([m.low or 0.0 for m in means], [m.high or 0.0 for m in means])
                axis.fill_between(list(rates), low, high, color=colour, alpha=0.12, linewidth=0)
        axis.set_xlabel(across)
        axis.set_ylabel("success")
        axis.legend(frameon=False)
        sketch.savefig(file, format="svg", metadata={"Date": None, "Creator": "fieldloop"})
