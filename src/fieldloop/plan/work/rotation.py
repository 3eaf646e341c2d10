"""Who demonstrates: people take turns, represent the bands of the map, and no one person dominates."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.note import Note, note
from fieldloop.model.person import Operator
from fieldloop.protocol import Section

MOST_NAMED = 3  # variants in one sentence


class Rota:
    """Deals demonstrations out, fewest so far first, so that loads never differ by more than one.

    Among equals, first comes an operator with none of this stratum, then with fewest of its variant, then with bands
    that the variant has not had: three demonstrations get three people who differ as much as possible.
    """

    def __init__(self, operators: Iterable[Operator]) -> None:
        """Begin with no demonstrations dealt."""
        self._bands = {o.id: frozenset(o.bands) for o in sorted(operators, key=lambda o: o.id)}
        self.loads: Counter[str] = Counter(dict.fromkeys(self._bands, 0))
        self.variants: dict[str, Counter[str]] = {}
        self._met: dict[str, set[tuple[str, str]]] = {}

    def deal_demonstrations(self, demonstrations: int, variant: str = "", slots: int = 0) -> Counter[str]:
        """Deal out one stratum to at most `slots` people (0: any number); without operators to '' (unassigned)."""
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


def list_qualified_operators(operators: Iterable[Operator], task: str) -> tuple[Operator, ...]:
    """Return the operators qualified for this task; an operator without any recorded qualification may do any."""
    return tuple(o for o in operators if not task or not o.qualified_on or task in o.qualified_on)


def get_people_needed(settings: Section) -> int:
    """Return how many people rotation needs: a minimum per variant, and enough that no one exceeds the cap."""
    least = int(settings.number("min_operators_per_variant"))
    # division may give 5.000000000000001; a cap of a fifth needs five people
    return max(least, math.ceil(1.0 / settings.number("max_operator_share") - 1e-9))


def get_task_variant(stratum: Stratum, settings: Section) -> str:
    """Return the task variant of a stratum; '' where the task has only one."""
    return str(stratum.only(settings["variant_factors"]))


def note_rotation_problems(rota: Rota, total: int, settings: Section) -> Iterator[Note]:
    """Warn where the rules of rotation cannot be met for so many demonstrations."""
    if not total:
        return
    loads = rota.loads
    cap, least = settings.number("max_operator_share"), int(settings.number("min_operators_per_variant"))
    needed = get_people_needed(settings)
    if len(loads) < needed:
        lacking = needed - len(loads)
        yield note("plan.too_few_operators", operators=len(loads), needed=needed, cap=cap, lacking=lacking)
    elif max(loads.values()) > cap * total:
        yield note("plan.batch_too_small", demonstrations=total, operators=len(loads), cap=cap)
    few = [name or "the task" for name, people in rota.variants.items() if len(people) < min(least, len(loads))]
    if few:
        more = len(few) - MOST_NAMED
        names = (*few[:MOST_NAMED], *((note("plan.more_items", more=more),) if more > 0 else ()))
        yield note("plan.variants_too_small", variants=len(few), needed=least, names=names)


def note_missing_people_bands(
    operators: Sequence[Operator], deployment: Deployment | None, settings: Section
) -> Iterator[Note]:
    """Warn of people at a site whom no operator represents."""
    if deployment is None or not operators:
        return
    known = {band for operator in operators for band in operator.bands}
    least = settings.number("band_share")
    for site in deployment.sites:
        for band in site.people:
            if not any(quantity == band.quantity for quantity, _ in known):
                yield note("plan.band_not_recorded", quantity=band.quantity, site=site.id)
                continue
            total = sum(share for _, share in band.shares)
            absent = [
                note("plan.band", level=level, share=share / total)
                for level, share in band.shares
                if share >= least * total > 0.0 and (band.quantity, level) not in known
            ]
            if absent:
                yield note("plan.band_missing", quantity=band.quantity, levels=tuple(absent), site=site.id)
