"""The summary of a check report: one sentence, then which episodes to look at."""

from dataclasses import dataclass

from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.ranking import Look
from fieldloop.report.check.content import CheckReport
from fieldloop.say.numbers import format_plural

SEVERITY = list(Status)


@dataclass(frozen=True, slots=True)
class Summary:
    """The report in short, ready to print."""

    sentence: str
    looks: tuple[Look, ...]


def summarise_check_report(report: CheckReport) -> Summary:
    """Return the summary: the result in one sentence, and the episodes that did not pass, worst first."""
    return Summary(_write_result_sentence(report, tuple(f for f in report.dataset if f.counts)), report.ranking.looks)


def write_outdated_line(outdated_count: int) -> str:
    """Return a line on outdated measurements and how to renew them; '' without any."""
    return (
        f"{format_plural(outdated_count, 'episode')} {'was' if outdated_count == 1 else 'were'} measured with other "
        f"parameters or fewer "
        "checks than now in force. Measure again: fieldloop check --again, or fieldloop check PATH for other logs."
    )


def sort_episodes_by_cost(report: CheckReport) -> list[EpisodeReport]:
    """Return the episodes by the cost of their findings, those without findings last."""
    place = {look.episode: number for number, look in enumerate(report.ranking.looks)}
    return sorted(report.episodes, key=lambda e: (place.get(e.episode, len(place)), SEVERITY.index(e.status), e.name))


def _write_result_sentence(report: CheckReport, dataset_findings: tuple[Finding, ...]) -> str:
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
        result = (
            f"{failed} of {format_plural(total, 'episode')} failed; look at {'it' if failed == 1 else 'them'} first."
        )
    elif unclear:
        result = f"{unclear} of {format_plural(total, 'episode')} could not be judged."
    else:
        result = f"All {format_plural(total, 'episode')} passed."
    if dataset_findings:
        wrong = sum(1 for f in dataset_findings if f.status in (Status.FAILED, Status.ERRORED))
        failing = f" The dataset as a whole fails {format_plural(wrong, 'check')}." if wrong else ""
        result += failing or f" {format_plural(len(dataset_findings), 'finding')} about the dataset as a whole."
    return result
