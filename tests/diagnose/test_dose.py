"""What was measured can cost what its size can cost: a small lag beside an ordinary loss is not its cause."""

import dataclasses

import numpy as np
import pytest
from tests.diagnose.planted import DAY, SETTINGS, explain, remarks, stated
from tests.diagnose.test_no_false_blame import bins, sides, steadily

from fieldloop.diagnose import Demonstrations, Evidence
from fieldloop.diagnose.explanations.dose import label_points, lag_points, latency_points, loss_of_points
from fieldloop.model.agreement import Agreement
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Lag
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage


def test_doses_are_those_of_the_ablation_and_grow():
    assert [round(lag_points(ms, SETTINGS), 1) for ms in (10, 20, 60, -60, 100)] == [0.0, 0.0, 1.9, 1.9, 6.5]
    assert latency_points(100.0, SETTINGS) == pytest.approx(9.2)
    assert label_points(100.0 / 33.3, SETTINGS) == pytest.approx(3.7)
    beyond = [lag_points(ms, SETTINGS) for ms in range(0, 400, 20)]
    assert beyond == sorted(beyond)
    large, small = loss_of_points(6.5, SETTINGS), loss_of_points(1.9, SETTINGS)
    assert large.mean > 3 * small.mean > 0.0
    assert loss_of_points(400.0, SETTINGS).mean < 10.0


LAG = (Lag("r0", "wrist", 60.0, 57.0, 63.0, 60),)
KAPPA = (Agreement(("anna", "ben"), 80, 0.6, 2.0, 0),)


@pytest.mark.parametrize("after", [0.80, 0.76])
@pytest.mark.parametrize(("lags", "agreements"), [(LAG, ()), ((), KAPPA), (LAG, KAPPA)])
@pytest.mark.parametrize("seed", range(2))
def test_a_harmless_finding_beside_an_ordinary_loss_is_not_its_cause(seed, after, lags, agreements):
    made = sides(seed, steadily(0.84, after), bins)
    found = explain(Evidence("p", "", *made, lags=lags, agreements=agreements))
    assert found.status is not Status.FAILED
    assert all(c.share < 0.7 for c in found.causes if c.gap in (Gap.TIMING, Gap.LABELS))


@pytest.mark.parametrize("lags", [LAG, ()])
def test_a_harmless_finding_takes_little_from_a_real_cause(lags):
    def where(chance):
        return {"lighting": str(chance.choice(["lab", "dim"], p=[0.6, 0.4]))}

    def rate(stage, levels):
        return 0.5 if levels["lighting"] == "dim" and stage is Stage.PRODUCTION else 0.86

    before, after = sides(3, rate, where)
    lab = tuple(dataclasses.replace(o, stratum=Stratum.of(lighting="lab")) for o in before)
    shown = Demonstrations.counted({Stratum.of(lighting="lab"): 400})
    found = explain(Evidence("p", "", lab, after, shown, lags=lags, agreements=KAPPA if lags else ()))
    assert (found.status, found.causes[0].gap) == (Status.FAILED, Gap.ENVIRONMENT)
    assert sum(c.share for c in found.causes if c.gap in (Gap.TIMING, Gap.LABELS)) < 0.15


@pytest.mark.parametrize("seed", range(2))
def test_a_large_lag_is_still_the_cause(seed):
    lags = (Lag("r0", "wrist", 180.0, 177.0, 183.0, 60),)
    found = explain(Evidence("p", "", *sides(seed, steadily(0.86, 0.66), bins), lags=lags))
    assert (found.status, found.causes[0].gap) == (Status.FAILED, Gap.TIMING)
    assert "dose_costs" in stated(found.causes[0].evidence)


def at_sites(seed, lost, count=1200):
    """Two demonstrated sites; `lost` says by how much success falls at one of them, on a day of twenty."""
    chance, made = np.random.default_rng(seed), []
    for stage, size in ((Stage.LAB, count // 2), (Stage.PRODUCTION, count)):
        side = []
        for k in range(size):
            site, day = str(chance.choice(["east", "west"])), k * 20 // size
            rate = 0.88 - (lost(site, day) if stage is Stage.PRODUCTION else 0.0)
            good = bool(chance.random() < rate)
            side.append(
                Outcome(f"{stage}{k}", "p", Stratum(), stage, site, f"{site}-{k % 2}", k * 20 * DAY // size, good, "j")
            )
        made.append(tuple(side))
    shown = Demonstrations.counted({Stratum.of(site=site): 200 for site in ("east", "west")})
    return Evidence("p", "", *made, shown)


def test_the_lag_of_one_rig_belongs_to_its_site():
    lags = tuple(Lag(site, "wrist", ms, ms - 3.0, ms + 3.0, 60) for site, ms in (("east", 1.0), ("west", 180.0)))
    found = explain(dataclasses.replace(at_sites(1, lambda site, _: 0.22 * (site == "west")), lags=lags))
    assert (found.causes[0].gap, found.causes[0].stratum) == (Gap.TIMING, Stratum.of(site="west"))
    assert found.causes[0].episodes < 800
    elsewhere = explain(dataclasses.replace(at_sites(1, lambda site, _: 0.22 * (site == "east")), lags=lags))
    assert elsewhere.sum_gap_shares(Gap.TIMING) < 0.2


@pytest.mark.parametrize("seed", range(3))
def test_a_decline_of_everything_that_nothing_logged_explains_is_unknown_with_candidates(seed):
    found = explain(at_sites(seed, lambda _, day: 0.025 * day))
    assert found.status is Status.CANNOT_TELL
    assert {c.gap for c in found.causes} == {Gap.UNKNOWN}
    assert [c.fix.code for c in found.causes] == ["diagnose.fix_decline"]
    assert not found.sum_gap_shares(Gap.HARDWARE)


@pytest.mark.parametrize("seed", range(3))
def test_a_site_that_was_never_demonstrated_precedes_the_only_robot_that_stands_there(seed):
    chance, made = np.random.default_rng(seed), []
    rates = {"lab": 0.97, "leipzig": 0.7, "gdansk": 0.1}
    for stage, places, size in ((Stage.LAB, ["lab"], 100), (Stage.PRODUCTION, ["leipzig", "gdansk"], 360)):
        drawn = chance.choice(places, size).tolist()
        made.append(
            tuple(
                Outcome(
                    f"{stage}{k}", "p", Stratum(), stage, site, f"arm-{site}-1", k * 7 * DAY // size,
                    bool(chance.random() < rates[site]), "j",
                )
                for k, site in enumerate(drawn)
            )
        )  # fmt: skip
    found = explain(Evidence("p", "", *made, Demonstrations.counted({Stratum.of(site="lab"): 300})))
    first = found.causes[0]
    assert (first.gap, first.stratum, first.never_covered) == (Gap.ENVIRONMENT, Stratum.of(site="gdansk"), True)
    assert Stratum.of(robot="arm-gdansk-1") in first.group
    assert remarks(found, "always_together")
