"""A harder mix is not a fault: it is stated in points that add up, whether or not a cause is named."""

import numpy as np
import pytest
from tests.diagnose.planted import DAY, explain, remarks

from fieldloop.diagnose import Demonstrations, Evidence
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage

SHOWN = Demonstrations.counted({Stratum.of(bin="front"): 200, Stratum.of(bin="buried"): 90})
SIDES = ((Stage.LAB, 500, 10), (Stage.PRODUCTION, 1000, 20))


def bins(seed, shares, rates):
    """Both sides of a world with two bins: how much of the work is buried, and how often each bin succeeds."""
    chance = np.random.default_rng(seed)
    made = []
    for stage, count, days in SIDES:
        hard = chance.random(count) < shares[stage]
        good = chance.random(count) < np.where(hard, rates[stage][1], rates[stage][0])
        where = [Stratum.of(bin="buried" if one else "front") for one in hard]
        rows = [(where[k], stage, "home", f"r{k % 3}", k * days * DAY // count, bool(good[k])) for k in range(count)]
        made.append(tuple(Outcome(f"{stage}{k}", "p", *one, "j") for k, one in enumerate(rows)))
    return Evidence("p", "", *made, SHOWN)


def harder(seed, now=(0.9, 0.45)):
    return bins(seed, {Stage.LAB: 0.1, Stage.PRODUCTION: 0.6}, {Stage.LAB: (0.9, 0.45), Stage.PRODUCTION: now})


@pytest.mark.parametrize("seed", range(2))
def test_a_drop_that_is_all_mix_is_stated_as_mix_and_asks_for_no_log(seed):
    found = explain(harder(seed))
    assert (found.status, found.causes) == (Status.CANNOT_TELL, ())
    assert found.kinds.mix + found.kinds.mechanism + found.kinds.unseen == pytest.approx(found.loss)
    assert found.mix_share > 0.7
    (grown,) = found.shifted
    assert str(grown.stratum) == "bin=buried"
    assert (grown.share_before, grown.share_after) == (pytest.approx(0.1, abs=0.04), pytest.approx(0.6, abs=0.04))
    assert grown.cost == pytest.approx(found.kinds.mix, abs=0.03)
    assert not grown.worse
    assert remarks(found, "beyond_the_mix")
    assert not any(remarks(found, code) for code in ("log_conditions", "lag_not_measured", "agreement_not_measured"))
    assert found.failures


def test_a_policy_that_also_got_worse_there_is_marked():
    found = explain(harder(1, (0.9, 0.2)))
    assert found.shifted[0].worse
    assert found.kinds.mechanism > 0.1


def test_an_easier_mix_hides_a_loss_and_parts_are_stated_though_the_whole_has_not_fallen():
    shares = {Stage.LAB: 0.6, Stage.PRODUCTION: 0.1}
    found = explain(bins(3, shares, {Stage.LAB: (0.9, 0.4), Stage.PRODUCTION: (0.66, 0.1)}))
    assert found.kinds.mix < -0.1
    assert found.kinds.mechanism > 0.1
    assert found.kinds.mix + found.kinds.mechanism + found.kinds.unseen == pytest.approx(found.loss)
    assert found.shifted == ()


def test_what_the_baseline_never_met_is_not_mix():
    found = explain(
        bins(0, {Stage.LAB: 0.0, Stage.PRODUCTION: 0.6}, dict.fromkeys((Stage.LAB, Stage.PRODUCTION), (0.9, 0.5)))
    )
    assert found.shifted == ()
    assert found.kinds.mix == pytest.approx(0.0, abs=0.02)


def test_conditions_that_grew_together_are_counted_once():
    evidence = harder(2)

    def lit(outcome):
        buried = outcome.stratum.level("bin") == "buried"
        return Stratum.of(bin=outcome.stratum.level("bin"), lighting="dim" if buried else "lab")

    both = [
        tuple(Outcome(o.id, "p", lit(o), o.stage, o.site, o.robot, o.at_ns, o.succeeded, "j") for o in side)
        for side in (evidence.baseline, evidence.production)
    ]
    found = explain(Evidence("p", "", *both))
    assert len(found.shifted) == 1
