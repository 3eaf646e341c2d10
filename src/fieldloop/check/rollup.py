"""All findings in five dimensions: what a dataset is good and bad at, in a sentence each."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from fieldloop.check.dimension import subject_dimension
from fieldloop.check.ranking import excess
from fieldloop.model.finding import EpisodeReport, Finding, Status, worst
from fieldloop.model.quality import Dimension, DimensionResult
from fieldloop.stats.binomial import interval

MOST_SHOWN = 5
BAD = (Status.FAILED, Status.ERRORED)


def roll_up(
    reports: Iterable[EpisodeReport],
    dataset: Sequence[Finding] = (),
    dimension: Callable[[str], Dimension] = subject_dimension,
) -> tuple[DimensionResult, ...]:
    """Put every finding into its dimension; `dimension` tells it by a check's name."""
    listed = tuple(reports)
    return tuple(_result(each, listed, dataset, dimension) for each in Dimension)


def _result(
    each: Dimension, reports: Sequence[EpisodeReport], dataset: Sequence[Finding], of: Callable[[str], Dimension]
) -> DimensionResult:
    own = [tuple(f for f in report.findings if of(f.check) is each) for report in reports]
    episodes = Counter(_status(findings) for findings in own)
    whole = tuple(f for f in dataset if of(f.check) is each)
    told = Counter(f.status for f in whole)
    passed, failed = episodes[Status.PASSED], sum(episodes[status] for status in BAD)
    low, high = interval(passed, passed + failed)
    everything = (*(f for findings in own for f in findings), *whole)
    status = worst(everything)
    shown = _worst(everything)
    share = passed / (passed + failed) if passed + failed else None
    return DimensionResult(
        each, status, dict(episodes), share, low, high, dict(told), shown,
        _sentence(each, episodes, told, share, low, high),
    )  # fmt: skip


def _status(findings: tuple[Finding, ...]) -> Status:
    """An episode that no check of the dimension applies to says nothing about it."""
    if all(f.status is Status.NOT_APPLICABLE for f in findings):
        return Status.NOT_APPLICABLE
    return worst(findings)


def _worst(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    first: dict[str, Finding] = {}
    for finding in sorted((f for f in findings if f.status in BAD), key=lambda f: (-f.cost, -excess(f))):
        first.setdefault(finding.check, finding)
    return tuple(first.values())[:MOST_SHOWN]


def _sentence(
    each: Dimension, episodes: Counter[Status], told: Counter[Status], share: float | None, low: float, high: float
) -> str:
    name = each.value.capitalize()
    wrong = sum(told[status] for status in BAD)
    whole = f" {wrong} thing{'s' if wrong > 1 else ''} wrong with the dataset as a whole." if wrong else ""
    unclear = episodes[Status.CANNOT_TELL]
    open_ = f" {unclear} could not be judged." if unclear else ""
    if share is None:
        fine = told[Status.PASSED]
        said = f"{fine} question{'s' if fine > 1 else ''} about the dataset passed." if fine and not wrong else ""
        return f"{name}: {said or ('' if wrong else 'nothing here tells.')}{whole}{open_}".replace(":  ", ": ")
    judged = sum(episodes[status] for status in (Status.PASSED, *BAD))
    told_share = f"{share:.0%} of {judged} episodes pass ({low:.0%} to {high:.0%})."
    return f"{name}: {told_share}{open_}{whole}"
