"""Logs that count towards no stratum, reported with numbers instead of silently dropped."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from fieldloop.model.attempts import settle_attempts
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome
from fieldloop.plan.gaps.unknown_articles import count_names, is_unknown_article
from fieldloop.plan.strata import Table
from fieldloop.plan.unknown_levels import note_unknown_levels

Logged = Sequence[tuple[Stratum, str]]
"""The stratum of each log, and the handled article."""


def note_uncounted_logs(
    table: Table, episodes: Sequence[Episode], outcomes: Sequence[Outcome], deployment: Deployment | None = None
) -> Iterator[Note]:
    """Report which logs the table's counts leave out.

    Their articles are not in the catalogue, they do not log some conditions, their strata are not on the map, or their
    judges disagree. The table was counted from these very logs, so a log that is not in its sums belongs to no stratum.
    """
    needed = _list_factor_sets_of_map(table)
    kept, contested = settle_attempts(outcomes)
    shown, attempts = (
        [(e.stratum_with_site, e.handled) for e in episodes],
        [(o.stratum.add_site(o.site), o.item) for o in kept],
    )
    for what, logged, in_table in (
        ("demonstrations", shown, int(table.demonstrations.sum())),
        ("attempts in production", attempts, int(table.attempts.sum())),
    ):
        if in_table < len(logged) and needed:
            yield from _note_left_out_logs(what, logged, in_table, needed, deployment, table)
    if contested:
        yield note("plan.judges_split", contested=len(contested), all=len(contested) + len(kept))


def _list_factor_sets_of_map(table: Table) -> list[frozenset[str]]:
    """Return the sets of factors that the map describes strata by; sites may differ in them."""
    weights = 1 << np.arange(len(table.factors), dtype=np.int64)
    patterns = np.unique((table.codes > 0) @ weights)
    return [
        frozenset(name for at, name in enumerate(table.factors) if pattern >> at & 1) for pattern in patterns.tolist()
    ]


def _note_left_out_logs(
    what: str, logged: Logged, in_table: int, needed: Sequence[frozenset[str]], deployment: Deployment | None,
    table: Table,
) -> Iterator[Note]:  # fmt: skip
    catalogue = {sku.id: sku for sku in deployment.skus} if deployment else {}
    unlogged: Counter[str] = Counter()
    unknown: list[str] = []
    incomplete = 0
    for stratum, handled in logged:
        stated = {c.factor for c in stratum.conditions}
        missing = min((names - stated for names in needed), key=lambda names: (len(names), sorted(names)))
        if missing == {"tier"} and is_unknown_article(catalogue, stratum, handled):
            unknown.append(handled)
            continue
        unlogged.update(missing)
        incomplete += bool(missing)

    def note_left_out(code: str, count: int, items: tuple[Note, ...]) -> Note:
        return note(code, count=count, all=len(logged), share=count / len(logged), what=what, items=items)

    if unknown:
        yield note_left_out("plan.uncounted_articles", len(unknown), count_names(unknown))
    if incomplete:
        most = sorted(unlogged.items(), key=lambda item: (-item[1], item[0]))
        factors = tuple(note("plan.counted", name=factor, count=count) for factor, count in most)
        yield note_left_out("plan.uncounted_unlogged", incomplete, factors)
    outside = len(logged) - in_table - incomplete - len(unknown)
    if outside > 0:
        known = {
            factor: tuple(filter(None, levels)) for factor, levels in zip(table.factors, table.levels, strict=True)
        }
        yield note_left_out("plan.uncounted_outside_map", outside, note_unknown_levels((s for s, _ in logged), known))
