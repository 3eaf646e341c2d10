"""Answers about data, worst first."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import MARKS, heading, mark, said, short, styled, table
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.quality import DimensionResult
from fieldloop.model.ranking import Look, Ranking
from fieldloop.protocol.number import SHARE, in_words, interval_in_words
from fieldloop.report.check.summary import in_order, outdated_in_words

MOST_EPISODES = 12  # in full on a screen; --json and --html have all
LOOKED_AT_FIRST = 8
ORDER = {status: place for place, status in enumerate(Status)}


def checked(report: Any, screen: Screen) -> None:
    """Print a check report: the answer, then what stands in the way, worst first."""
    episodes = in_order(report)
    screen.print(_answer(report, episodes))
    screen.print(styled(f"{report.source} ({report.format}), protocol {report.protocol.label}", "dim"))
    if report.outdated:
        screen.write(outdated_in_words(report.outdated))
    _dimensions(report.dimensions, screen)
    if len(episodes) > 1:
        _look_first(report.ranking, screen)
        _by_check(episodes, screen)
    bad = [episode for episode in episodes if episode.status is not Status.PASSED]
    for episode in bad[:MOST_EPISODES]:
        screen.print()
        episode_report(episode, screen, brief=len(episodes) > 1)
    if len(bad) > MOST_EPISODES:
        screen.write(f"\n… and {len(bad) - MOST_EPISODES} more episodes with findings; --json and --html show all.")
    if open_findings := [f for f in report.dataset if _is_told(f)]:
        screen.print()
        screen.print(heading("The dataset as a whole"))
        screen.print(_findings(open_findings))
    _untold(episodes, screen)
    if report.html:
        screen.write(f"\nReport with plots: {report.html}")


def _dimensions(dimensions: Sequence[DimensionResult], screen: Screen) -> None:
    if not dimensions:
        return
    rows = [
        (one.status, one.dimension.value, "–" if one.share is None else f"{one.share:.0%}", _worst(one))
        for one in dimensions
    ]
    screen.print()
    screen.print(table(("status", "dimension", "pass", "worst finding"), rows, right=("pass",)))


def _worst(one: DimensionResult) -> str:
    return one.worst[0].message if one.worst else one.sentence.partition(": ")[2]


def _look_first(ranking: Ranking, screen: Screen) -> None:
    if not ranking.looks:
        return
    screen.print()
    screen.print(heading(ranking.sentence))
    rows = [
        (look.name, f"{look.cost:.0%}", "" if look.at_s is None else f"{look.at_s:.2f} s", _reason(look), _fixes(look))
        for look in ranking.looks[:LOOKED_AT_FIRST]
    ]
    screen.print(table(("episode", "costs", "at", "worst finding", "fix"), rows, right=("costs", "at")))


def _reason(look: Look) -> str:
    more = f" (+{len(look.reasons) - 1})" if len(look.reasons) > 1 else ""
    return f"{look.reasons[0].message}{more}" if look.reasons else "Nothing in it could be measured."


def _fixes(look: Look) -> str:
    return ", ".join(dict.fromkeys(fix.kind.value for fix in look.fixes))


def _untold(episodes: Sequence[EpisodeReport], screen: Screen) -> None:
    """Say what the data could not show: a question without an answer is no praise."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for finding in (f for episode in episodes for f in episode.findings):
        if finding.status is Status.CANNOT_TELL and not finding.counts:
            reasons[finding.check].append(finding.message)
    if not reasons:
        return
    screen.print()
    screen.print(heading(f"Cannot tell ({len(reasons)} questions; they do not count unless a protocol asks)"))
    rows = [(check, len(said), Counter(said).most_common(1)[0][0]) for check, said in reasons.items()]
    screen.print(table(("check", "times", "why"), rows, right=("times",)))


def episode_report(report: EpisodeReport, screen: Screen, *, brief: bool = False) -> None:
    """Print one episode: everything not passed, worst first, and how much passed; briefly, only what counts."""
    passed = sum(f.status is Status.PASSED for f in report.findings)
    open_findings = [f for f in report.findings if (f.counts if brief else _is_told(f))]
    unlooked = sum(f.status is Status.NOT_APPLICABLE for f in report.findings if f not in open_findings)
    title = heading(f"{report.name}  ").append(mark(report.status)).append(f"  {short(report.episode)}", style="dim")
    screen.print(title)
    if open_findings:
        screen.print(_findings(open_findings))
    beside = f"; {unlooked} not applicable" if unlooked else ""
    screen.print(styled(f"{passed} answers passed{beside}.", "dim"))


def _answer(report: Any, episodes: Sequence[EpisodeReport]) -> Any:
    counts = Counter(episode.status for episode in episodes)
    parts = [f"{counts[s]} {MARKS[s][1]}" for s in Status if counts[s]]
    line = f"  {len(episodes)} {_plural('episode', len(episodes))}: {', '.join(parts) or 'nothing could be looked at'}"
    whole = sum(finding.counts for finding in report.dataset)
    beside = f"; {whole} {_plural('finding', whole)} about the dataset as a whole" if whole else ""
    return mark(report.status).append(f"{line}{beside}", style="bold default")


def _is_told(finding: Finding) -> bool:
    """Is this worth a line? A question that does not apply is, only where its protocol requires an answer."""
    return finding.counts or finding.status not in (Status.PASSED, Status.NOT_APPLICABLE)


def _by_check(episodes: Sequence[EpisodeReport], screen: Screen) -> None:
    found: dict[tuple[str, Status], list[Finding]] = defaultdict(list)
    touched: dict[tuple[str, Status], set[int]] = defaultdict(set)
    for place, episode in enumerate(episodes):  # two that hold the same bytes have the same id
        for finding in episode.findings:
            if finding.counts:
                found[finding.check, finding.status].append(finding)
                touched[finding.check, finding.status].add(place)
    if not found:
        return
    ranked = sorted(found, key=lambda key: (ORDER[key[1]], -len(touched[key])))
    rows = [(key[0], key[1], len(touched[key]), _limit(found[key][0]), found[key][0].message) for key in ranked]
    screen.print()
    screen.print(table(("check", "status", "episodes", "limit", "for example"), rows, right=("episodes",)))


def _findings(findings: Sequence[Finding]) -> Any:
    rows = [
        (f.status, f.check, f.subject, _measured(f), _limit(f), f.message)
        for f in sorted(findings, key=lambda f: (not f.counts, ORDER[f.status], f.check))
    ]
    return table(("status", "check", "subject", "measured", "limit", "what"), rows, right=("measured",))


def _limit(finding: Finding) -> str:
    """Write the interval with its unit, a share as percent like the report.

    >>> _limit(Finding("c", "s", Status.FAILED, 0.07, None, 0.02, "share of frames", ""))
    'at most 2 % of frames'
    """
    return interval_in_words(finding.minimum, finding.maximum, finding.unit) or "–"


def _measured(finding: Finding) -> str:
    share = finding.measured is not None and finding.unit.startswith(SHARE)
    return in_words(finding.measured or 0.0, finding.unit) if share else said(finding.measured)


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
