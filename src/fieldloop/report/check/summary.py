"""What a person wants to know first: one sentence, then which episodes to look at and why."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.ranking import Look
from fieldloop.report.check.content import CheckReport

SEVERITY = list(Status)
NUMBER = re.compile(r"\d+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Untold:
    """A question that could not be answered, for how many episodes, and why."""

    check: str
    episodes: int
    reason: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The report in short, ready to be printed."""

    sentence: str
    counts: Mapping[Status, int]
    looks: tuple[Look, ...]
    dataset: tuple[Finding, ...]
    untold: tuple[Untold, ...]


def summarise(report: CheckReport) -> Summary:
    """Sum a report up: episodes that did not pass worst first, what is wrong with the whole, what nobody can tell."""
    dataset = tuple(sorted((f for f in report.dataset if f.counts), key=lambda f: SEVERITY.index(f.status)))
    counts = Counter(episode.status for episode in report.episodes)
    return Summary(_sentence(report, dataset), counts, report.ranking.looks, dataset, tuple(_untold(report)))


def outdated_in_words(episodes: int) -> str:
    """Say that some numbers are old, and how to bring them up to date."""
    return (
        f"{_episodes(episodes)} {'was' if episodes == 1 else 'were'} measured by other parameters or fewer checks than "
        "are in force now. Look at the logs again: fieldloop check --again, or with their path if they are outside"
    )


def in_order(report: CheckReport) -> list[EpisodeReport]:
    """Return the episodes as they should be looked at: by what they cost, those nothing stands against last."""
    place = {look.episode: number for number, look in enumerate(report.ranking.looks)}
    return sorted(report.episodes, key=lambda e: (place.get(e.episode, len(place)), SEVERITY.index(e.status), e.name))


def _sentence(report: CheckReport, dataset: tuple[Finding, ...]) -> str:
    total = len(report.episodes)
    failed = sum(1 for e in report.episodes if e.status in (Status.FAILED, Status.ERRORED))
    unclear = sum(1 for e in report.episodes if e.status in (Status.CANNOT_TELL, Status.NOT_APPLICABLE))
    if not total:
        return "No episode could be read."
    if total == 1:
        said = {Status.PASSED: "The episode passed."}.get(
            report.episodes[0].status, "The episode failed." if failed else "The episode could not be judged."
        )
    elif failed:
        said = f"{failed} of {_episodes(total)} failed; look at {'it' if failed == 1 else 'them'} first."
    elif unclear:
        said = f"{unclear} of {_episodes(total)} could not be judged."
    else:
        said = f"All {_episodes(total)} passed."
    if dataset:
        count = len(dataset)
        said += f" {count} thing{'s are' if count > 1 else ' is'} wrong with the dataset as a whole."
    return said


def _episodes(count: int) -> str:
    return f"{count} episode{'' if count == 1 else 's'}"


def _untold(report: CheckReport) -> Iterable[Untold]:
    """Group what could not be told: the same reason in a thousand episodes is one line."""
    seen: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for episode in report.episodes:
        for finding in episode.findings:
            if finding.status is Status.CANNOT_TELL and not finding.counts:
                reason = _reason(finding)
                seen[finding.check, NUMBER.sub("#", reason)].setdefault(episode.episode, reason)
    most: dict[str, Untold] = {}
    for (check, _), reasons in seen.items():
        if check not in most or len(reasons) > most[check].episodes:
            said = list(dict.fromkeys(reasons.values()))
            most[check] = Untold(check, len(reasons), said[0] if len(said) == 1 else f"for example: {said[0]}")
    return most.values()


def _reason(finding: Finding) -> str:
    return finding.message.removeprefix(f"{finding.subject}: ") if finding.subject else finding.message
