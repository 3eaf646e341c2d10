"""What could not be counted towards any stratum, said with numbers instead of being left out in silence."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome
from fieldloop.plan.attempts import settled
from fieldloop.plan.strata import Table


def uncounted(table: Table, episodes: Sequence[Episode], outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Say which logs the table's counts leave out: conditions unsaid, strata not on the map, judges that disagree.

    The table was counted from these very logs, so whatever is not in its sums belongs nowhere.
    """
    needed = _needed(table)
    kept, contested = settled(outcomes)
    shown, attempts = [e.where for e in episodes], [o.stratum.at(o.site) for o in kept]
    yield from _left_out("demonstrations", shown, int(table.demonstrations.sum()), needed)
    yield from _left_out("attempts in production", attempts, int(table.attempts.sum()), needed)
    if contested:
        total = contested + len(kept)
        yield f"{contested} of {total} attempts in production are left out: their judges split evenly."


def _needed(table: Table) -> list[frozenset[str]]:
    """The sets of factors by which the map describes its strata; sites may differ in them."""
    weights = 1 << np.arange(len(table.factors), dtype=np.int64)
    patterns = np.unique((table.codes > 0) @ weights)
    return [
        frozenset(name for at, name in enumerate(table.factors) if pattern >> at & 1) for pattern in patterns.tolist()
    ]


def _left_out(what: str, logged: Sequence[Stratum], counted: int, needed: Sequence[frozenset[str]]) -> Iterator[str]:
    if counted >= len(logged) or not needed:
        return
    silent: Counter[str] = Counter()
    mute = 0
    for stratum in logged:
        said = {c.factor for c in stratum.conditions}
        missing = min((names - said for names in needed), key=lambda names: (len(names), sorted(names)))
        silent.update(missing)
        mute += bool(missing)
    if mute:
        most = sorted(silent.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{factor} ({count})" for factor, count in most)
        yield (
            f"{mute} of {len(logged)} {what} ({mute / len(logged):.0%}) do not say {named}: they count for no stratum. "
            "Let the station or the mapping fill it in."
        )
    outside = len(logged) - counted - mute
    if outside > 0:
        yield (
            f"{outside} of {len(logged)} {what} ({outside / len(logged):.0%}) lie in strata that the map does not "
            "deploy: they count for none. Add the strata to the map if they are real."
        )
