"""What an allocation must respect: tiers, degraded bins, recoveries, sites that are not at work yet."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Sku
from fieldloop.model.episode import Episode
from fieldloop.model.note import note
from fieldloop.model.plan import Coverage, Quota, QuotaKind
from fieldloop.model.policy import FailureClass, Outcome, Stage
from fieldloop.plan.rules.minimums import list_degraded_minimums
from fieldloop.plan.rules.recovery import ask_for_recoveries
from fieldloop.plan.rules.sites import compute_site_sets, make_fine_tuning_demands
from fieldloop.plan.rules.tiers import compute_tier_states, replace_part_by_simulated
from fieldloop.plan.strata import make_table
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["plan"]


def quota(demonstrations, kind=QuotaKind.DEMONSTRATION, **levels):
    return Quota(Stratum.of(levels), demonstrations, 0.1, 0.05, 0.2, note("plan.quota"), kind, float(demonstrations))


def failed(name, cls, **levels):
    return Outcome(name, "p", Stratum.of(levels), Stage.PRODUCTION, "", "r", 0, False, "j", failure=cls)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["high", "medium", "long_tail"]), st.integers(1, 30)), max_size=8))
def test_simulation_takes_its_share_of_the_long_tail_and_nothing_is_lost(rows):
    strata = [Stratum.of(tier=tier, cell=str(k)) for k, (tier, _) in enumerate(rows)]
    table = make_table([Coverage(stratum, 0.1, 0, 0.0) for stratum in strata])
    good = np.array([float(n) for _, n in rows])
    made = replace_part_by_simulated(table, good, SETTINGS)
    assert np.array_equal(made.real + made.simulated, good)
    assert (made.real >= 0.0).all()
    in_tail = [n for tier, n in rows if tier == "long_tail"]
    assert made.simulated.sum() == sum(in_tail) // 2
    assert all(not n for (tier, _), n in zip(rows, made.simulated, strict=True) if tier != "long_tail")


def test_tiers_say_how_many_articles_are_at_their_target():
    skus = [Sku("a", 80, "high"), Sku("b", 15, "medium"), Sku("c", 15, "medium"), Sku("d", 1, "long_tail")]
    high, medium, tail = compute_tier_states(skus, Counter({"a": 20, "b": 3, "c": 1, "stranger": 9}), SETTINGS)
    assert (high.tier, high.articles, high.at_target, high.target) == ("high", 1, 1, 20)
    assert (medium.articles, medium.shown, medium.at_target) == (2, 2, 1)
    assert (tail.shown, tail.at_target, tail.simulated_share) == (0, 0, 0.5)
    assert sum(t.picks_share for t in (high, medium, tail)) == pytest.approx(1.0)
    assert compute_tier_states([Sku("a", 0.0)], Counter(), SETTINGS)[0].picks_share == 0.0


def test_degraded_bins_below_their_share_are_asked_for():
    table = make_table(
        [Coverage(Stratum.of(bin=b), s, 0, 0.0) for b, s in (("front", 0.6), ("buried", 0.3), ("side", 0.1))]
    )
    side, buried = list_degraded_minimums(table, 40.0, SETTINGS)
    assert (str(buried.stratum), buried.least, side.least) == ("bin=buried", 9, 3)  # 0.75 × 0.3 × 40
    assert buried.count_lacking(table, np.array([30.0, 2.0, 8.0])) == 7
    assert buried.count_lacking(table, np.array([27.0, 9.0, 4.0])) == 0
    demand = buried.make_demand(7)
    assert (demand.demonstrations, demand.why["stratum"], demand.why["least"]) == (7, "bin=buried", 9)
    assert list_degraded_minimums(make_table([Coverage(Stratum.of(cell="a"), 1.0, 0, 0.0)]), 1.0, SETTINGS) == ()


def test_recoveries_go_where_production_fails_that_way():
    quotas = [quota(20, cell="a"), quota(20, cell="b")]
    outcomes = [failed(str(k), FailureClass.GRASP, cell="a") for k in range(17)]
    outcomes += [failed(f"p{k}", FailureClass.PLACEMENT, cell="b", sku="7") for k in range(17)]
    made = ask_for_recoveries(quotas, outcomes, SETTINGS)
    assert sum(q.demonstrations for q in made) == 40
    found = {str(q.stratum): q for q in made if q.kind is QuotaKind.RECOVERY}
    assert found["cell=a,recovery=slipped grasp"].demonstrations == 2
    why = found["cell=a,recovery=slipped grasp"].why
    assert (why.code, why["demonstrations"], why.details[0]["failures"]) == ("plan.quota_recovery", 2, 17)
    assert found["cell=b,recovery=unstable transfer"].demonstrations == 1
    assert {q.stratum.level("recovery") for q in found.values()} >= {"misidentified item corrected"}
    assert sum(q.gain for q in made) == pytest.approx(0.2)


def test_recoveries_that_were_shown_are_counted():
    episodes = [
        Episode(str(k), str(k), "mcap", stratum=Stratum.of(cell="a", recovery="slipped grasp", sku="7"))
        for k in range(3)
    ]
    made = ask_for_recoveries([quota(40, cell="a")], [], SETTINGS, episodes)
    shown = {q.stratum.level("recovery"): q.why.details[1] for q in made if q.kind is QuotaKind.RECOVERY}
    assert shown["slipped grasp"]["times"] == 3
    assert shown["unstable transfer"].code == "plan.recovery_never_shown"


def test_a_stratum_that_was_never_tried_is_not_reported_as_sound():
    tried = Outcome("1", "p", Stratum.of(cell="a"), Stage.PRODUCTION, "", "r", 0, True, "j")
    made = ask_for_recoveries([quota(20, cell="a"), quota(20, cell="b")], [tried], SETTINGS)
    found = {(q.stratum.level("cell"), q.why.details[0].code) for q in made if q.kind is QuotaKind.RECOVERY}
    assert found <= {("a", "plan.never_failed_this_way"), ("b", "plan.not_tried_here")}


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), max_size=12))
def test_recoveries_take_their_share_and_keep_the_sum(amounts):
    quotas = [quota(n, cell=str(k)) for k, n in enumerate(amounts)]
    made = ask_for_recoveries(quotas, [], SETTINGS)
    assert sum(q.demonstrations for q in made) == sum(amounts)
    assert all(q.demonstrations > 0 for q in made)
    assert sum(q.demonstrations for q in made if q.kind is QuotaKind.RECOVERY) == int(0.1 * sum(amounts))


@pytest.mark.parametrize(("line", "error"), [("slip", BadInput), ("a=b: grasp", BadInput), ("slip: gras", UnknownName)])
def test_a_recovery_that_cannot_be_read_is_refused(line, error):
    with pytest.raises(error):
        ask_for_recoveries([quota(20, cell="a")], [], SETTINGS.replace_values(recoveries=(line,)))


SITES = [
    Coverage(Stratum.of(site="main", light="lab"), 0.5, 30, 0.0, attempts=90),
    Coverage(Stratum.of(site="main", light="dim"), 0.2, 0, 0.0, attempts=20),
    Coverage(Stratum.of(site="new", light="dim"), 0.1, 2, 0.0),
    Coverage(Stratum.of(site="new", light="glare"), 0.1, 0, 0.0),
    Coverage(Stratum.of(site="live", light="glare"), 0.1, 1, 0.0, attempts=5),
    Coverage(Stratum.of(site="closed", light="night"), 0.0, 0, 0.0),
]


def test_a_further_site_needs_what_is_specific_to_it():
    primary, new, live = compute_site_sets(make_table(SITES), [quota(4, site="new", light="glare")], SETTINGS)
    assert (primary.site, primary.primary, primary.complete) == ("main", True, True)
    assert (new.site, new.specific, new.needed, new.have, new.planned) == ("new", ("light=glare",), 10, 2, 4)
    assert not new.complete
    assert write_sentence(new.message) == (
        "The demonstration set of new lacks 5 demonstrations of light=glare and 3 demonstrations of site=new. "
        "Complete it and pass a gate there before go-live. This plan leaves 1 of these demonstrations uncollected."
    )
    assert (live.site, live.have, live.complete, live.open) == ("live", 2, False, 8)
    assert live.message.code == "plan.live_with_incomplete_set"
    assert [(one["count"], one["condition"]) for one in live.message["lacking"]] == [
        (4, "light=glare"),
        (4, "site=live"),
    ]


def test_a_site_counts_simulated_ones_apart_and_reports_when_its_set_is_complete():
    planned = [quota(5, site="new", light="glare"), quota(3, QuotaKind.SIMULATION, site="new", light="dim")]
    _, new, _ = compute_site_sets(make_table(SITES), planned, SETTINGS)
    assert (new.planned, new.simulated, new.open) == (5, 3, 0)
    assert new.message.details[0].code == "plan.set_completed"


def test_sites_are_asked_for_within_their_share_first_those_that_are_not_at_work():
    free = np.zeros(len(SITES))
    found = {str(d.stratum): d.demonstrations for d in make_fine_tuning_demands(make_table(SITES), free, 40, SETTINGS)}
    # two in hand and these five show the new site often enough; a quarter of the budget is ten
    assert found == {"light=glare,site=new": 5, "light=glare,site=live": 4}
    scarce = list(make_fine_tuning_demands(make_table(SITES), free, 12, SETTINGS))
    assert [(d.stratum.level("site"), d.demonstrations) for d in scarce] == [("new", 3)]


def test_the_set_of_a_site_at_work_is_asked_for_only_where_the_plan_leaves_it_short():
    free = np.array([0.0, 0.0, 0.0, 0.0, 4.0, 0.0])
    found = {d.stratum.level("site") for d in make_fine_tuning_demands(make_table(SITES), free, 40, SETTINGS)}
    assert found == {"new"}


def test_the_primary_site_may_be_named_and_must_exist():
    named = SETTINGS.replace_values(primary_site="new")
    assert compute_site_sets(make_table(SITES), [], named)[0].site == "new"
    with pytest.raises(UnknownName, match="Did you mean 'main'"):
        compute_site_sets(make_table(SITES), [], SETTINGS.replace_values(primary_site="mian"))
    assert compute_site_sets(make_table([Coverage(Stratum.of(cell="a"), 1.0, 0, 0.0)]), [], SETTINGS) == ()
