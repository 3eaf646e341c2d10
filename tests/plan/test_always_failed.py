"""Levels that never succeed are named, with what the plan gives them; levels that merely fail often are not."""

import itertools

import numpy as np
import pytest

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import Coverage
from fieldloop.plan.allocate import allocate_budget
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"].replace_values(draws=4)
BINS = {"front": 0.5, "back": 0.3, "jammed": 0.2}
SITES = {"lyon": 0.7, "metz": 0.3}
LIGHTS = {"bright": 0.6, "dim": 0.4}


def floor(fails, attempts=600, seed=0, **counts):
    """Production by site, bin and light; `fails` says how often, `counts` what was shown of which levels."""
    rng = np.random.default_rng(seed)
    cells = []
    for site, bin_, light in itertools.product(SITES, BINS, LIGHTS):
        share = SITES[site] * BINS[bin_] * LIGHTS[light]
        here = Stratum.of(site=site, bin=bin_, lighting=light)
        tries = rng.poisson(attempts * share)
        failed = rng.binomial(tries, fails(site, bin_, light))
        shown = counts.get(bin_, counts.get(site, (40, 40)))
        cells.append(Coverage(here, share, shown[0], 0.0, int(tries), int(failed), shown[1]))
    return cells


NAMED = ("plan.always_failed", "plan.nearly_always_failed", "plan.more_levels_failed")


def warned(cells, budget=40):
    found = allocate_budget(cells, [], budget, SETTINGS, np.random.default_rng(0))
    gets = {
        str(c): sum(q.demonstrations for q in found.quotas if c in q.stratum.conditions)
        for q in found.quotas
        for c in q.stratum.conditions
    }
    return [w for w in found.warnings if w.code in NAMED], gets


def jammed(_, bin_, __):
    return 1.0 if bin_ == "jammed" else 0.2


def codes(fact):
    return [detail.code for detail in fact.details]


def test_a_thing_that_no_one_managed_is_taken_as_out_of_reach():
    (line,), gets = warned(floor(jammed, jammed=(0, 0)))
    assert (line.code, line["level"]) == ("plan.always_failed", "bin=jammed")
    assert codes(line) == ["plan.never_tried_by_people", "plan.gets_to_find_out"]
    assert line.details[1]["gets"] == gets["bin=jammed"]


@pytest.mark.parametrize(
    ("shown", "code", "count"),
    [
        ((0, 9), "plan.never_managed", 36),  # four strata have the bin
        ((20, 20), "plan.maybe_broken_though_learnt", 80),
    ],
)
def test_what_operators_could_or_could_not_do_is_reported(shown, code, count):
    (line,), _ = warned(floor(jammed, jammed=shown))
    assert line.details[0].code == code
    assert [value for _, value in line.details[0].numbers] == [count]


def test_a_place_that_always_fails_is_taken_as_new_and_asked_about():
    lines, gets = warned(floor(lambda site, *_: 1.0 if site == "metz" else 0.2, metz=(0, 0)))
    assert len(lines) == 1
    assert (lines[0].code, lines[0]["level"]) == ("plan.always_failed", "site=metz")
    assert codes(lines[0]) == ["plan.maybe_broken", "plan.gets"]
    assert lines[0].details[1]["gets"] == gets["site=metz"]


def test_a_hand_that_fails_nearly_always_counts_as_one_that_does():
    cells = floor(lambda _, bin_, __: 0.99 if bin_ == "jammed" else 0.1, attempts=3000, jammed=(0, 0))
    (line,), _ = warned(cells)
    failed, tried = (sum(getattr(c, n) for c in cells if c.stratum.level("bin") == "jammed")
                     for n in ("failures", "attempts"))  # fmt: skip
    assert failed < tried
    assert (line.code, line["level"]) == ("plan.nearly_always_failed", "bin=jammed")
    assert (line["failures"], line["attempts"]) == (failed, tried)


def test_few_are_named_and_the_rest_counted():
    cells = [
        Coverage(Stratum.of(cell=str(k), light=light), 0.01 * (k + 1), 0, 0.0, 30, 30 if k < 7 else 6)
        for k in range(10)
        for light in ("lab", "dim")
    ]
    cells = [Coverage(c.stratum, c.exposure / 1.1, *(0, 0.0, c.attempts, c.failures)) for c in cells]
    lines, _ = warned(cells)
    assert [line["level"] for line in lines[:4]] == ["cell=6", "cell=5", "cell=4", "cell=3"]
    assert [line["more"] for line in lines[4:]] == [3]


def test_chance_is_not_named():
    for seed in range(60):
        assert warned(floor(lambda *_: 0.6, attempts=100, seed=seed), budget=2)[0] == []
    assert warned(floor(lambda *_: 1.0))[0] == [], "all failed: another warning reports that"
    assert warned(floor(jammed, attempts=0))[0] == []


def test_what_explores_is_marked_and_teaches_nothing_yet():
    cells = floor(lambda site, *_: 0.0 if site == "metz" else 0.4, metz=(0, 0))
    found = allocate_budget(cells, [], 40, SETTINGS, np.random.default_rng(0))
    reasons = [
        d for q in found.quotas for d in q.why.details if d.code == "plan.explores" and d["level"] == "site=metz"
    ]
    exploring = [q for q in found.quotas if "plan.explores" in codes(q.why)]
    assert exploring
    assert all("plan.teaches" not in codes(q.why) for q in exploring)
    assert sum(reason["demonstrations"] for reason in reasons) == 2  # exploration_floor
