"""Large maps: the same answers from a table of integers, and nothing that grows with the square of the strata."""

import itertools

import numpy as np

from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.plan import Coverage
from fieldloop.plan.allocate import allocate_budget
from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import make_table
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["plan"].replace_values(draws=10)
LEVELS = {"bin": 6, "light": 3, "operator": 4, "site": 8, "surface": 3, "tier": 3}


def large_map(seed=0):
    source = np.random.default_rng(seed)
    levels = [[Condition(factor, f"{factor}{k}") for k in range(size)] for factor, size in sorted(LEVELS.items())]
    strata = [Stratum(conditions) for conditions in itertools.product(*levels)]
    share = source.dirichlet(np.full(len(strata), 0.3))
    shown = source.multinomial(500, source.dirichlet(np.full(len(strata), 0.02)))
    attempts = source.multinomial(3000, share)
    failures = source.binomial(attempts, 0.3)
    rows = zip(strata, share.tolist(), shown.tolist(), attempts.tolist(), failures.tolist(), strict=True)
    return [Coverage(s, w, n, 0.0, a, f) for s, w, n, a, f in rows]


def test_thousands_of_strata_are_planned_to_the_last_demonstration():
    found = allocate_budget(large_map(), [], 300, SETTINGS, np.random.default_rng(0))
    assert sum(q.demonstrations for q in found.quotas) == 300
    assert 0.0 < found.gain_low <= found.gain <= found.gain_high < 0.3
    sites = {q.stratum.level("site") for q in found.quotas}
    assert len(sites) == LEVELS["site"]


def test_the_order_of_strata_does_not_matter_for_what_is_believed():
    cells = large_map()[:2000]
    mixed = np.random.default_rng(1).permutation(len(cells))
    one, other = Gain(make_table(cells), SETTINGS), Gain(make_table([cells[k] for k in mixed]), SETTINGS)
    assert np.allclose(one.failure[mixed], other.failure, atol=5e-3)


def test_a_factor_that_only_some_strata_name_is_a_level_of_its_own():
    named = Coverage(Stratum.of(site="n", zone="cold"), 0.5, 5, 0.0, 50, 40)
    silent = Coverage(Stratum.of(site="n"), 0.5, 5, 0.0, 50, 5)
    table = make_table([named, silent])
    assert table.factors == ("site", "zone")
    assert Gain(table, SETTINGS).failure[0] > 0.6
    assert table.find_rows(Stratum.of(site="n")).tolist() == [0, 1]
    assert table.find_rows(Stratum.of(zone="cold")).tolist() == [0]
