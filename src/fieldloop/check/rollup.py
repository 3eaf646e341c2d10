"""Findings summed up in five dimensions of data quality."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from fieldloop.check import BATCH_CHECKS, CHECKS
from fieldloop.check.dimension import dimension_of, topic_dimension
from fieldloop.model.finding import EpisodeReport, Finding, Status, excess, worst
from fieldloop.model.note import Note, note
from fieldloop.model.quality import Dimension, DimensionResult
from fieldloop.stats.binomial import interval

MOST_SHOWN = 5  # findings in a summary
BAD = (Status.FAILED, Status.ERRORED)


def roll_up(reports: Iterable[EpisodeReport], dataset: Sequence[Finding] = ()) -> tuple[DimensionResult, ...]:
    """Sum up all findings, about episodes and about the dataset as a whole, by dimension."""
    listed, whole = [_group_by_dimension(report.findings) for report in reports], _group_by_dimension(dataset)
    return tuple(_result(each, [findings[each] for findings in listed], whole[each]) for each in Dimension)


def _group_by_dimension(findings: Iterable[Finding]) -> dict[Dimension, tuple[Finding, ...]]:
    """Group findings by dimension, in their order."""
    by_dimension: dict[Dimension, list[Finding]] = {each: [] for each in Dimension}
    for finding in findings:
        by_dimension[_dimension(finding.check)].append(finding)
    return {each: tuple(own) for each, own in by_dimension.items()}


@cache
def _dimension(name: str) -> Dimension:
    """Return the dimension of a finding: that of its check, or by topic for a check from outside."""
    check = CHECKS.get(name) or BATCH_CHECKS.get(name)
    return dimension_of(check) if check else topic_dimension(name)


def _result(each: Dimension, by_episode: Sequence[tuple[Finding, ...]], whole: tuple[Finding, ...]) -> DimensionResult:
    episodes = Counter(_status(findings) for findings in by_episode)
    dataset = Counter(f.status for f in whole)
    passed, failed = episodes[Status.PASSED], sum(episodes[status] for status in BAD)
    low, high = interval(passed, passed + failed)
    everything = (*(f for findings in by_episode for f in findings), *whole)
    status = worst(everything)
    shown = _worst(everything)
    share = passed / (passed + failed) if passed + failed else None
    return DimensionResult(
        each, status, dict(episodes), share, low, high, dict(dataset), shown,
        _sentence(episodes, dataset, share, low, high),
    )  # fmt: skip


def _status(findings: tuple[Finding, ...]) -> Status:
    """Return an episode's status in the dimension; NOT_APPLICABLE where no check of it applies."""
    if all(f.status is Status.NOT_APPLICABLE for f in findings):
        return Status.NOT_APPLICABLE
    return worst(findings)


def _worst(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    first: dict[str, Finding] = {}
    for finding in sorted((f for f in findings if f.status in BAD), key=lambda f: (-f.cost, -excess(f))):
        first.setdefault(finding.check, finding)
    return tuple(first.values())[:MOST_SHOWN]


def _sentence(
    episodes: Counter[Status], dataset: Counter[Status], share: float | None, low: float, high: float
) -> Note:
    wrong, unclear = sum(dataset[status] for status in BAD), episodes[Status.CANNOT_TELL]
    open_ = (note("check.dimension_unclear", episodes=unclear),) if unclear else ()
    if share is None:
        return replace(_about_dataset(dataset), details=open_)
    judged = sum(episodes[status] for status in (Status.PASSED, *BAD))
    whole = (note("check.dimension_whole", wrong=wrong),) if wrong else ()
    return note("check.dimension_pass", *open_, *whole, share=share, episodes=judged, low=low, high=high)


def _about_dataset(dataset: Counter[Status]) -> Note:
    """Sum up the checks of the dataset as a whole, where no episode was judged."""
    wrong, passed, unclear = sum(dataset[s] for s in BAD), dataset[Status.PASSED], dataset[Status.CANNOT_TELL]
    if not (wrong or passed or unclear):
        return note("check.dimension_no_evidence")
    return note("check.dimension_dataset", failed=wrong, passed=passed, unclear=unclear)
