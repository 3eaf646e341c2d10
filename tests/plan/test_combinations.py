"""Missing combinations are found by exhaustive comparison, and what is proposed against them is counted off."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import Coverage, GapKind
from fieldloop.plan.gaps.combinations import encode_strata, find_missing_combinations, list_missing_combinations
from fieldloop.plan.gaps.cover import choose_strata_to_cover_missing
from fieldloop.plan.strata import make_table

SIZES = {"bin": 4, "light": 3, "surface": 2, "shift": 3}
ALL = [
    Stratum.of({f: f"{f}{k}" for f, k in zip(SIZES, chosen, strict=True)})
    for chosen in itertools.product(*map(range, SIZES.values()))
]


def table_of(strata):
    return make_table([Coverage(s, 1.0 / len(strata), 0, 0.0) for s in strata])


def held(strata, size):
    """Every combination of so many conditions that occurs, by brute force."""
    return {frozenset(part) for s in strata for part in itertools.combinations(s.conditions, size)}


def smallest_missing(deployed, shown, strength):
    found = set()
    for size in range(1, strength + 1):
        for combination in held(deployed, size) - held(shown, size):
            if not any(part < combination for part in found):
                found.add(combination)
    return found


def named(table, missing):
    gaps = list_missing_combinations(table, missing, missing.count)
    return {frozenset(gap.stratum.conditions) for gap in gaps}


@settings(deadline=None, max_examples=60)
@given(st.sets(st.sampled_from(ALL), min_size=1), st.sets(st.sampled_from(ALL)), st.integers(1, 3))
def test_exactly_the_smallest_missing_combinations_are_named(deployed, shown, strength):
    table = table_of(sorted(deployed))
    missing = find_missing_combinations(table, encode_strata(table, sorted(shown)), strength)
    assert named(table, missing) == smallest_missing(deployed, shown, strength)


@settings(deadline=None, max_examples=40)
@given(st.sets(st.sampled_from(ALL), min_size=1), st.sets(st.sampled_from(ALL)), st.integers(1, 3))
def test_the_cover_shows_every_missing_combination_with_deployed_strata_only(deployed, shown, strength):
    strata = sorted(deployed)
    table = table_of(strata)
    rows = choose_strata_to_cover_missing(
        table, find_missing_combinations(table, encode_strata(table, sorted(shown)), strength)
    )
    chosen = {strata[row] for row in rows}
    assert len(chosen) == len(rows)
    assert chosen <= deployed
    for size in range(1, strength + 1):
        assert held(deployed, size) <= held(shown, size) | held(chosen, size)


@pytest.mark.parametrize(
    ("sizes", "strength", "fewest", "most"), [((5, 4, 3, 4, 6, 2, 3), 2, 30, 34), ((3, 3, 3, 3), 2, 9, 13)]
)
def test_a_cover_from_nothing_is_near_the_fewest_possible(sizes, strength, fewest, most):
    strata = [
        Stratum.of({f"f{at}": str(level) for at, level in enumerate(chosen)})
        for chosen in itertools.product(*map(range, sizes))
    ]
    table = table_of(strata)
    rows = choose_strata_to_cover_missing(table, find_missing_combinations(table, encode_strata(table, []), strength))
    covered = held([strata[row] for row in rows], strength)
    assert covered == held(strata, strength)
    assert fewest <= len(rows) <= most


def test_pairs_are_all_found_although_levels_are_missing_too():
    """What is deployed in pairs must be shown in pairs, even where the smallest gap named is a level."""
    strata = [Stratum.of(a=x, b=y) for x, y in itertools.product("12", "12")]
    table = table_of(strata)
    rows = choose_strata_to_cover_missing(
        table, find_missing_combinations(table, encode_strata(table, [Stratum.of(a="1", b="1")]), 2)
    )
    shown = [Stratum.of(a="1", b="1"), *(strata[row] for row in rows)]
    assert held(strata, 2) <= held(shown, 2)


def test_a_level_never_shown_comes_before_its_combinations():
    deployed = [Stratum.of(bin=b, light=x) for b, x in itertools.product(("front", "back"), ("lab", "dim"))]
    table = table_of(deployed)
    shown = encode_strata(table, [Stratum.of(bin="front", light="lab"), Stratum.of(bin="back", light="lab")])
    (gap,) = list_missing_combinations(table, find_missing_combinations(table, shown, 2), 10)
    assert (gap.kind, str(gap.stratum), gap.share) == (GapKind.NEVER_SHOWN, "light=dim", 0.5)


def test_levels_shown_one_by_one_and_never_together():
    deployed = [Stratum.of(bin=b, light=x) for b, x in itertools.product(("front", "back"), ("lab", "dim"))]
    table = table_of(deployed)
    shown = encode_strata(table, [deployed[0], deployed[1], deployed[2]])
    (gap,) = list_missing_combinations(table, find_missing_combinations(table, shown, 2), 10)
    assert (gap.kind, gap.stratum, gap.share) == (GapKind.COMBINATION, deployed[3], 0.25)
    assert gap.message.code == "plan.combination_never_shown"


def test_a_demonstration_that_says_half_shows_half():
    deployed = [Stratum.of(bin=b, light=x) for b, x in itertools.product(("front", "back"), ("lab", "dim"))]
    table = table_of(deployed)
    shown = encode_strata(
        table, [Stratum.of(bin="back"), Stratum.of(light="dim", bin="front"), Stratum.of(light="lab")]
    )
    assert named(table, find_missing_combinations(table, shown, 1)) == set()
    assert len(named(table, find_missing_combinations(table, shown, 2))) == 3


def test_long_lists_end_with_the_number_of_the_rest():
    table = table_of(ALL)
    gaps = list(list_missing_combinations(table, find_missing_combinations(table, encode_strata(table, []), 1), 3))
    assert len(gaps) == 4
    assert (gaps[-1].message.code, gaps[-1].message["more"]) == ("plan.more_combinations", 9)
    assert gaps[-1].share == pytest.approx(1.0)


def test_what_is_not_deployed_is_not_missed():
    strata = [Stratum.of(bin="front"), Stratum.of(bin="gone")]
    table = make_table([Coverage(strata[0], 1.0, 0, 0.0), Coverage(strata[1], 0.0, 0, 0.0)])
    missing = find_missing_combinations(table, encode_strata(table, [strata[0]]), 1)
    assert missing.count == 0
    assert choose_strata_to_cover_missing(table, missing) == []
