"""Demonstrations and failures are counted per deployed stratum; what cannot be counted is reported with numbers."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import BinConfiguration, Deployment, Site, Sku
from fieldloop.model.episode import Episode
from fieldloop.model.plan import GapKind
from fieldloop.model.policy import Outcome, Stage
from fieldloop.plan import compute_coverage, read_demonstration_costs
from fieldloop.plan.gaps.unknown_articles import find_unknown_article_gaps
from fieldloop.plan.strata import make_table
from fieldloop.plan.uncounted import note_uncounted_logs
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["plan"]
CELLS = [Stratum.of(bin=b, lighting=x, site="north") for b, x in itertools.product(("front", "back"), ("lab", "dim"))]
MAP = [Exposure(cell, 0.25) for cell in CELLS]


def episode(name, site="", **levels):
    return Episode(name, name, "mcap", site=site, stratum=Stratum.of(levels))


def outcome(name, succeeded, attempt="", **levels):
    return Outcome(
        name, "p", Stratum.of(levels), Stage.PRODUCTION, "north", "r", 0, succeeded, "judge", attempt=attempt
    )


def left_out(episodes, outcomes=()):
    return tuple(note_uncounted_logs(make_table(compute_coverage(MAP, episodes, outcomes)), episodes, outcomes))


def by_text(found):
    return {str(c.stratum): c for c in found}


def test_each_counts_once_where_it_belongs_and_nowhere_else():
    episodes = [episode("1", "north", bin="front", lighting="lab"), episode("2", "south", bin="front", lighting="lab")]
    outcomes = [
        outcome("a", False, bin="back", lighting="dim"),
        outcome("b", True, bin="back", lighting="dim", sku="7"),
    ]
    found = by_text(compute_coverage(MAP, episodes, outcomes, tried=[*episodes, episodes[0]]))
    shown = found["bin=front,lighting=lab,site=north"]
    assert (shown.demonstrations, shown.share, shown.tried) == (1, 1.0, 2)
    failing = found["bin=back,lighting=dim,site=north"]
    assert (failing.attempts, failing.failures, failing.demonstrations) == (2, 1, 0)
    assert sum(c.demonstrations for c in found.values()) == 1


def test_a_site_that_the_map_describes_by_fewer_factors_is_counted_too():
    exposures = [*MAP, Exposure(Stratum.of(site="south"), 0.5)]
    found = by_text(compute_coverage(exposures, [episode("1", "south", bin="front", lighting="dim")]))
    assert found["site=south"].demonstrations == 1


def test_half_without_conditions_is_reported_with_numbers():
    complete = [episode(str(k), "north", bin="front", lighting="lab") for k in range(50)]
    silent = [episode(f"s{k}", "north", bin="front") for k in range(30)] + [episode(f"m{k}") for k in range(20)]
    fact, *rest = left_out(complete + silent)
    assert rest == []
    assert write_sentence(fact) == (
        "50 of 100 demonstrations (50 %) count for no stratum because conditions are not logged: lighting (50), "
        "bin (20) and site (20). Add them at the station or in the mapping."
    )
    assert sum(c.demonstrations for c in compute_coverage(MAP, complete + silent)) == 50


def test_what_lies_outside_the_map_is_reported():
    (fact,) = left_out([episode("1", "north", bin="jammed", lighting="lab")])
    assert (fact.code, fact["count"], fact["all"]) == ("plan.uncounted_outside_map", 1, 1)
    assert "lie outside the strata of the deployment map: bin=jammed (1)." in write_sentence(fact)
    (fact,) = left_out([episode(str(k), "north", bin="FRONT", lighting="lab") for k in range(3)])
    assert "bin=FRONT (3; did you mean 'front'?)." in write_sentence(fact)
    assert left_out([episode("1", "north", bin="back", lighting="lab")]) == ()
    assert list(note_uncounted_logs(make_table([]), [episode("1")], [])) == []


def test_two_judges_are_one_attempt_and_a_dispute_is_left_out():
    where = {"bin": "front", "lighting": "lab"}
    votes = [
        outcome("1", True, "agreed", **where), outcome("2", True, "agreed", **where),
        outcome("3", True, "disputed", **where), outcome("4", False, "disputed", **where),
        outcome("5", False, "majority", **where), outcome("6", False, "majority", **where),
        outcome("7", True, "majority", **where),
    ]  # fmt: skip
    found = by_text(compute_coverage(MAP, [], votes))["bin=front,lighting=lab,site=north"]
    assert (found.attempts, found.failures) == (2, 1)
    split = left_out([], votes)[-1]
    assert (split.code, split["contested"], split["all"]) == ("plan.judges_split", 1, 3)


def picked(name, count, *, failed=0, **levels):
    return [
        replace(outcome(f"{name}{k}", k >= failed, bin="front", lighting="lab", **levels), item=name)
        for k in range(count)
    ]


def test_articles_that_the_catalogue_lacks_are_named_and_a_gap_of_their_own():
    site = Site("north", 1.0, lighting=(("lab", 1.0),), bins=(BinConfiguration("front", 1.0),))
    deployment = Deployment("d", "pick", (site,), (Sku("old", 10.0, "high"),))
    logged = [
        *picked("old", 60, tier="high"), *picked("new", 25, failed=20), *picked("", 5),
        *(one for k in range(5) for one in picked(f"x{k}", 2)),
    ]  # fmt: skip
    shown = [replace(episode("1", "north", bin="front", lighting="lab"), facts=(("sku", "new"),))]
    table = make_table(compute_coverage(deployment.exposures, shown, logged))
    demonstrations, articles, silent = note_uncounted_logs(table, shown, logged, deployment)
    assert (demonstrations.code, demonstrations["count"]) == ("plan.uncounted_articles", 1)
    assert (articles.code, articles["count"], articles["all"]) == ("plan.uncounted_articles", 35, 100)
    assert (
        "so they count for no stratum: new (25), x0 (2), x1 (2) and 3 more. Add them to the catalogue."
        in write_sentence(articles)
    )
    assert (silent.code, silent["count"], silent["items"][0]["name"]) == ("plan.uncounted_unlogged", 5, "tier")
    (gap,) = find_unknown_article_gaps(deployment, logged)
    assert (gap.kind, gap.share) == (GapKind.ARTICLE, 0.35)
    assert (gap.message["attempts"], gap.message["failed"]) == (35, pytest.approx(20 / 35))
    assert (
        list(find_unknown_article_gaps(deployment, picked("old", 3)))
        == list(find_unknown_article_gaps(None, logged))
        == []
    )


def test_costs_multiply_where_several_hold():
    costs = read_demonstration_costs(SETTINGS.replace_values(costs=("site=north: 2", "bin=back,lighting=dim: 1.5")))
    found = by_text(compute_coverage(MAP, [], costs=costs))
    assert found["bin=front,lighting=dim,site=north"].cost == 2.0
    assert found["bin=back,lighting=dim,site=north"].cost == 3.0


@pytest.mark.parametrize(
    "line", ["site=north 2", "site=north: much", ": 2", "site=north: -1", "site=north: inf", "x: 2"]
)
def test_a_cost_that_cannot_be_read_is_refused(line):
    with pytest.raises(BadInput):
        read_demonstration_costs(SETTINGS.replace_values(costs=(line,)))


@pytest.mark.parametrize("share", [float("nan"), float("inf"), -0.1])
def test_a_share_that_is_no_share_is_refused(share):
    with pytest.raises(BadInput, match="bin=front"):
        compute_coverage([Exposure(Stratum.of(bin="front"), share)], [])


def test_an_empty_map_covers_nothing():
    assert compute_coverage([], [episode("1", bin="front")]) == ()


@settings(deadline=None)
@given(st.lists(st.sampled_from([*CELLS, Stratum(), Stratum.of(bin="front")]), max_size=40))
def test_counts_add_up_to_what_says_enough(logged):
    episodes = [Episode(str(k), str(k), "mcap", stratum=s) for k, s in enumerate(logged)]
    found = compute_coverage(MAP, episodes)
    assert sum(c.demonstrations for c in found) == sum(s in CELLS for s in logged)
    assert sum(c.exposure for c in found) == pytest.approx(1.0)
