"""Findings summed up in five dimensions of data quality."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from fieldloop.check import BATCH_CHECKS, CHECKS
from fieldloop.check.dimension import find_check_dimension, find_topic_dimension
from fieldloop.model.finding import EpisodeReport, Finding, Status, compute_limit_excess, find_worst_status
from fieldloop.model.note import Note, note
from fieldloop.model.quality import Dimension, DimensionResult
from fieldloop.stats.binomial import compute_wilson_interval

MOST_SHOWN = 5  # findings in a summary
BAD = (Status.FAILED, Status.ERRORED)


def sum_up_by_dimension(
    reports: Iterable[EpisodeReport], dataset_findings: Sequence[Finding] = ()
) -> tuple[DimensionResult, ...]:
    """Sum up all findings, about episodes and about the dataset as a whole, by dimension."""
    listed, whole = [_group_by_dimension(report.findings) for report in reports], _group_by_dimension(dataset_findings)
    return tuple(
        _make_dimension_result(each, [findings[each] for findings in listed], whole[each]) for each in Dimension
    )


def _group_by_dimension(findings: Iterable[Finding]) -> dict[Dimension, tuple[Finding, ...]]:
    """Group findings by dimension, in their order."""
    by_dimension: dict[Dimension, list[Finding]] = {each: [] for each in Dimension}
    for finding in findings:
        by_dimension[_find_finding_dimension(finding.check)].append(finding)
    return {each: tuple(own) for each, own in by_dimension.items()}


@cache
def _find_finding_dimension(check_name: str) -> Dimension:
    """Return the dimension of a finding: that of its check, or by topic for a check from outside."""
    check = CHECKS.get(check_name) or BATCH_CHECKS.get(check_name)
    return find_check_dimension(check) if check else find_topic_dimension(check_name)


def _make_dimension_result(
    dimension: Dimension, findings_by_episode: Sequence[tuple[Finding, ...]], dataset_findings: tuple[Finding, ...]
) -> DimensionResult:
    episodes = Counter(_judge_episode_dimension(findings) for findings in findings_by_episode)
    dataset = Counter(f.status for f in dataset_findings)
    passed, failed = episodes[Status.PASSED], sum(episodes[status] for status in BAD)
    low, high = compute_wilson_interval(passed, passed + failed)
    everything = (*(f for findings in findings_by_episode for f in findings), *dataset_findings)
    status = find_worst_status(everything)
    shown = _select_worst_findings(everything)
    share = passed / (passed + failed) if passed + failed else None
    return DimensionResult(
        dimension, status, dict(episodes), share, low, high, dict(dataset), shown,
        _note_dimension_result(episodes, dataset, share, low, high),
    )  # fmt: skip


def _judge_episode_dimension(findings: tuple[Finding, ...]) -> Status:
    """Return an episode's status in the dimension; NOT_APPLICABLE where no check of it applies."""
    if all(f.status is Status.NOT_APPLICABLE for f in findings):
        return Status.NOT_APPLICABLE
    return find_worst_status(findings)


def _select_worst_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    first: dict[str, Finding] = {}
    for finding in sorted((f for f in findings if f.status in BAD), key=lambda f: (-f.cost, -compute_limit_excess(f))):
        first.setdefault(finding.check, finding)
    return tuple(first.values())[:MOST_SHOWN]


def _note_dimension_result(
    episode_counts: Counter[Status], dataset_counts: Counter[Status], share: float | None, low: float, high: float
) -> Note:
    wrong, unclear = sum(dataset_counts[status] for status in BAD), episode_counts[Status.CANNOT_TELL]
    open_ = (note("check.dimension_unclear", episodes=unclear),) if unclear else ()
    if share is None:
        return replace(_note_dataset_result(dataset_counts), details=open_)
    judged = sum(episode_counts[status] for status in (Status.PASSED, *BAD))
    whole = (note("check.dimension_whole", wrong=wrong),) if wrong else ()
    return note("check.dimension_pass", *open_, *whole, share=share, episodes=judged, low=low, high=high)


def _note_dataset_result(dataset_counts: Counter[Status]) -> Note:
    """Sum up the checks of the dataset as a whole, where no episode was judged."""
    wrong, passed, unclear = (
        sum(dataset_counts[s] for s in BAD),
        dataset_counts[Status.PASSED],
        dataset_counts[Status.CANNOT_TELL],
    )
    if not (wrong or passed or unclear):
        return note("check.dimension_no_evidence")
    return note("check.dimension_dataset", failed=wrong, passed=passed, unclear=unclear)
