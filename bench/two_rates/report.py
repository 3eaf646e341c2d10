"""Tables of `docs/compare.md` from what `bench.sequential` measured."""

from collections.abc import Mapping

from bench.harness import Figure, Skipped

Figures = Mapping[str, Figure | Skipped]
CASES = ("80_85", "80_90", "70_80")
LONG = 1000


def tabulate(figures: Figures, step: Mapping[str, tuple[float, float]], step_equal_pairs: float) -> str:
    """Write the tables: beside other tests, with paired scenes, and of equal versions while conditions change."""
    return "\n\n".join((_beside(figures, step, step_equal_pairs), _paired(figures), _null(figures)))


def _beside(figures: Figures, step: Mapping[str, tuple[float, float]], step_equal_pairs: float) -> str:
    equal = _read(figures, "equal_pairs")
    rows = [
        ["`gate compare`", *(_both(figures, f"power_{c}", f"pairs_{c}") for c in CASES), f"{equal:.1f}"],
        ['… going on after "no difference"',
         *(_both(figures, f"power_{c}_without_futility", f"pairs_{c}_without_futility") for c in CASES),
         f"{_read(figures, 'equal_pairs_without_futility'):.1f}"],
        ["STEP", *(f"{step[c][0]:.3f} / {step[c][1]:.1f}" for c in CASES), f"{step_equal_pairs:.1f}"],
        ["`ville` 0.1.0, betting", *(_both(figures, f"ville_power_{c}", f"ville_pairs_{c}") for c in CASES), "–"],
        ["Barnard, once after 200", *(f"{_read(figures, f'barnard_power_{c}'):.3f} / 200" for c in CASES), "200"],
        ["least possible mean pairs (Wald)", *(f"– / {_read(figures, f'wald_pairs_{c}'):.1f}" for c in CASES), "–"],
    ]  # fmt: skip
    heads = ["chance to find it / mean pairs", "80 % against 85 %", "80 % against 90 %", "70 % against 80 %",
             "equal, 80 %: mean pairs"]  # fmt: skip
    errors = ", ".join(
        f"{words} {_read(figures, key):.4f}" for words, key in (("unpaired", "max_size"), ("paired", "max_size_paired"))
    )
    missed = ", ".join(f"{s} {_read(figures, f'interval_misses_{s}'):.4f}" for s in ("unpaired", "paired"))
    return (
        f"{_draw(heads, rows)}\n\nLargest error at any rate, of 200 pairs: {errors}. "
        f"Most frequent miss of a bound of the interval: {missed}."
    )


def _paired(figures: Figures) -> str:
    rows = []
    for key in (name for name in figures if name.startswith("paired_power_80_90_")):
        rho = key.rpartition("_")[2]
        long, once = f"paired_pairs_80_85_of_{LONG}_correlation_{rho}", figures.get(f"paired_once_80_85_{rho}")
        equal = f"{_read(figures, f'paired_pairs_equal_correlation_{rho}'):.1f}"
        row = [rho, _both(figures, key, key.replace("power", "pairs")), equal]
        if long in figures and isinstance(once, Figure):
            row += [_both(figures, long.replace("pairs", "power"), long), f"{once.value:.0f}"]
        rows.append(row)
    heads = ["correlation within pairs of the same scene", "80 % against 90 %, up to 200 pairs",
             "equal, 80 %: mean pairs",
             f"80 % against 85 %, up to {LONG:,}, 5 points worth waiting for",
             "pairs of one test at the end with that chance"]  # fmt: skip
    return _draw(heads[: len(rows[0])], rows)


def _null(figures: Figures) -> str:
    ways = {
        "falling_95_50": "the rate of both falls from 95 % to 50 %",
        "rising_50_95": "the rate of both rises from 50 % to 95 %",
        "with_easy_and_hard_scenes": "80 %, scenes easy or hard for both",
    }
    rows = [[words, _spread(figures, f"paired_null_{way}"), _spread(figures, f"unpaired_null_{way}")]
            for way, words in ways.items()]  # fmt: skip
    return _draw(["equal versions called better", "paired", "unpaired"], rows)


def _both(figures: Figures, power: str, pairs: str) -> str:
    if isinstance(figures[power], Skipped):
        return "not installed"
    return f"{_read(figures, power):.3f} / {_read(figures, pairs):.1f}"


def _read(figures: Figures, name: str) -> float:
    figure = figures[name]
    return figure.value if isinstance(figure, Figure) else float("nan")


def _spread(figures: Figures, name: str) -> str:
    figure = figures[name]
    return f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f})" if isinstance(figure, Figure) else "–"


def _draw(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
