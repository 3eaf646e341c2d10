"""The summary of a check report: one sentence, then which episodes to look at and why."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.ranking import Look
from fieldloop.report.check.content import CheckReport
from fieldloop.say.findings import without_subject
from fieldloop.say.numbers import plural

SEVERITY = list(Status)


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A check without a result: the number of episodes, and the reason."""

    check: str
    episodes: int
    reason: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The report in short, ready to print."""

    sentence: str
    counts: Mapping[Status, int]
    looks: tuple[Look, ...]
    dataset: tuple[Finding, ...]
    unanswered: tuple[Unanswered, ...]


def summarise(report: CheckReport) -> Summary:
    """Return the summary: episodes that did not pass, worst first; findings about the dataset; unanswered checks."""
    dataset = tuple(sorted((f for f in report.dataset if f.counts), key=lambda f: SEVERITY.index(f.status)))
    counts = Counter(episode.status for episode in report.episodes)
    return Summary(_sentence(report, dataset), counts, report.ranking.looks, dataset, tuple(_unanswered(report)))


def outdated_in_words(episodes: int) -> str:
    """Return a line on outdated measurements and how to renew them; '' without any."""
    return (
        f"{plural(episodes, 'episode')} {'was' if episodes == 1 else 'were'} measured with other parameters or fewer "
        "checks than now in force. Measure again: fieldloop check --again, or fieldloop check PATH for other logs."
    )


def episodes_by_cost(report: CheckReport) -> list[EpisodeReport]:
    """Return the episodes by the cost of their findings, those without findings last."""
    place = {look.episode: number for number, look in enumerate(report.ranking.looks)}
    return sorted(report.episodes, key=lambda e: (place.get(e.episode, len(place)), SEVERITY.index(e.status), e.name))


def _sentence(report: CheckReport, dataset: tuple[Finding, ...]) -> str:
    total = len(report.episodes)
    failed = sum(1 for e in report.episodes if e.status in (Status.FAILED, Status.ERRORED))
    unclear = sum(1 for e in report.episodes if e.status in (Status.CANNOT_TELL, Status.NOT_APPLICABLE))
    if not total:
        return "No episode could be read."
    if total == 1:
        result = {Status.PASSED: "The episode passed."}.get(
            report.episodes[0].status, "The episode failed." if failed else "The episode could not be judged."
        )
    elif failed:
        result = f"{failed} of {plural(total, 'episode')} failed; look at {'it' if failed == 1 else 'them'} first."
    elif unclear:
        result = f"{unclear} of {plural(total, 'episode')} could not be judged."
    else:
        result = f"All {plural(total, 'episode')} passed."
    if dataset:
        wrong = sum(1 for f in dataset if f.status in (Status.FAILED, Status.ERRORED))
        failing = f" The dataset as a whole fails {plural(wrong, 'check')}." if wrong else ""
        result += failing or f" {plural(len(dataset), 'finding')} about the dataset as a whole."
    return result


def _unanswered(report: CheckReport) -> Iterable[Unanswered]:
    """Group checks without a result by the code of the reason: the same reason in a thousand episodes is one line."""
    groups: dict[tuple[str, str], dict[str, Finding]] = defaultdict(dict)
    for episode in report.episodes:
        for finding in episode.findings:
            if finding.status is Status.CANNOT_TELL and not finding.counts:
                code = finding.reason.code if finding.reason else ""
                groups[finding.check, code].setdefault(episode.episode, finding)
    most: dict[str, Unanswered] = {}
    for (check, _), findings in groups.items():
        if check not in most or len(findings) > most[check].episodes:
            most[check] = Unanswered(check, len(findings), _example_reason(list(findings.values())))
    return most.values()


def _example_reason(findings: list[Finding]) -> str:
    first = without_subject(findings[0])
    alike = all((f.reason, f.place, f.measured) == _comparable_facts(findings[0]) for f in findings[1:])
    return first if alike else f"for example: {first}"


def _comparable_facts(finding: Finding) -> tuple[object, ...]:
    return finding.reason, finding.place, finding.measured
