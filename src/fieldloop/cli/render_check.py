"""Print check reports in the terminal, worst first."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import heading, mark, styled, table
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.quality import DimensionResult
from fieldloop.model.ranking import SHOWN_FIRST, Look, Ranking
from fieldloop.report.check.content import judged_by, protocols_used
from fieldloop.report.check.summary import episodes_by_cost, outdated_in_words
from fieldloop.say import sentence
from fieldloop.say.findings import limit, message, without_subject
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import fixed, format_without_unit, percent, plural, short_id

MOST_EPISODES = 12  # in full on a screen; --json and --html have all
OTHER_PROTOCOL = (
    "The protocol of an episode's task judges it. To judge episodes by {name}, state their task: "
    "fieldloop ingest again --set task={name} --overrule"
)
ORDER = {status: place for place, status in enumerate(Status)}


def checked(report: Any, screen: Screen) -> None:
    """Print a check report: the result, then what keeps episodes from passing, worst first."""
    episodes = episodes_by_cost(report)
    screen.print(_result(report, episodes))
    screen.print(styled(f"{report.source} ({report.format}), protocol {judged_by(report)}", "dim"))
    if any(name != report.protocol.version_name for name in protocols_used(report.episodes)):
        screen.write(OTHER_PROTOCOL.format(name=report.protocol.name))
    if report.outdated:
        screen.write(outdated_in_words(report.outdated))
    _dimensions(report.dimensions, screen)
    if len(episodes) > 1:
        _print_ranking(report.ranking, screen)
        _print_by_check(episodes, screen)
    bad = [episode for episode in episodes if episode.status is not Status.PASSED]
    for episode in bad[:MOST_EPISODES]:
        screen.print()
        episode_report(episode, screen, brief=len(episodes) > 1)
    if len(bad) > MOST_EPISODES:
        screen.write(f"\n… and {len(bad) - MOST_EPISODES} more episodes with findings; --json and --html show all.")
    if open_findings := [f for f in report.dataset if _is_listed(f)]:
        screen.print()
        screen.print(heading("The dataset as a whole"))
        screen.print(_findings(open_findings))
    _print_unanswered(episodes, screen)
    if report.html:
        screen.write(f"\nReport with plots: {report.html}")


def _dimensions(dimensions: Sequence[DimensionResult], screen: Screen) -> None:
    if not dimensions:
        return
    rows = [
        (one.status, one.dimension.value, "–" if one.share is None else percent(one.share, 0), _worst_finding_text(one))
        for one in dimensions
    ]
    screen.print()
    screen.print(table(("status", "dimension", "pass", "worst finding"), rows, right=("pass",)))


def _worst_finding_text(one: DimensionResult) -> str:
    return message(one.worst[0]) if one.worst else sentence(one.sentence)


def _print_ranking(ranking: Ranking, screen: Screen) -> None:
    if not ranking.looks:
        return
    screen.print()
    screen.print(heading(sentence(ranking.sentence)))
    rows = [
        (
            look.name,
            percent(look.cost, 0),
            "" if look.at_s is None else f"{fixed(look.at_s, 2)} s",
            _reason(look),
            _fixes(look),
        )
        for look in ranking.looks[:SHOWN_FIRST]
    ]
    screen.print(table(("episode", "costs", "at", "worst finding", "fix"), rows, right=("costs", "at")))


def _moment(at_s: float | None) -> str:
    return "" if at_s is None else f"{fixed(at_s, 2)} s"


def _reason(look: Look) -> str:
    more = f" (+{len(look.reasons) - 1})" if len(look.reasons) > 1 else ""
    return f"{message(look.reasons[0])}{more}" if look.reasons else "No check could measure anything in this episode."


def _fixes(look: Look) -> str:
    return ", ".join(dict.fromkeys(fix.kind.value for fix in look.fixes))


def _print_unanswered(episodes: Sequence[EpisodeReport], screen: Screen) -> None:
    """Print the checks without an answer, each with its most frequent reason."""
    groups: dict[str, dict[tuple[str, str], list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for finding in (f for episode in episodes for f in episode.findings):
        if finding.status is Status.CANNOT_TELL and not finding.counts:
            code = finding.reason.code if finding.reason else ""
            groups[finding.check][finding.subject, code].append(finding)
    if not groups:
        return
    screen.print()
    title = f"Cannot tell ({plural(len(groups), 'check')}; they count only if the protocol requires an answer)"
    screen.print(heading(title))
    rows = [
        (check, sum(map(len, alike.values())), message(max(alike.values(), key=len)[0]))
        for check, alike in groups.items()
    ]
    screen.print(table(("check", "times", "why"), rows, right=("times",)))


def episode_report(report: EpisodeReport, screen: Screen, *, brief: bool = False) -> None:
    """Print one episode: everything not passed, worst first, and how much passed; briefly, only what counts."""
    passed = sum(f.status is Status.PASSED for f in report.findings)
    open_findings = [f for f in report.findings if (f.counts if brief else _is_listed(f))]
    not_applicable = sum(f.status is Status.NOT_APPLICABLE for f in report.findings if f not in open_findings)
    title = heading(f"{report.name}  ").append(mark(report.status)).append(f"  {short_id(report.episode)}", style="dim")
    screen.print(title)
    if open_findings:
        screen.print(_findings(open_findings))
    beside = f"; {not_applicable} not applicable" if not_applicable else ""
    screen.print(styled(f"{plural(passed, 'answer')} passed{beside}.", "dim"))


def _result(report: Any, episodes: Sequence[EpisodeReport]) -> Any:
    counts = Counter(episode.status for episode in episodes)
    parts = [f"{counts[s]} {MARKS[s].word}" for s in Status if counts[s]]
    line = f"  {plural(len(episodes), 'episode')}: {', '.join(parts) or 'nothing could be checked'}"
    whole = sum(finding.counts for finding in report.dataset)
    beside = f"; {plural(whole, 'finding')} about the dataset as a whole" if whole else ""
    return mark(report.status).append(f"{line}{beside}", style="bold default")


def _is_listed(finding: Finding) -> bool:
    """Is this worth a line? A check that does not apply is, only where the protocol requires an answer."""
    return finding.counts or finding.status not in (Status.PASSED, Status.NOT_APPLICABLE)


def _print_by_check(episodes: Sequence[EpisodeReport], screen: Screen) -> None:
    findings_by_check: dict[tuple[str, Status], list[Finding]] = defaultdict(list)
    touched: dict[tuple[str, Status], set[int]] = defaultdict(set)
    for place, episode in enumerate(episodes):  # two that hold the same bytes have the same id
        for finding in episode.findings:
            if finding.counts:
                findings_by_check[finding.check, finding.status].append(finding)
                touched[finding.check, finding.status].add(place)
    if not findings_by_check:
        return
    ranked = sorted(findings_by_check, key=lambda key: (ORDER[key[1]], -len(touched[key])))
    rows = [
        (key[0], key[1], len(touched[key]), limit(findings_by_check[key][0]), message(findings_by_check[key][0]))
        for key in ranked
    ]
    screen.print()
    screen.print(table(("check", "status", "episodes", "limit", "for example"), rows, right=("episodes",)))


def _findings(findings: Sequence[Finding]) -> Any:
    rows = [
        (f.status, f.check, f.subject, format_without_unit(f.measured, f.unit), limit(f), without_subject(f))
        for f in sorted(findings, key=lambda f: (not f.counts, ORDER[f.status], f.check))
    ]
    return table(("status", "check", "subject", "measured", "limit", "what"), rows, right=("measured",))
