"""All findings in five dimensions: what a dataset is good and bad at, in a sentence each."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from fieldloop.check import BATCH_CHECKS, CHECKS
from fieldloop.check.dimension import dimension_of, subject_dimension
from fieldloop.check.ranking import excess
from fieldloop.model.finding import EpisodeReport, Finding, Status, worst
from fieldloop.model.quality import Dimension, DimensionResult
from fieldloop.stats.binomial import interval

MOST_SHOWN = 5
BAD = (Status.FAILED, Status.ERRORED)


def roll_up(reports: Iterable[EpisodeReport], dataset: Sequence[Finding] = ()) -> tuple[DimensionResult, ...]:
    """Put every finding about episodes, and about the dataset as a whole, into its dimension."""
    listed, whole = [_sorted(report.findings) for report in reports], _sorted(dataset)
    return tuple(_result(each, [findings[each] for findings in listed], whole[each]) for each in Dimension)


def _sorted(findings: Iterable[Finding]) -> dict[Dimension, tuple[Finding, ...]]:
    """Put findings into their dimensions, in the order they came."""
    found: dict[Dimension, list[Finding]] = {each: [] for each in Dimension}
    for finding in findings:
        found[_dimension(finding.check)].append(finding)
    return {each: tuple(own) for each, own in found.items()}


@cache
def _dimension(name: str) -> Dimension:
    """What a finding counts for: as its check says, else (a stranger's check) by its subject."""
    check = CHECKS.get(name) or BATCH_CHECKS.get(name)
    return dimension_of(check) if check else subject_dimension(name)


def _result(each: Dimension, own: Sequence[tuple[Finding, ...]], whole: tuple[Finding, ...]) -> DimensionResult:
    episodes = Counter(_status(findings) for findings in own)
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
        return f"{name}: {_about_dataset(told)}{open_}"
    judged = sum(episodes[status] for status in (Status.PASSED, *BAD))
    told_share = f"{share:.0%} of {judged} episodes pass ({low:.0%} to {high:.0%})."
    return f"{name}: {told_share}{open_}{whole}"


def _about_dataset(told: Counter[Status]) -> str:
    """What the questions about the whole say, where no episode says anything."""
    wrong, fine = sum(told[status] for status in BAD), told[Status.PASSED]
    counts = {"failed": wrong, "passed": fine, "stayed open": told[Status.CANNOT_TELL]}
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return f"of the questions about the dataset {said}." if said else "nothing here tells."
