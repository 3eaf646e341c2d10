"""Two versions are compared by their trials: known verdicts, fair pairs, and weaknesses that are named."""

import dataclasses
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.evaluate import Compared, compare_versions, pair_attempts
from fieldloop.evaluate.boundary_in_force import find_boundary
from fieldloop.model.comparison import Question, Verdict
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence
from fieldloop.stats.sequential import Scenes

GATE = default_operations()["gate"]
SHORT = GATE.replace_values(compare_max_pairs=50)
BOTH = Compared("a", "b", "new", "old")
S = 1_000_000_000


def attempt(policy, number, succeeded, **changes):
    outcome = Outcome(
        f"{policy}{number:04d}", policy, Stratum.of(bin="front"), Stage.LAB, "hall", "arm-1", number * 60 * S,
        bool(succeeded), "anna",
    )  # fmt: skip
    return dataclasses.replace(outcome, **changes)


def arms(candidate, other, **changes):
    """Attempts that alternate: the candidate's, then the other's."""
    first = [attempt("a", 2 * n, won, **changes) for n, won in enumerate(candidate)]
    return first, [attempt("b", 2 * n + 1, won, **changes) for n, won in enumerate(other)]


def compare(first, second, question=Question.BETTER, section=GATE, scenes=MappingProxyType({}), **more):
    return compare_versions(pair_attempts(first, second, scenes), BOTH, question, section, **more)


def scenes_of(outcomes):
    return [dataclasses.replace(o, scenario=f"scene-{n}") for n, o in enumerate(outcomes)]


def test_a_version_that_always_succeeds_beats_one_that_never_does_after_a_few_pairs():
    found = compare(*arms([1] * 40, [0] * 40))
    assert (found.verdict, found.status) == (Verdict.BETTER, Status.PASSED)
    assert found.pairs < 10
    assert found.low >= 0
    assert found.unused == 80 - 2 * found.pairs, "what comes after the answer is not used"
    turned = compare(*arms([0] * 40, [1] * 40))
    assert (turned.verdict, turned.status, turned.pairs) == (Verdict.WORSE, Status.FAILED, found.pairs)


def test_the_answer_does_not_change_with_what_comes_later():
    first, second = arms([1] * 12 + [0] * 100, [0] * 12 + [1] * 100)
    assert compare(first, second) == dataclasses.replace(
        compare(first[:12], second[:12]), unused=compare(first, second).unused
    )


def test_the_first_complete_pair_fixes_the_kind_of_pairing():
    first, second = arms([1] * 6, [0] * 6)
    late = [attempt(p, 900 + n, 1, scenario="s") for n, p in enumerate("ab")]
    before, after = compare(first, second), compare([*first, late[0]], [*second, late[1]])
    assert (after.pairs, after.paired, after.difference) == (before.pairs, False, before.difference)
    named = [scenes_of(arm) for arm in (first, second)]
    plain = [attempt(p, 900 + n, 1) for n, p in enumerate("ab")]
    assert compare([*named[0], plain[0]], [*named[1], plain[1]]).paired


def test_a_result_that_becomes_unknown_moves_no_other_pair():
    first, second = arms([1, 0, 1, 0, 1], [1, 0, 1, 0, 1])
    whole = pair_attempts(first, second, {})
    first[1] = dataclasses.replace(first[1], succeeded=None)
    found = pair_attempts(first, second, {})
    assert found.pairs == tuple(p for n, p in enumerate(whole.pairs) if n != 1)
    assert found.alone == 1


def test_nothing_tried_tells_nothing():
    found = compare([], [])
    assert (found.verdict, found.status, found.pairs) == (Verdict.UNDECIDED, Status.CANNOT_TELL, 0)
    assert (found.difference, found.low, found.high) == (None, -1.0, 1.0)
    assert found.more_pairs == found.most_pairs == 200
    assert "partner" in write_sentence(found.message)


def test_a_few_pairs_need_more_and_state_how_many():
    found = compare(*arms([1, 1, 1, 0, 1, 1], [1, 0, 1, 1, 1, 0]))
    assert (found.verdict, found.status) == (Verdict.UNDECIDED, Status.CANNOT_TELL)
    assert 0 < found.more_pairs <= found.most_pairs == 194
    assert f"{found.more_pairs} more pairs are needed" in write_sentence(found.message)


@pytest.mark.parametrize(("question", "status"), [(Question.BETTER, Status.FAILED), (Question.DROPPED, Status.PASSED)])
def test_waiting_ends_where_no_difference_worth_waiting_for_is_left(question, status):
    rng = np.random.default_rng(1)
    wins = rng.permutation([1] * 190 + [0] * 10)
    found = compare(*arms(wins, np.roll(wins, 1)), question=question)
    assert found.verdict is Verdict.NO_DIFFERENCE
    assert found.status is status, "the interval leaves no room for ten points"
    few = compare(*arms(wins[:120] * ([1, 1, 0] * 40), wins[:120] * ([1, 0, 1] * 40)), question=question)
    assert few.verdict is Verdict.NO_DIFFERENCE
    assert few.status is Status.CANNOT_TELL, "ten points are still possible"


def test_waiting_ends_for_the_question_that_was_asked():
    """A candidate that looks better has hardly dropped, but a gain may be worth more pairs."""
    both = arms(([1] * 9 + [0]) * 8, ([1] * 4 + [0]) * 16)
    dropped, better = (compare(*both, question=question) for question in (Question.DROPPED, Question.BETTER))
    assert (dropped.verdict, better.verdict) == (Verdict.NO_DIFFERENCE, Verdict.UNDECIDED)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60), st.booleans())
def test_versions_that_change_places_get_the_opposite_verdict(results, named):
    first, second = arms([a for a, _ in results], [b for _, b in results])
    if named:
        first, second = scenes_of(first), scenes_of(second)
    found = compare(first, second, section=SHORT)
    turned = compare(
        [dataclasses.replace(o, policy="a", id=f"a{o.id}") for o in second],
        [dataclasses.replace(o, policy="b", id=f"b{o.id}") for o in first],
        question=Question.DROPPED, section=SHORT,
    )  # fmt: skip
    opposite = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
    assert turned.verdict is opposite.get(found.verdict, found.verdict)
    assert (turned.pairs, turned.more_pairs) == (found.pairs, found.more_pairs)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert found.paired == (named and bool(results))


def test_named_scenes_are_paired_whatever_the_order():
    first, second = arms([1, 0, 1, 0], [1, 0, 1, 0])
    first, second = scenes_of(first), scenes_of(second)[::-1]
    found = compare(first, second)
    assert (found.paired, found.pairs, found.candidate_only, found.other_only) == (True, 4, 0, 0)


def test_planned_scenes_are_paired_whatever_was_tried_first():
    first, second = arms([1, 0, 1, 0], [0, 1, 0, 1], scenario="base")
    scenes = {o.id: f"plan:{n}" for n, o in enumerate(first)} | {o.id: f"plan:{n ^ 1}" for n, o in enumerate(second)}
    found = compare(first, second, scenes=scenes)
    assert (found.pairs, found.candidate_only, found.other_only) == (4, 0, 0)
    in_order = compare(first, second)
    assert (in_order.candidate_only, in_order.other_only) == (2, 2)


def test_the_same_scene_needs_the_same_site_conditions_and_item():
    first, second = arms([1, 0], [1, 0], scenario="base")
    for changes in ({"site": "yard"}, {"stratum": Stratum.of(bin="back")}, {"item": "box"}, {"stage": Stage.GATE}):
        elsewhere = [dataclasses.replace(o, **changes) for o in second]
        found = compare(first, elsewhere)
        assert (found.pairs, found.unused) == (0, 4)


def test_attempts_without_a_scene_wait_where_both_versions_have_named_ones():
    first, second = arms([1, 0, 1], [1, 0, 0], scenario="base")
    loose, others = arms([0] * 5, [1] * 5, at_ns=9000 * S)
    assert compare([*first, *loose], [*second, *others]).pairs == 3


def test_shared_scenes_decide_earlier_than_chance_order():
    """Nine of ten scenes are easy or hard for both; in these, only the other version fails."""
    other = [1, 1, 0, 1, 0, 1, 1, 1, 1, 1] * 20
    candidate = [1, 1, 0, 1, 1, 1, 1, 1, 1, 1] * 20
    first, second = arms(candidate, other)
    apart, together = compare(first, second), compare(scenes_of(first), scenes_of(second))
    assert together.verdict is Verdict.BETTER
    assert together.pairs < apart.pairs


def test_an_intervention_is_not_a_success():
    first, second = arms([1] * 30, [0] * 30, interventions=1)
    assert compare(first, second).candidate_successes == 0


def names_of(found):
    return {one.code.removeprefix("evaluate.compare_") for one in found.weaknesses}


def test_alternating_arms_have_no_weakness():
    assert not compare(*arms([1, 0] * 20, [1, 0] * 20)).weaknesses


def test_one_version_after_the_other_is_a_weakness():
    first = [attempt("a", n, n % 2) for n in range(30)]
    second = [attempt("b", 5000 + n, n % 2) for n in range(30)]
    assert names_of(compare(first, second)) == {"apart"}
    assert names_of(compare(scenes_of(first), scenes_of(second))) == {"apart"}


def test_other_robots_judges_and_conditions_are_weaknesses():
    first, second = arms([1, 0] * 20, [1, 0] * 20)
    second = [dataclasses.replace(o, robot="arm-2", judged_by="ben", stratum=Stratum.of(bin="back")) for o in second]
    found = compare(first, second, unknown=3)
    assert names_of(found) == {"other_robots", "other_judges", "other_conditions", "unknown"}
    assert found.unknown == 3


def test_every_fact_has_a_sentence():
    first, second = arms([1, 0] * 20, [1, 0] * 20, robot="arm-1")
    for found in (compare(first, second), compare(scenes_of(first), scenes_of(second)), compare([], [])):
        for fact in (found.message, *found.weaknesses, *found.assumes):
            assert not write_sentence(fact).startswith("evaluate."), fact


def test_another_number_of_pairs_gets_its_own_boundary_or_a_reason():
    assert find_boundary(Scenes.PAIRED, 20, 0.05).max_pairs == 20
    assert compare(*arms([1] * 20, [0] * 20), section=GATE.replace_values(compare_max_pairs=20)).max_pairs == 20
    with pytest.raises(BadInput, match=r"compare_max_pairs = 700 .* Set one of \[50, 100, 200"):
        find_boundary(Scenes.PAIRED, 700, 0.05)
