"""Agreement as a vector: cases worked out by hand, and three annotators of whom the report names what is wrong."""

import numpy as np
import pytest
from tests.annotate.labelled import HZ, annotate_group

from fieldloop.annotate.agreeing import AgreementLimits, compare_all_authors
from fieldloop.errors import BadInput
from fieldloop.model.agreement import EDGE_CASES, Remedy
from fieldloop.model.annotation import Annotation
from fieldloop.model.finding import Status
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

LIMITS = AgreementLimits(0.8, 3.0)
SETTINGS = default_operations()["agree"]
FAST = SETTINGS.replace_values(draws=60, gamma_samples=4, gamma_episodes=4)
SECOND = 10**9


def spans(author, *rows, episode="e1", kind="phase"):
    return [Annotation(episode, kind, label, round(a * SECOND), round(b * SECOND), author) for label, a, b in rows]


def compare(annotations, settings=FAST, **more):
    return compare_all_authors(annotations, HZ, LIMITS, settings, **more)


def test_a_vector_by_hand():
    ann = spans("ann", ("reach", 0, 1), ("grasp", 1, 2), ("lift", 2, 3))
    ben = spans("ben", ("reach", 0, 1.1), ("grasp", 1.1, 2), ("move", 2, 3))
    (vector,) = compare(ann + ben).vectors
    # time: reach 1.0, reach/grasp 0.1, grasp 0.9, lift/move 1.0 of 3 s
    seen, chance = 1.9 / 3, (1 * 1.1 + 1 * 0.9) / 9
    assert vector.kappa.value == pytest.approx((seen - chance) / (1 - chance))
    # reach→grasp 3 frames late, grasp→lift and grasp→move 0; start and end are borders
    assert vector.boundary_mae_frames.value == pytest.approx(1.5)
    assert vector.boundary_bias_frames.value == pytest.approx(1.5)
    assert vector.boundary_f1.value == 1.0
    # intersection over union: reach 1 / 1.1, grasp 0.9 / 1, lift and move differ
    assert [vector.f1_10.value, vector.f1_50.value, vector.f1_90.value] == pytest.approx([2 / 3] * 3)
    assert vector.edit.value == pytest.approx(2 / 3)
    assert (vector.episodes, vector.segments) == (1, 6)
    assert vector.kappa.low is None  # one episode bounds nothing
    assert (vector.status, vector.reason.code) == (Status.CANNOT_TELL, "agree.too_few_episodes")


def test_what_is_undefined_is_none_never_zero_or_one():
    (vector,) = compare(spans("ann", ("reach", 0, 1)) + spans("ben", ("reach", 0, 1))).vectors
    assert vector.kappa.value is None
    assert vector.boundary_mae_frames.value is None
    assert vector.boundary_bias_frames.value is None
    assert (vector.f1_50.value, vector.edit.value) == (1.0, 1.0)


def test_three_annotators_and_everything_that_is_wrong_with_them():
    rng = np.random.default_rng(11)
    group = annotate_group(
        rng, ("ann", "ben", "cho"), 30, late={"ben": 5}.items(), confuses={"cho": ("pinch", "power")}.items(),
        ambiguous=(5,),
    )  # fmt: skip
    report = compare(group)
    named = {(f.remedy, f.authors, f.labels) for f in report.findings}
    assert named == {
        (Remedy.RETRAIN, ("ben",), ()),
        (Remedy.RETRAIN, ("cho",), ("pinch", "power")),
        (Remedy.TAXONOMY, ("ann", "ben", "cho"), ("transport", "place")),
    }
    (late,) = [f for f in report.findings if f.authors == ("ben",)]
    assert late.kinds == ("phase", "grasp")  # one habit, one finding
    assert late.says["frames"] == pytest.approx(5, abs=0.5)
    people = {(p.kind, p.author): p for p in report.people}
    assert people["phase", "ben"].bias_frames == pytest.approx(5, abs=0.7)
    assert abs(people["phase", "ann"].bias_frames) < 0.7
    assert people["grasp", "cho"].others_kappa > people["grasp", "cho"].kappa + 0.2
    assert report.boundaries[0].name == "transport → place"
    assert report.confused[0].labels == ("pinch", "power")
    assert report.status is Status.FAILED
    assert all(" " in write_sentence(f.says) and "agree." not in write_sentence(f.says) for f in report.findings)


def test_an_annotator_who_leaves_out_segments_is_named():
    rng = np.random.default_rng(3)
    report = compare(annotate_group(rng, ("ann", "ben", "cho"), 20, skips=("ann",)))
    assert [(f.says.code, f.authors) for f in report.findings if f.kinds == ("phase",)] == [
        ("agree.author_lacking", ("ann",))
    ]


def test_with_two_annotators_it_stays_open_who_is_right():
    rng = np.random.default_rng(5)
    report = compare(annotate_group(rng, ("ann", "ben"), 15, late={"ben": 6}.items()))
    assert {(f.remedy, f.says.code) for f in report.findings} == {(Remedy.OPEN, "agree.two_differ_in_time")}


@pytest.mark.parametrize("seed", range(4))
def test_honest_jitter_blames_no_annotator(seed):
    rng = np.random.default_rng([7, seed])
    report = compare(annotate_group(rng, ("ann", "ben", "cho"), 12, jitter=2.0))
    assert report.findings == ()
    assert {v.status for v in report.vectors} <= {Status.PASSED, Status.CANNOT_TELL}


def test_edge_cases_and_conditions_are_judged_alone():
    rng = np.random.default_rng(9)
    easy = annotate_group(rng, ("ann", "ben"), 30, jitter=0.5)
    hard = annotate_group(rng, ("ann", "ben"), 8, jitter=8.0)
    hard = [Annotation(f"hard-{a.episode}", a.kind, a.label, a.start_ns, a.end_ns, a.author) for a in hard]
    rare = frozenset(a.episode for a in hard)
    report = compare(easy + hard, slices={EDGE_CASES: rare, "bin=front": frozenset({"e1", "e2"})})
    parts = {(v.slice, v.kind): v for v in report.slices}
    assert parts[EDGE_CASES, "phase"].status is Status.FAILED
    assert parts[EDGE_CASES, "phase"].boundary_mae_frames.low > 3
    assert parts["bin=front", "phase"].status is Status.CANNOT_TELL
    assert report.vectors[0].kappa.value > 0.9  # the easy ones hide them
    assert report.status is Status.FAILED  # the slice of edge cases must pass too


def test_each_pair_and_any_number_of_authors():
    rng = np.random.default_rng(2)
    report = compare(annotate_group(rng, ("a", "b", "c", "d"), 6))
    assert len([v for v in report.pairs if v.kind == "phase"]) == 6
    assert report.vectors[0].boundary_bias_frames.value is None  # a direction takes two
    assert 0.9 < report.vectors[0].gamma.value <= 1


def test_parts_of_actions_are_compared_apart_and_objects_each_by_itself():
    both = []
    for who, late in (("ann", 0.0), ("ben", 0.2)):
        both += spans(who, ("pick", 0, 9), ("grasp", 2 + late, 4), kind="action")
        both += [Annotation("e1", "object", "tote", 0, 9 * SECOND, who, object=f"tote-{n}") for n in (1, 2)]
    report = compare(both)
    assert [v.kind for v in report.vectors] == ["action", "object", "action parts"]
    assert report.vectors[2].boundary_mae_frames.value == pytest.approx(6)  # the ends agree: a border
    assert report.vectors[1].kappa.value is None  # objects overlap, so no moment has one label


def test_an_episode_where_one_saw_no_recovery_counts_against():
    rows = [("reach", 0, 1), ("grasp", 1, 2)]
    both = []
    for n in range(6):
        both += spans("ann", *rows, episode=f"e{n}") + spans("ben", *rows, episode=f"e{n}")
    both += spans("ann", ("regrasp", 1, 1.5), episode="e1", kind="recovery")
    both += spans("ann", ("regrasp", 1, 1.5), episode="e2", kind="recovery")
    both += spans("ben", ("regrasp", 1, 1.5), episode="e2", kind="recovery")
    recovery = next(v for v in compare(both).vectors if v.kind == "recovery")
    assert recovery.episodes == 2
    assert recovery.f1_50.value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("annotations", "says"),
    [
        (spans("ann", ("a", 0, 1)), "No two authors"),
        (spans("ann", ("a", 0, 1)) + spans("ben", ("a", 0, 1), episode="e2"), "No two authors"),
        (spans("ann", ("a", 2, 1)) + spans("ben", ("a", 0, 1)), "ann: 'a' of e1 ends before it begins"),
        (spans("ann", ("a", 0, 2), ("b", 1, 3)) + spans("ben", ("a", 0, 1)), "'b' of e1 begins before 'a' has ended"),
    ],
)
def test_what_cannot_be_compared_is_refused(annotations, says):
    with pytest.raises(BadInput, match=says):
        compare(annotations)
    with pytest.raises(BadInput, match="not a valid frame rate"):
        compare_all_authors(annotations, 0.0, LIMITS, SETTINGS)
