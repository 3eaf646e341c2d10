"""Who demonstrates: people take turns, span the bands of the map, and nobody's habits dominate."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.person import Operator
from fieldloop.protocol import Section


class Rota:
    """Deals demonstrations out, fewest so far first, so that loads never differ by more than one.

    Among equals comes whoever has none of this stratum, then least of its variant, then whoever brings bands that the
    variant has not met: three demonstrations meet three people, as different as there are.
    """

    def __init__(self, operators: Iterable[Operator]) -> None:
        """Begin with empty hands."""
        self._bands = {o.id: frozenset(o.bands) for o in sorted(operators, key=lambda o: o.id)}
        self.loads: Counter[str] = Counter(dict.fromkeys(self._bands, 0))
        self.variants: dict[str, Counter[str]] = {}
        self._met: dict[str, set[tuple[str, str]]] = {}

    def deal(self, demonstrations: int, variant: str = "", slots: int = 0) -> Counter[str]:
        """Deal out one stratum, to no more than `slots` people unless 0; without operators it waits under ''."""
        dealt: Counter[str] = Counter()
        if not self._bands:
            dealt[""] = demonstrations
            return dealt
        mates, met = self.variants.setdefault(variant, Counter()), self._met.setdefault(variant, set())
        for _ in range(demonstrations):
            among = dealt if slots and len(dealt) == slots else self._bands
            name = min(
                among, key=lambda one: (self.loads[one], dealt[one], mates[one], -len(self._bands[one] - met), one)
            )
            met |= self._bands[name]
            for counts in (dealt, mates, self.loads):
                counts[name] += 1
        return dealt


def qualified(operators: Iterable[Operator], task: str) -> tuple[Operator, ...]:
    """Whoever may demonstrate this task; someone with no qualification written down may do any."""
    return tuple(o for o in operators if not task or not o.qualified_on or task in o.qualified_on)


def people_needed(settings: Section) -> int:
    """How many people rotation asks for: so many per variant, and enough that nobody exceeds the cap."""
    least = int(settings.number("min_operators_per_variant"))
    # 1 / 0.2 is 5.000000000000001 on some shares; a fifth is five people
    return max(least, math.ceil(1.0 / settings.number("max_operator_share") - 1e-9))


def variant_of(stratum: Stratum, settings: Section) -> str:
    """The task variant that a stratum belongs to; '' where the task has no other."""
    return str(stratum.only(settings["variant_factors"]))


def rotation_warnings(rota: Rota, total: int, settings: Section) -> Iterator[str]:
    """Say where the rules of rotation cannot hold for so many demonstrations."""
    if not total:
        return
    loads = rota.loads
    cap, least = settings.number("max_operator_share"), int(settings.number("min_operators_per_variant"))
    needed = people_needed(settings)
    if len(loads) < needed:
        yield (
            f"{len(loads)} qualified operators cannot rotate: at most {cap:.0%} each needs at least {needed}. "
            f"Enrol {needed - len(loads)} more."
        )
    elif max(loads.values()) > cap * total:
        yield f"{total} demonstrations cannot be dealt to {len(loads)} operators at {cap:.0%} each; plan more at once."
    few = [name or "the task" for name, people in rota.variants.items() if len(people) < min(least, len(loads))]
    if few:
        yield f"{len(few)} task variants get too little to meet {least} operators: {_some(few)}. Plan more at once."


def band_warnings(operators: Sequence[Operator], deployment: Deployment | None, settings: Section) -> Iterator[str]:
    """Say which people of the map nobody among the demonstrators stands for."""
    if deployment is None or not operators:
        return
    known = {band for operator in operators for band in operator.bands}
    least = settings.number("band_share")
    for site in deployment.sites:
        for band in site.people:
            if not any(quantity == band.quantity for quantity, _ in known):
                yield f"No operator states a band of {band.quantity}, so nobody can tell whether {site.id} is spanned."
                continue
            total = sum(share for _, share in band.shares)
            absent = [
                f"{level} ({share / total:.0%})"
                for level, share in band.shares
                if share >= least * total > 0.0 and (band.quantity, level) not in known
            ]
            if absent:
                yield f"No operator stands for {band.quantity} {', '.join(absent)} of the people at {site.id}."


def _some(names: Sequence[str], shown: int = 3) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return "; ".join(names[:shown]) + more
