"""Coded rows give the answer of all rows: evidence against dense matrices, and whole diagnoses both ways."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.diagnose.planted import SETTINGS, World, draw, explain

from fieldloop.diagnose.explanations.explanation import Kind
from fieldloop.diagnose.inference import coding
from fieldloop.diagnose.inference.columns import uncoded
from fieldloop.diagnose.inference.correlated import Correlated
from fieldloop.diagnose.inference.laplace import EDGE, LEAST_DAY
from fieldloop.diagnose.inference.member_costs import MemberCosts
from fieldloop.diagnose.inference.number_columns import code_by_number
from fieldloop.diagnose.inference.strengths import Ramp, unpack
from fieldloop.diagnose.inquiry import inquire
from fieldloop.model.diagnosis import Gap

WORLDS = [
    World((), episodes=3000),
    World((Gap.HARDWARE,), episodes=3000),
    World((Gap.ENVIRONMENT, Gap.INFRASTRUCTURE), episodes=4000),
    World((Gap.EDGE_CASES, Gap.CONDITIONS), episodes=2000, changed=True),
    World((Gap.LABELS, Gap.TIMING), episodes=2000),
]


@pytest.fixture(params=[1, 10**9], ids=["coded", "dense"])
def rows_coded_from(request, monkeypatch):
    monkeypatch.setattr(coding, "FEWEST_ROWS", request.param)


def code_from(monkeypatch, fewest):
    monkeypatch.setattr(coding, "FEWEST_ROWS", fewest)


def dense_evidence(sets, members, fit):
    """The log evidence at the mode, from one matrix of all columns and one of all days."""
    inherent, chosen = sets.inherent, list(members)
    columns = np.column_stack([inherent.columns.unpack(), *(sets.explanations[m].rows * 1.0 for m in chosen)])
    apart = np.append(np.zeros(inherent.columns.size, bool), sets.multiplicative[chosen])
    days = np.eye(sets.model.days)[sets.model.day]
    spread = np.append(inherent.spread, sets.spread[chosen])
    mean = np.append(inherent.mean, sets.prior_mean[chosen])
    day_spread = max(inherent.day_spread, LEAST_DAY)
    odds = columns[:, ~apart] @ fit.coefficients[~apart] + days @ fit.days
    easy = np.clip(1.0 / (1.0 + np.exp(-odds)), EDGE, 1.0 - EDGE)
    rates = np.clip(easy * np.exp(columns[:, apart] @ fit.coefficients[apart]), EDGE, 1.0 - EDGE)
    good = inherent.success
    log_posterior = good @ np.log(rates) + (1.0 - good) @ np.log(1.0 - rates)
    log_posterior -= (
        0.5 * (((fit.coefficients - mean) / spread) ** 2).sum() + 0.5 * ((fit.days / day_spread) ** 2).sum()
    )
    acting = np.column_stack([columns * np.where(apart, 1.0, (1.0 - easy)[:, None]), days * (1.0 - easy)[:, None]])
    curvature = acting.T @ (acting * (rates / (1.0 - rates))[:, None])
    every = np.append(spread, np.full(sets.model.days, day_spread))
    curvature += np.diag(every**-2.0)
    return log_posterior - 0.5 * np.linalg.slogdet(curvature)[1] - np.log(every).sum()


@pytest.mark.usefixtures("rows_coded_from")
@pytest.mark.parametrize("seed", range(3))
def test_the_evidence_is_that_of_dense_matrices(seed):
    inquiry = inquire(draw(WORLDS[2], seed), SETTINGS)
    visited = [one for one in inquiry.sets.visited.values() if one]
    assert max(len(one.members) for one in visited) > 1
    for one in visited:
        assert one.fit.evidence == pytest.approx(dense_evidence(inquiry.sets, one.members, one.fit), abs=1e-6)


def numbers_of(value):
    """All numbers and texts of a noun, in their order."""
    if dataclasses.is_dataclass(value):
        return [one for field in dataclasses.fields(value) for one in numbers_of(getattr(value, field.name))]
    if isinstance(value, tuple | list):
        return [one for part in value for one in numbers_of(part)]
    return [value]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: "-".join(world.faults) or "nothing")
@pytest.mark.parametrize("seed", [11, 12])
def test_a_diagnosis_of_coded_rows_is_that_of_dense_ones(world, seed, monkeypatch):
    answers = []
    for fewest in (1, 10**9):
        code_from(monkeypatch, fewest)
        answers.append(numbers_of(dataclasses.replace(explain(draw(world, seed)), id="", made_ns=0)))
    coded, dense = answers
    assert [one for one in coded if not isinstance(one, float)] == [one for one in dense if not isinstance(one, float)]
    floats = [np.array([one for one in answer if isinstance(one, float)]) for answer in answers]
    assert floats[0] == pytest.approx(floats[1], abs=1e-6)


def test_sets_are_visited_with_the_same_scores(monkeypatch):
    found = []
    for fewest in (1, 10**9):
        code_from(monkeypatch, fewest)
        sets = inquire(draw(WORLDS[3], 5), SETTINGS).sets
        found.append({members: one and one.score for members, one in sets.visited.items()})
    assert found[0] == {members: score and pytest.approx(score, abs=1e-6) for members, score in found[1].items()}


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(0, 3))
def test_sums_over_patterns_are_sums_over_rows(seed, count, plain):
    chance = np.random.default_rng(seed)
    rows = 5000
    made = (chance.random((rows, count)) < chance.random(count)) * chance.choice([1.0, 0.5], count)
    made = np.column_stack([made, chance.random((rows, plain))])
    made = made[:, chance.permutation(made.shape[1])]
    weights, effects = chance.normal(size=rows), chance.normal(size=made.shape[1])
    coded, dense = coding.code_columns(rows, made.shape[1], enumerate(made.T)), uncoded(made)
    assert coded.plain.shape[1] == plain
    assert coded.unpack() == pytest.approx(made)
    assert coded @ effects == pytest.approx(made @ effects)
    assert coded.sum(weights) == pytest.approx(weights @ made)
    assert coded.squares(weights) == pytest.approx(weights @ made**2)
    for one, other in ((coded, coded), (coded, dense), (dense, coded), (dense, dense)):
        assert one.products(other, weights) == pytest.approx(made.T @ (made * weights[:, None]), abs=1e-9)
    some = chance.permutation(made.shape[1])[: 1 + count // 2].tolist()
    assert coded.take(some).among(slice(100, 300)).unpack() == pytest.approx(made[100:300, some])
    alike = np.nan_to_num(np.corrcoef(made, rowvar=False).reshape(made.shape[1], -1)[:, some])
    varied = made.std(axis=0) > 0.0
    assert Correlated(coded).correlate(some)[varied] == pytest.approx(alike[varied], abs=1e-9)


@pytest.mark.parametrize("digits", [0, 2, 12])
def test_rises_of_a_number_are_coded_as_lines(digits):
    chance = np.random.default_rng(digits)
    values = np.round(chance.normal(20.0, 5.0, 3000), digits)
    values[chance.random(3000) < 0.1] = np.nan
    columns = [
        unpack(Ramp(values, start, sign, far)) for start in (12.0, 20.0, 21.5) for sign in (1, -1) for far in (3, 9)
    ]
    columns += [values > 22.0, values <= 17.0, np.nan_to_num(values) ** 2]  # the last is not a line
    block = code_by_number(values, enumerate(columns))
    assert block.at.tolist() == list(range(14))
    assert len(block.patterns) < 80
    assert block.unpack() == pytest.approx(np.column_stack(columns[:-1]), abs=1e-9)
    weights = chance.normal(size=3000)
    assert block.sum(weights) == pytest.approx(weights @ np.column_stack(columns[:-1]))
    assert block.squares(weights) == pytest.approx(weights @ np.column_stack(columns[:-1]) ** 2)


def test_some_rows_stand_for_all_in_how_costs_change():
    """Costs at the mode are those of all rows; an error further off is small beside the interval."""
    inquiry = inquire(draw(World((Gap.HARDWARE,), episodes=6000), 3), SETTINGS)
    sets, best = inquiry.sets, inquiry.best
    every = MemberCosts(sets, best, sets.inherent.production)
    sets.settings = SETTINGS.replace_values(share_rows=1500)
    some = MemberCosts(sets, best, sets.inherent.production)
    mode = best.fit.coefficients
    assert some.cost(mode) == pytest.approx(every.cost(mode), abs=1e-12)
    errors = np.sqrt(np.diag(best.fit.covariance))
    moved = every.cost(mode + errors) - every.cost(mode)
    assert some.cost(mode + errors) == pytest.approx(every.cost(mode + errors), abs=0.1 * np.abs(moved).max())


def test_explanations_keep_their_rows_in_bits():
    inquiry = inquire(draw(World(episodes=300, trials=200), 5), SETTINGS)
    for one in inquiry.sets.explanations:
        assert (one.rows[200:] > 0).tolist() == one.inside.tolist() or one.kind is Kind.GROWTH
