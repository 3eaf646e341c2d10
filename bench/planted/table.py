"""The answers as Markdown tables: all methods at every size, by number of faults, by cause, and confusions."""

from collections.abc import Iterator, Sequence

from bench.harness import Figure
from bench.planted import scores
from bench.planted.answers import OURS, WAYS, Row
from bench.planted.scores import CANNOT_TELL, NOTHING
from bench.planted.turns import PLANTED


def page(rows: Sequence[Row], episodes: Sequence[int]) -> str:
    """Return all tables of a run."""
    found, sound = scores.strong(rows), [row for row in rows if not row.gaps]
    weak = [row for row in rows if row.is_weak]
    at = 1000 if 1000 in episodes else episodes[-1]  # noqa: PLR2004 - where the aims are
    parts = [
        f"{len(rows)} worlds, seeds {min(r.seed for r in rows)} to {max(r.seed for r in rows)}.",
        f"{len(found)} have faults that cost enough, {len(weak)} are weak, in {len(sound)} nothing is wrong.",
        *_all_methods(found, sound, episodes),
        f"\nBy how many faults, and weak worlds; {OURS} after {at} episodes:\n",
        *_by_number(found, weak, at),
        f"\nBy the larger fault, {OURS} after {at} episodes:\n",
        *_by_cause(found, at),
        f"\nNamed first (columns) for what was planted (rows), {OURS} after {at} episodes, weak worlds left out:\n",
        *_confusion([*found, *sound], at),
    ]
    return "\n".join(parts)


def _all_methods(found: Sequence[Row], sound: Sequence[Row], episodes: Sequence[int]) -> Iterator[str]:
    heads = "way, episodes, larger cause first, either first, share off (points): median, mean, 90 %, cannot tell"
    columns = [*heads.split(", "), "nothing called wrong"]
    yield f"\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|"
    for way in WAYS:
        for count in episodes:
            cells = [
                _share(scores.rate(found, way, count, scores.is_right)),
                _share(scores.rate(found, way, count, scores.is_either)),
                *(_points(scores.off(found, way, count, percent)) for percent in (50.0, None, 90.0)),
                _share(scores.rate(found, way, count, lambda _, answer: answer.cannot_tell)),
                _share(scores.rate(sound, way, count, lambda _, answer: answer.is_wrong)),
            ]
            yield f"| {way} | {count:,} | {' | '.join(cells)} |"


def _by_number(found: Sequence[Row], weak: Sequence[Row], at: int) -> Iterator[str]:
    two = [row for row in found if len(row.gaps) > 1]
    groups = {
        "one fault": [row for row in found if len(row.gaps) == 1],
        "two faults": two,
        "– one clearly larger": [row for row in two if scores.is_unequal(row)],
        "– nearly equal": [row for row in two if not scores.is_unequal(row)],
        "weak": weak,
    }
    yield "| worlds | n | larger first | either first | share off, median | cannot tell |"
    yield "|---|---|---|---|---|---|"
    for name, rows in groups.items():
        if not rows:
            continue
        cells = [
            _share(scores.rate(rows, OURS, at, scores.is_right)),
            _share(scores.rate(rows, OURS, at, scores.is_either)),
            _points(scores.off(rows, OURS, at)),
            _share(scores.rate(rows, OURS, at, lambda _, answer: answer.cannot_tell)),
        ]
        yield f"| {name} | {len(rows)} | {' | '.join(cells)} |"


def _by_cause(found: Sequence[Row], at: int) -> Iterator[str]:
    yield "| larger fault | n | named first | either first | share off, median | loss, points: median |"
    yield "|---|---|---|---|---|---|"
    for gap in map(str, PLANTED):
        rows = [row for row in found if scores.larger(row) == gap]
        if rows:
            losses = sorted(100 * (row.baseline - row.production) for row in rows)
            right, either = (scores.rate(rows, OURS, at, holds) for holds in (scores.is_right, scores.is_either))
            yield (
                f"| {gap} | {len(rows)} | {_share(right)} | {_share(either)} | "
                f"{_points(scores.off(rows, OURS, at))} | {losses[len(losses) // 2]:.0f} |"
            )


def _confusion(rows: Sequence[Row], at: int) -> Iterator[str]:
    columns = (*map(str, PLANTED), CANNOT_TELL, NOTHING)
    yield f"| planted | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for planted, named in scores.confused(rows, OURS, at).items():
        yield f"| {planted} | {' | '.join(str(named[column] or '') for column in columns)} |"


def _share(figure: Figure) -> str:
    return "–" if not figure.n else f"{figure.value:.0%} ({figure.low:.0%}–{figure.high:.0%})"


def _points(figure: Figure) -> str:
    return "–" if not figure.n else f"{figure.value:.0f} ({figure.low:.0f}–{figure.high:.0f})"
