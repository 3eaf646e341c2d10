"""Numbers beyond those that were demonstrated: by the number itself, however it is rounded for display."""

import dataclasses

import numpy as np
import pytest
from tests.diagnose.planted import SETTINGS, detail, explain, roles
from tests.diagnose.test_diagnose import many

from fieldloop.diagnose import Demonstrations, Evidence
from fieldloop.diagnose.chain import Chain
from fieldloop.diagnose.explanations.explanation import Kind
from fieldloop.diagnose.explanations.lacking import condition_explanations
from fieldloop.diagnose.explanations.numbers import number_explanations
from fieldloop.diagnose.inference.table import tabulate
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.policy import Stage
from fieldloop.say import write_sentence


def lit(outcomes, values):
    return [dataclasses.replace(o, facts=(("lux", float(v)),)) for o, v in zip(outcomes, values, strict=True)]


def shown_up_to(most):
    return dataclasses.replace(Demonstrations.counted({Stratum.of(bin="front"): 90}), ranges={"lux": (100.0, most)})


@pytest.mark.parametrize("most", [812.30, 812.34, 812.349999, 812.35, 812.37])
def test_the_cut_where_demonstrations_end_is_kept_whatever_its_text(most):
    # in no order: a number that rises steadily within the only robot would be a counter
    values = np.random.default_rng(0).permutation(
        [*np.linspace(200.0, most, 80), *np.linspace(most + 0.001, 900.0, 40)]
    )
    before = tabulate(lit(many(90, 100, stage=Stage.GATE), np.linspace(200.0, 800.0, 100)))
    after = tabulate(lit(many(90, 120), values))
    shown = shown_up_to(most)
    every = number_explanations(before, after, shown, roles(before, after, shown), SETTINGS)
    found = [one for one in every if one.kind is Kind.STEP]
    assert any(np.array_equal(one.inside, values > most) for one in found)
    assert not any((one.inside & (values <= most)).any() for one in found)
    assert all(one.never_covered for one in found)


def test_a_level_in_words_that_reads_like_a_cut_is_a_level():
    shown = dataclasses.replace(
        Demonstrations.counted({Stratum.of(temperature="above freezing"): 90}), ranges={"temperature": (1.0, 20.0)}
    )
    sides = [tabulate(many(50, 60, stage=s, temperature="above freezing")) for s in (Stage.GATE, Stage.PRODUCTION)]
    every = condition_explanations(*sides, shown, roles(*sides, shown), SETTINGS)
    assert not [one for one in every if "freezing" in str(one.stratum)]


def test_a_cue_a_little_beyond_all_that_was_seen_is_written_with_its_digits():
    dark = lit(many(20, 100, bin="side"), np.full(100, 812.34))
    fine = [dataclasses.replace(o, id=f"f{o.id}") for o in lit(many(90, 100, bin="front"), np.full(100, 500.0))]
    baseline = many(95, 100, stage=Stage.GATE, bin="front")
    found = explain(Evidence("p", "", baseline, (*dark, *fine), shown_up_to(812.3)))
    failure = next(f for f in found.failures if f.stratum.level("bin") == "side")
    assert failure.asked[1].status is Status.FAILED
    assert write_sentence(detail(failure.asked[1].answer, "value_outside")) == "lux is 812.34, outside 100 to 812.3."


def test_limits_of_priors_are_settings():
    pair = Stratum.of(bin="side", lighting="dim")
    alone = {Stratum.of(bin="side", lighting="lab"): 30, Stratum.of(bin="front", lighting="dim"): 30}
    shown = Demonstrations.counted({**alone, Stratum.of(bin="front", lighting="lab"): 30, pair: 4})
    assert shown.lacks(pair, 5.0, 12.0)  # 34 of 94 twice: 12.3 are due
    assert not shown.lacks(pair, 5.0, 13.0)
    simulated = Demonstrations.counted(
        {Stratum.of(bin="side"): 10, Stratum.of(bin="front"): 90}, {Stratum.of(bin="side"): 9}
    )
    assert simulated.mostly_simulated(Stratum.of(bin="side"), 0.6, 3.0)
    assert not simulated.mostly_simulated(Stratum.of(bin="side"), 0.6, 10.0)
    chain = Chain(first=0.2, last=0.5, score=4.0, attempts=90, moved=None)
    assert chain.loses_precision(SETTINGS)
    assert not chain.loses_precision(SETTINGS.replace_values(chain_growth=3.0))
