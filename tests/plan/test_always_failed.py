"""What never succeeds is named, with how the plan takes it; what merely fails often is not."""

import itertools

import numpy as np
import pytest

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import Coverage
from fieldloop.plan.allocate import spend
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"].replaced(draws=4)
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


def said(cells, budget=40):
    found = spend(cells, [], budget, SETTINGS, np.random.default_rng(0))
    gets = {
        str(c): sum(q.demonstrations for q in found.quotas if c in q.stratum.conditions)
        for q in found.quotas
        for c in q.stratum.conditions
    }
    return [w for w in found.warnings if "failed in" in w or "never succeeded" in w], gets


def jammed(_, bin_, __):
    return 1.0 if bin_ == "jammed" else 0.2


def test_a_thing_that_nobody_managed_is_said_to_be_taken_as_out_of_reach():
    (line,), gets = said(floor(jammed, jammed=(0, 0)))
    assert line.startswith("bin=jammed failed in all ")
    assert "nobody has shown that it can be done: taken as mostly out of reach" in line
    assert f"it gets {gets['bin=jammed']} to find out. Let a person try." in line


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        ((0, 9), "operators managed none of 36 tries"),  # four strata have the bin
        ((20, 20), "although 80 demonstrations of it were learnt: is something broken there?"),
    ],
)
def test_what_operators_could_or_could_not_do_is_said(shown, words):
    (line,), _ = said(floor(jammed, jammed=shown))
    assert words in line


def test_a_place_that_always_fails_is_taken_as_new_and_asked_about():
    lines, gets = said(floor(lambda site, *_: 1.0 if site == "metz" else 0.2, metz=(0, 0)))
    assert len(lines) == 1
    assert lines[0].startswith("site=metz failed in all ")
    assert lines[0].endswith(f"is something broken there? It is planned for as new and gets {gets['site=metz']}.")


def test_a_hand_that_fails_nearly_always_counts_as_one_that_does():
    cells = floor(lambda _, bin_, __: 0.99 if bin_ == "jammed" else 0.1, attempts=3000, jammed=(0, 0))
    (line,), _ = said(cells)
    failed, tried = (sum(getattr(c, n) for c in cells if c.stratum.level("bin") == "jammed")
                     for n in ("failures", "attempts"))  # fmt: skip
    assert failed < tried
    assert line.startswith(f"bin=jammed failed in {failed} of {tried} attempts")


def test_few_are_named_and_the_rest_counted():
    cells = [
        Coverage(Stratum.of(cell=str(k), light=light), 0.01 * (k + 1), 0, 0.0, 30, 30 if k < 7 else 6)
        for k in range(10)
        for light in ("lab", "dim")
    ]
    cells = [Coverage(c.stratum, c.exposure / 1.1, *(0, 0.0, c.attempts, c.failures)) for c in cells]
    lines, _ = said(cells)
    assert [line.split(" ")[0] for line in lines[:4]] == ["cell=6", "cell=5", "cell=4", "cell=3"]
    assert lines[4:] == ["3 more levels never succeeded in production either."]


def test_chance_is_not_named():
    for seed in range(60):
        assert said(floor(lambda *_: 0.6, attempts=100, seed=seed), budget=2)[0] == []
    assert said(floor(lambda *_: 1.0))[0] == [], "all failed: that is said in another way"
    assert said(floor(jammed, attempts=0))[0] == []


def test_what_is_there_to_explore_says_so_and_teaches_nothing_yet():
    cells = floor(lambda site, *_: 0.0 if site == "metz" else 0.4, metz=(0, 0))
    found = spend(cells, [], 40, SETTINGS, np.random.default_rng(0))
    exploring = [q for q in found.quotas if "to find out whether site=metz can be learnt" in q.why]
    assert exploring
    assert all("teaches" not in q.why for q in exploring)
    assert sum(int(q.why.split("; ")[1].split(" ")[0]) for q in exploring) == 2  # exploration_floor
