"""Demonstrations under conditions that are not deployed: a laboratory shares lights and bins with production.

A demonstration teaches its levels, its pairs of levels and its stratum (`parts`). One made in a laboratory has levels
that production has too, and one that production never meets: its site. It counts for the levels and pairs that it
shares. The site where the robot will work stays undemonstrated.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Coverage
from fieldloop.plan.places import Narrowest
from fieldloop.protocol import Section

Logged = Iterable[tuple[Stratum, int]]


@dataclass(frozen=True, slots=True)
class Deployed:
    """The deployed strata, to find what lies outside them, and the levels of each factor."""

    narrowest: Narrowest
    levels: Mapping[str, frozenset[str]]

    @classmethod
    def from_coverages(cls, coverages: Sequence[Coverage]) -> "Deployed":
        """Read the deployed strata from their coverage."""
        strata = [covered.stratum for covered in coverages if covered.exposure > 0.0]
        conditions = {condition for stratum in strata for condition in stratum.conditions}
        factors = {condition.factor for condition in conditions}
        return cls(
            Narrowest(strata), {f: frozenset(c.level for c in conditions if c.factor == f) for f in sorted(factors)}
        )

    def list_shared_factors(self, stratum: Stratum) -> tuple[str, ...]:
        """Name the factors whose level a logged stratum shares with production.

        >>> map_ = Deployed.from_coverages([Coverage(Stratum.of(light="dim", site="gdansk"), 1.0, 0, 0.0)])
        >>> map_.list_shared_factors(Stratum.of(light="dim", site="lab"))
        ('light',)
        """
        logged = stratum.levels
        return tuple(factor for factor, known in self.levels.items() if logged.get(factor) in known)

    def count_outside_map(self, logged: Logged) -> Counter[Stratum]:
        """Count what lies in no deployed stratum but shares a level with one, by the factors of the map."""
        counts = Counter[Stratum]()
        for stratum, count in logged:
            if self.narrowest.find_position(stratum) is None and self.list_shared_factors(stratum):
                counts[stratum.only(self.levels)] += count
        return counts


def compute_coverage_elsewhere(
    coverages: Sequence[Coverage], demonstrations: Logged, tried: Logged = (), learnt: Logged | None = None
) -> tuple[Coverage, ...]:
    """Return the undeployed strata that were demonstrated, each without a share of production.

    `learnt` are the demonstrations that the version in production was trained on; None: all in hand.
    """
    shown = list(demonstrations)
    if sum(count for _, count in shown) == sum(covered.demonstrations for covered in coverages):
        return ()
    deployed = Deployed.from_coverages(coverages)
    taught = None if learnt is None else deployed.count_outside_map(learnt)
    return tuple(_make_rows(deployed.count_outside_map(shown), deployed.count_outside_map(tried), taught))


def _make_rows(shown: Counter[Stratum], tried: Counter[Stratum], learnt: Counter[Stratum] | None) -> Iterator[Coverage]:
    for stratum in sorted(shown):
        taught = None if learnt is None else learnt[stratum]
        yield Coverage(stratum, 0.0, shown[stratum], 0.0, tried=tried[stratum], learnt=taught)


def note_demonstrations_elsewhere(
    coverages: Sequence[Coverage], elsewhere: Sequence[Coverage], settings: Section
) -> Iterator[Note]:
    """Report how many demonstrations count in part, for which factors, and which factors none of them shows."""
    if not elsewhere:
        return
    deployed = Deployed.from_coverages(coverages)
    shared = {factor for covered in elsewhere for factor in deployed.list_shared_factors(covered.stratum)}
    yield note(
        "plan.counted_elsewhere",
        demonstrations=sum(covered.demonstrations for covered in elsewhere),
        worth=settings.number("elsewhere_worth"),
        shared=tuple(sorted(shared)),
        lacking=tuple(sorted(set(deployed.levels) - shared)),
    )
