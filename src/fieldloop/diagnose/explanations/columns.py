"""Roles of columns: what each logged column is, by its values and by what demonstrations log of it, never by its name.

A name only decides what a cause in a column is called. So a column has the same part in a diagnosis under any name.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from fieldloop.diagnose.explanations import gaps
from fieldloop.diagnose.explanations.behaviour import behaves_as_counter, behaves_as_latency, behaves_as_pace
from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.inference.table import Table
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Column, Gap, Role
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section

FIELDS = {"site": Role.SITE, "robot": Role.ROBOT, "judged_by": Role.JUDGE, "latency_ms": Role.LATENCY}
"""Columns that the model of an attempt defines."""
OPERATOR = "operator"
COVERABLE = (Gap.ENVIRONMENT, Gap.EDGE_CASES, Gap.CONDITIONS)
"""Gaps that demonstrations close, so that their number matters."""
PLACES_AND_THINGS = (Role.CONDITION, Role.ITEM, Role.PERSON, Role.SITE)
"""Roles that demonstrations can show."""
MACHINERY = (Role.WEAR, Role.LATENCY)
"""Roles of numbers that no demonstration covers: only high values hurt, beyond those of the baseline."""
GAP_OF_ROLE = {
    Role.SITE: Gap.ENVIRONMENT,
    Role.ITEM: Gap.EDGE_CASES,
    Role.PERSON: Gap.CONDITIONS,
    Role.ROBOT: Gap.HARDWARE,
    Role.WEAR: Gap.HARDWARE,
    Role.LATENCY: Gap.INFRASTRUCTURE,
    Role.PACE: Gap.TIMING,
    Role.JUDGE: Gap.LABELS,
}


@dataclass(frozen=True)
class Columns:
    """All columns of a diagnosis by name."""

    known: Mapping[str, Column]

    def role(self, name: str) -> Role:
        """Return the role of a column; a factor that no outcome logs is a condition."""
        return self.known[name].role if name in self.known else Role.CONDITION

    def gap(self, name: str) -> Gap:
        """Return what a cause in this column is called."""
        return self.known[name].gap if name in self.known else gaps.name_gap(name)

    def gap_of_stratum(self, stratum: Stratum) -> Gap:
        """Return the gap of a slice; a combination of different gaps is an edge case, because each alone works."""
        found = {self.gap(c.factor) for c in stratum.conditions}
        return found.pop() if len(found) == 1 else Gap.EDGE_CASES if found else Gap.UNKNOWN

    def can_be_shown(self, stratum: Stratum) -> bool:
        """Are all of its conditions of a kind that demonstrations can show?"""
        return all(self.role(c.factor) in PLACES_AND_THINGS for c in stratum.conditions)


def infer_columns(
    before: Table, after: Table, shown: Demonstrations | None, stated: Mapping[str, Role], settings: Section
) -> Columns:
    """Infer the role of every logged column; what a team states has precedence."""
    found: dict[str, Column] = {}
    for name in sorted({*before.factors, *after.factors, *before.numbers, *after.numbers}):
        is_number = name in after.numbers or name in before.numbers
        infer = _infer_number if is_number else _infer_factor
        role, why = _stated_role(name, stated) or infer(name, before, after, shown, settings)
        found[name] = Column(name, role, _name_gap(name, role, shown), why, name in stated)
    return Columns(found)


def _stated_role(name: str, stated: Mapping[str, Role]) -> tuple[Role, Note] | None:
    if name in stated:
        return stated[name], note("diagnose.role_stated")
    return (FIELDS[name], note("diagnose.role_field")) if name in FIELDS else None


def _infer_factor(
    name: str, before: Table, after: Table, shown: Demonstrations | None, settings: Section
) -> tuple[Role, Note]:
    levels = {c.level for table in (before, after) for c in table.factors.get(name, ())}
    if len(levels) > settings.number("item_levels"):
        return Role.ITEM, note("diagnose.role_many_levels", levels=len(levels))
    if shown is not None and name in shown.factors:
        covered = len(levels & shown.levels_of(name))
        role = Role.PERSON if name == OPERATOR or levels <= shown.levels_of(OPERATOR) else Role.CONDITION
        return role, note("diagnose.role_levels_shown", levels=len(levels), covered=covered)
    if "robot" not in after.factors and _stands_at_one_site(name, after):
        return Role.ROBOT, note("diagnose.role_one_site_each", levels=len(levels))
    return Role.CONDITION, note("diagnose.role_levels", levels=len(levels))


def _stands_at_one_site(name: str, after: Table) -> bool:
    """Does each level occur at one site only, with several levels at some site?"""
    levels, places = (after.levels.get(factor) for factor in (name, "site"))
    if levels is None or places is None:
        return False
    both = (levels.codes > 0) & (places.codes > 0)  # 0 where a row does not state the factor
    pairs = set(zip(levels.codes[both].tolist(), places.codes[both].tolist(), strict=True))
    sites = {site for _, site in pairs}
    return len(sites) > 1 and len(pairs) == len({level for level, _ in pairs}) > len(sites)


def _infer_number(
    name: str, before: Table, after: Table, shown: Demonstrations | None, settings: Section
) -> tuple[Role, Note]:
    if behaves_as_counter(name, before, after, settings):
        return Role.WEAR, note("diagnose.role_rises_within_robots")
    if shown is not None and name in shown.ranges:
        low, high = shown.ranges[name]
        return Role.TELEMETRY, note("diagnose.role_range_shown", low=low, high=high)
    named = gaps.name_gap(name)
    if named in (Gap.INFRASTRUCTURE, Gap.UNKNOWN) and behaves_as_latency(name, before, after, settings):
        return Role.LATENCY, note("diagnose.role_behaves_as_latency")
    if named is Gap.TIMING or (named is Gap.UNKNOWN and behaves_as_pace(name, after, settings)):
        return Role.PACE, note("diagnose.role_movement")
    return Role.TELEMETRY, note("diagnose.role_number")


def _name_gap(name: str, role: Role, shown: Demonstrations | None) -> Gap:
    """Name a gap by its role; where the role leaves it open by the column's name, and else neutrally."""
    if role in GAP_OF_ROLE:
        return GAP_OF_ROLE[role]
    named = gaps.name_gap(name)
    is_shown = shown is not None and (name in shown.factors or name in shown.ranges)
    if is_shown and named not in COVERABLE:
        return Gap.ENVIRONMENT
    return Gap.ENVIRONMENT if named is Gap.UNKNOWN and role is Role.CONDITION else named
