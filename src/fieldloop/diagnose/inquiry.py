"""One inquiry: everything that was looked at before causes are named."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.beliefs import COVERABLE, believe, starved
from fieldloop.diagnose.candidates import candidates
from fieldloop.diagnose.chain import Chain, chain_of
from fieldloop.diagnose.codes import codes
from fieldloop.diagnose.components import Component, components
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.everywhere import Suspect, faults_of_the_data, suspects
from fieldloop.diagnose.evidence import Evidence
from fieldloop.diagnose.expectation import Expectation, expect
from fieldloop.diagnose.judges import Judges, compare
from fieldloop.diagnose.mix import Harder, Mix
from fieldloop.diagnose.real import Diffuse, diffuse_of, drop_of
from fieldloop.diagnose.search import Found, Search, with_diffuse
from fieldloop.diagnose.table import Floats, Table, tabulate
from fieldloop.diagnose.uncovered import covered_rows, uncovered
from fieldloop.diagnose.unseen import unseen_rows
from fieldloop.model.condition import Condition, Stratum
from fieldloop.protocol import Section


@dataclass(frozen=True)
class Inquiry:
    """Tables, expectation, what was found, what is suspected, and whether any of it is a real loss."""

    evidence: Evidence
    before: Table
    after: Table
    settings: Section
    expectation: Expectation
    search: Search
    found: tuple[Found, ...]
    components: tuple[Component, ...]
    overall: Diffuse
    beside: Diffuse
    drop: Diffuse
    suspects: tuple[Suspect, ...]
    chain: Chain | None
    judges: Judges | None
    mix: Mix
    harder: tuple[Harder, ...]
    covered: Floats
    """Rows under no condition that was never shown and clearly loses: what acts everywhere is measured there."""

    @cached_property
    def unseen(self) -> Floats:
        """Rows under conditions that were hardly ever demonstrated."""
        return unseen_rows(self.after, self.evidence.demonstrations, self.settings)

    @property
    def real(self) -> bool:
        """Is there a loss beyond chance: everywhere, in a slice, or by a mix that is known to be harder?

        A measured fault makes a loss likelier before any outcome is seen, so less is asked of the outcomes then.
        """
        level = self.settings.number("alpha") / 2.0
        measured = any(s.of_the_data for s in self.suspects)
        asked = self.settings.number("alpha_with_fault") if measured else level
        slices = bool(self.found) and self.found[0].chance <= level
        everywhere = self.overall.chance < asked or (measured and self.drop.chance < asked)
        return everywhere or slices or (self.drop.chance < level and self._harder_mix())

    def _harder_mix(self) -> bool:
        """A mix that is harder and known is a loss where it is large, or where the hard part was starved."""
        shown = self.evidence.demonstrations
        hungry = any(starved(h.stratum, h.after, shown, self.settings) is not False for h in self.harder)
        return hungry or sum(h.lost for h in self.harder) >= self.settings.number("negligible_loss")

    def diffuse_counts(self, measured: bool) -> bool:  # noqa: FBT001 - one question, one answer
        """Is what is lost everywhere, beside the slices, more than noise (or backed by a measured fault)?"""
        from scipy.special import ndtri

        usual = (
            self.settings.number("clear_errors") if self.found else float(ndtri(1.0 - self.settings.number("alpha")))
        )
        clear = 1.0 if measured else usual
        return self.beside.score > clear or (not self.found and not self.harder)


def inquire(evidence: Evidence, settings: Section, rng: np.random.Generator) -> Inquiry:
    """Look at everything once."""
    coded = codes((*evidence.before, *evidence.after), settings)
    before, after = (tabulate(side, evidence.time_zones, coded) for side in (evidence.before, evidence.after))
    shown = evidence.demonstrations
    hungry = [c for c in before.conditions if starved_in(after, c, shown, settings)]
    expectation = expect(before, settings.number("expectation_penalty"), hungry)
    believed = believe(candidates(after, before, shown, settings), shown, settings)
    search = Search(before, after, expectation, believed, settings)
    overall = _everywhere(search, [], np.ones(len(after)), settings)
    new = uncovered(search, shown, settings)
    found = search.find(rng, _level(evidence, overall, settings), settings.number("alpha") / 2.0, new)
    covered = covered_rows(new, len(after), settings.number("min_slice_episodes"))
    parts = components(found, search, shown, settings, rng)
    beside = _everywhere(search, parts, covered, settings)
    clean = ~np.any([p.found.candidate.inside for p in parts], axis=0) if parts else np.ones(len(after), dtype=bool)
    chain = chain_of(before, after, clean)
    judges = compare(evidence.after)
    doses = search.doses(with_diffuse([p.found.candidate for p in parts], len(after))) if len(search.options) else {}
    mix = Mix(expectation, before, after)
    return Inquiry(
        evidence, before, after, settings, expectation, search, tuple(found), tuple(parts), overall, beside,
        drop_of(before, after, search.day_spread, settings),
        tuple(suspects(evidence, before, after, chain, judges, doses, settings)), chain, judges, mix,
        tuple(mix.factors(expectation.coefficients, settings)), covered,
    )  # fmt: skip


def starved_in(after: Table, condition: Condition, shown: Demonstrations | None, settings: Section) -> bool:
    """Is it a condition that demonstrations could cover, and hardly did for what production has of it?"""
    stratum, share = Stratum((condition,)), float(after.indicators([condition]).mean())
    coverable = gaps.of_stratum(stratum) in COVERABLE
    return coverable and share > 0.0 and starved(stratum, share, shown, settings) is True


def _level(evidence: Evidence, overall: Diffuse, settings: Section) -> float:
    """How sure the first slice must be: a loss that is real lies somewhere, unless a fault of the data explains it."""
    explained = any(s.of_the_data for s in faults_of_the_data(evidence, None, None, {}, settings))
    real = overall.chance < settings.number("alpha") / 2.0
    return settings.number("level_when_real") if real and not explained else settings.number("alpha") / 2.0


def _everywhere(search: Search, parts: list[Component], covered: Floats, settings: Section) -> Diffuse:
    """What is lost everywhere beside slices; columns that no covered row has say nothing there and are left out."""
    columns = [p.found.candidate for p in parts if covered @ p.found.candidate.after > 0.0]
    return diffuse_of(search, with_diffuse(columns, len(search.after)), covered, settings)
