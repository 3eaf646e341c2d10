"""What could not be counted towards any stratum, said with numbers instead of being left out in silence."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from fieldloop.model.attempts import settled
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome
from fieldloop.plan.gaps.strangers import is_stranger, named
from fieldloop.plan.strata import Table
from fieldloop.plan.unknown_levels import unknown_levels

Logged = Sequence[tuple[Stratum, str]]
"""Where, and which article was handled."""


def uncounted(
    table: Table, episodes: Sequence[Episode], outcomes: Sequence[Outcome], deployment: Deployment | None = None
) -> Iterator[str]:
    """Say which logs the table's counts leave out.

    Their articles are not in the catalogue, they leave conditions unsaid, their strata are not on the map, or their
    judges disagree. The table was counted from these very logs, so whatever is not in its sums belongs nowhere.
    """
    needed = _needed(table)
    kept, contested = settled(outcomes)
    shown, attempts = [(e.where, e.handled) for e in episodes], [(o.stratum.at(o.site), o.item) for o in kept]
    for what, logged, counted in (
        ("demonstrations", shown, int(table.demonstrations.sum())),
        ("attempts in production", attempts, int(table.attempts.sum())),
    ):
        if counted < len(logged) and needed:
            yield from _left_out(what, logged, counted, needed, deployment, table)
    if contested:
        total = len(contested) + len(kept)
        yield f"{len(contested)} of {total} attempts in production are left out: their judges split evenly."


def _needed(table: Table) -> list[frozenset[str]]:
    """The sets of factors by which the map describes its strata; sites may differ in them."""
    weights = 1 << np.arange(len(table.factors), dtype=np.int64)
    patterns = np.unique((table.codes > 0) @ weights)
    return [
        frozenset(name for at, name in enumerate(table.factors) if pattern >> at & 1) for pattern in patterns.tolist()
    ]


def _left_out(
    what: str, logged: Logged, counted: int, needed: Sequence[frozenset[str]], deployment: Deployment | None,
    table: Table,
) -> Iterator[str]:  # fmt: skip
    catalogue = {sku.id: sku for sku in deployment.skus} if deployment else {}
    silent: Counter[str] = Counter()
    strange: list[str] = []
    mute = 0
    for stratum, handled in logged:
        said = {c.factor for c in stratum.conditions}
        missing = min((names - said for names in needed), key=lambda names: (len(names), sorted(names)))
        if missing == {"tier"} and is_stranger(catalogue, stratum, handled):
            strange.append(handled)
            continue
        silent.update(missing)
        mute += bool(missing)
    if strange:
        yield (
            f"{len(strange)} of {len(logged)} {what} ({len(strange) / len(logged):.0%}) handle articles that are not "
            f"in skus.csv and count for no stratum: {named(strange)}. Add them to the catalogue."
        )
    if mute:
        most = sorted(silent.items(), key=lambda item: (-item[1], item[0]))
        listed = ", ".join(f"{factor} ({count})" for factor, count in most)
        yield (
            f"{mute} of {len(logged)} {what} ({mute / len(logged):.0%}) do not say {listed}: they count for no "
            "stratum. Let the station or the mapping fill it in."
        )
    outside = len(logged) - counted - mute - len(strange)
    if outside > 0:
        known = {
            factor: tuple(filter(None, levels)) for factor, levels in zip(table.factors, table.levels, strict=True)
        }
        lacking = unknown_levels((stratum for stratum, _ in logged), known)
        yield (
            f"{outside} of {len(logged)} {what} ({outside / len(logged):.0%}) lie in strata that the map does not "
            f"deploy: they count for none. {f'It does not know {lacking}. ' if lacking else ''}"
            "Correct the logs, or add the strata to the map if they are real."
        )
