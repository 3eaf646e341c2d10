"""Demonstrations of a laboratory count for the conditions they share with production, and never for its sites."""

import itertools
import random

import numpy as np

from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.identity import Ids
from fieldloop.model.plan import Coverage, GapKind
from fieldloop.plan import Crew, Known, compute_coverage, compute_coverage_elsewhere, draw_plan
from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import make_table
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"].replace_values(draws=20, budget=20)
WORTH = SETTINGS.number("elsewhere_worth")
MAP = [
    Exposure(Stratum.of(bin=b, lighting=x, site="north"), 0.25)
    for b, x in itertools.product(("front", "back"), ("bright", "dim"))
]
LAB = Stratum.of(bin="front", lighting="bright", site="lab")


def shown(*strata):
    return [Episode(str(k), str(k), "mcap", stratum=stratum) for k, stratum in enumerate(strata)]


def elsewhere(covered, episodes, **more):
    return compute_coverage_elsewhere(covered, [(e.stratum_with_site, 1) for e in episodes], **more)


def drawn(episodes, **changes):
    covered = compute_coverage(MAP, episodes)
    known = Known(covered, episodes=episodes, elsewhere=elsewhere(covered, episodes))
    ids = Ids(lambda: 0, random.Random(1).getrandbits)
    crew = Crew((), (), "", simulates=False)
    return draw_plan(known, (), crew, SETTINGS.replace_values(**changes), ids, 7, np.random.default_rng(3))


def test_a_laboratory_becomes_a_row_without_a_share_of_production():
    episodes = shown(LAB, LAB, MAP[0].stratum)
    assert elsewhere(compute_coverage(MAP, episodes), episodes) == (Coverage(LAB, 0.0, 2, 0.0, learnt=None),)


def test_what_the_map_does_not_know_and_what_shares_nothing_is_left_out():
    episodes = shown(Stratum.of(LAB.levels, floor="wet"), Stratum.of(site="lab", bin="jam"), Stratum.of(floor="wet"))
    found = elsewhere(compute_coverage(MAP, episodes), episodes)
    assert [(c.stratum, c.demonstrations) for c in found] == [(LAB, 1)]


def test_an_episode_that_does_not_log_its_light_counts_for_its_bin():
    episodes = shown(Stratum.of(bin="back", site="north"))
    (found,) = elsewhere(compute_coverage(MAP, episodes), episodes)
    assert found.stratum == Stratum.of(bin="back", site="north")


def test_each_counts_in_part_for_shared_levels_and_pairs_and_not_at_all_for_the_site():
    episodes = shown(*[LAB] * 40)
    covered = compute_coverage(MAP, episodes)
    gain = Gain(make_table(covered, elsewhere(covered, episodes), WORTH), SETTINGS)
    row = next(at for at, c in enumerate(covered) if c.stratum.levels == {**LAB.levels, "site": "north"})
    for part, sums in zip(gain.parts, gain.shown, strict=True):
        taught = sums[part.codes[row]]
        assert taught == (0.0 if "site" in part.factors else WORTH * 40), part.factors


def test_the_plan_asks_less_for_what_the_laboratory_showed_and_names_the_undemonstrated_site():
    before, after = drawn([], budget=60), drawn(shown(*[LAB] * 40), budget=60)

    def asked(plan, **levels):
        return sum(q.demonstrations for q in plan.quotas if Stratum.of(levels).covers(q.stratum))

    assert asked(after, bin="front", lighting="bright") < asked(before, bin="front", lighting="bright")
    assert asked(after, bin="back", lighting="dim") > asked(before, bin="back", lighting="dim")
    (counted,) = [one for one in after.warnings if one.code == "plan.counted_elsewhere"]
    assert dict(counted.numbers) == {
        "demonstrations": 40, "worth": WORTH, "shared": ("bin", "lighting"), "lacking": ("site",)
    }  # fmt: skip
    never = [gap.stratum for gap in after.gaps if gap.kind is GapKind.NEVER_SHOWN]
    assert Stratum.of(site="north") in never


def test_demonstrations_of_a_laboratory_that_production_did_not_learn_from_wait():
    episodes = shown(*[LAB] * 4)
    covered = compute_coverage(MAP, episodes)
    (found,) = elsewhere(covered, episodes, learnt=[(LAB, 1)])
    assert (found.demonstrations, found.learnt) == (4, 1)
