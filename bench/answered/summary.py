"""Tables of a family's rows in Markdown: headline figures, by kind of world, and what was named instead."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.answered import matching, scores
from bench.answered.row import FAILED, FOREIGN, KNOWN, Reply, Row
from bench.harness import Figure

POINTS = "points"


def page(head: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """Return all tables of a file of rows."""
    found = scores.strong(rows)
    weak = sum(row.weak for row in rows)
    unlogged = sum(matching.is_unlogged(row) and not row.weak for row in rows)
    fine = len(scores.sound(rows))
    seeds = f"seeds from commit {head['commit']}" if head.get("commit") else "development seeds"
    counted = (
        f"{len(rows)} worlds, {seeds}: {len(found)} have a logged cause that costs enough, {weak} are weak, "
        f"{unlogged} have a cause that no column shows, in {fine} nothing is wrong."
    )
    parts = [
        counted,
        *_headline(rows),
        "\nBy kind of world; the larger of two causes counts:\n",
        *_by_kind(found),
        "\nNamed first instead, under known and under foreign headers:\n",
        *_confusions(rows),
    ]
    return "\n".join(parts)


def _headline(rows: Sequence[Row]) -> Iterator[str]:
    yield "\n| figure | value | 95 % interval | n | aim |\n|---|---|---|---|---|"
    for name, figure in scores.headline(rows).items():
        value, interval = _show(figure)
        yield f"| {name.replace('_', ' ')} | {value} | {interval} | {figure.n} | {figure.aim} |"


def _by_kind(rows: Sequence[Row]) -> Iterator[str]:
    yield "| kind | n | right first | renamed | right place first | share off, points: median | mean |"
    yield "|---|---|---|---|---|---|---|"
    for kind in sorted({row.kind for row in rows}):
        own = [row for row in rows if row.kind == kind]
        placed = [row for row in own if matching.find_larger(row).places]
        cells = [
            *(_show(scores.rate(own, headers, matching.is_right))[0] for headers in (KNOWN, FOREIGN)),
            _show(scores.rate(placed, KNOWN, matching.is_placed))[0],
            _show(scores.median_error(own, KNOWN))[0],
            _show(scores.mean_error(own, KNOWN))[0],
        ]
        yield f"| {kind} | {len(own)} | {' | '.join(cells)} |"


def _confusions(rows: Sequence[Row]) -> Iterator[str]:
    yield "| kind | headers | named first, how often |\n|---|---|---|"
    for kind in sorted({row.kind for row in rows}):
        for headers in (KNOWN, FOREIGN):
            wrong = Counter(
                _describe(row.reply(headers)) for row in rows if row.kind == kind and not is_expected(row, headers)
            )
            if wrong:
                listed = ", ".join(f"{answer} {times}" for answer, times in wrong.most_common())
                yield f"| {kind} | {headers} | {listed} |"


def is_expected(row: Row, headers: str) -> bool:
    """Is the answer as it should be: the cause, nothing where nothing is wrong, unknown where no column shows it?"""
    reply = row.reply(headers)
    if not row.faults or matching.is_unlogged(row):
        return not matching.is_blamed(reply)
    return matching.is_right(row, reply) or (row.weak and not matching.is_falsely_blamed(row, reply))


def _describe(reply: Reply) -> str:
    if not reply.causes:
        return reply.status.replace("_", " ")
    first = reply.causes[0].gap
    return first if reply.status == FAILED else f"{reply.status.replace('_', ' ')} ({first})"


def _show(figure: Figure) -> tuple[str, str]:
    if not figure.n:
        return "–", "–"
    known = figure.low is not None and not math.isnan(figure.low)
    if figure.unit == POINTS:
        return f"{figure.value:.1f}", f"{figure.low:.1f} to {figure.high:.1f}" if known else "–"
    return f"{figure.value:.0%}", f"{figure.low:.0%} to {figure.high:.0%}" if known else "–"
