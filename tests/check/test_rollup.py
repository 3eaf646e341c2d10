"""Findings in five dimensions."""

import pytest

from fieldloop.check import BATCH_CHECKS, CHECKS
from fieldloop.check.dimension import find_check_dimension, find_topic_dimension
from fieldloop.check.rollup import sum_up_by_dimension
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import NO_SUBJECT
from fieldloop.model.quality import Dimension
from fieldloop.say import write_sentence

EVERY = {**CHECKS, **BATCH_CHECKS}


def finding(name, status, cost=0.3):
    return Finding(name, NO_SUBJECT, status, 2.0, None, 1.0, "1", cost=cost, required=False)


def episodes(*statuses):
    return [EpisodeReport(str(i), str(i), s, (finding("timing.longest_gap", s),)) for i, s in enumerate(statuses)]


def by_dimension(reports, dataset=()):
    return {result.dimension: result for result in sum_up_by_dimension(reports, dataset)}


def test_every_dimension_answers_even_without_evidence():
    results = by_dimension([])
    assert set(results) == set(Dimension)
    for result in results.values():
        assert result.status is Status.CANNOT_TELL
        assert result.share is None
        assert result.sentence.code == "check.dimension_no_evidence"


def test_shares_are_of_episodes_that_passed_or_failed():
    statuses = [Status.PASSED] * 85 + [Status.FAILED] * 15 + [Status.CANNOT_TELL] * 7 + [Status.NOT_APPLICABLE] * 3
    result = by_dimension(episodes(*statuses))[Dimension.SENSOR_FIDELITY]
    assert result.share == 0.85
    assert (result.low, result.high) == pytest.approx((0.7672, 0.9069), abs=1e-4)  # Wilson, as published
    assert result.episodes == {
        Status.PASSED: 85, Status.FAILED: 15, Status.CANNOT_TELL: 7, Status.NOT_APPLICABLE: 3,
    }  # fmt: skip
    assert result.status is Status.FAILED
    assert (
        write_sentence(result.sentence) == "85 % of 100 episodes pass (77 % to 91 %). 7 episodes could not be judged."
    )


def test_the_dearest_findings_are_shown_a_check_once():
    black = [finding("vision.black", Status.FAILED, 0.9) for _ in range(3)]
    found = (*black, finding("timing.longest_gap", Status.FAILED, 0.2))
    result = by_dimension([EpisodeReport("e", "e", Status.FAILED, found)])[Dimension.SENSOR_FIDELITY]
    assert [f.check for f in result.worst] == ["vision.black", "timing.longest_gap"]


def test_the_dataset_counts_in_its_own_dimension():
    dataset = (finding("batch.reproducibility", Status.FAILED), finding("corpus.duplicates", Status.PASSED))
    results = by_dimension([], dataset)
    assert results[Dimension.REPRODUCIBILITY].status is Status.FAILED
    about_dataset = results[Dimension.REPRODUCIBILITY].sentence
    assert (about_dataset.code, about_dataset["failed"]) == ("check.dimension_dataset", 1)
    assert results[Dimension.TASK_COVERAGE].status is Status.PASSED
    assert results[Dimension.TASK_COVERAGE].sentence["passed"] == 1
    beside = by_dimension(episodes(Status.PASSED), (finding("batch.calibration_shift", Status.FAILED),))
    (whole,) = beside[Dimension.SENSOR_FIDELITY].sentence.details
    assert (whole.code, whole["wrong"]) == ("check.dimension_whole", 1)


@pytest.mark.parametrize("name", EVERY)
def test_every_check_has_a_dimension(name):
    assert find_check_dimension(EVERY[name]) in Dimension


def test_a_check_from_outside_counts_for_the_task():
    assert find_topic_dimension("house.rule") is Dimension.TASK_COVERAGE
