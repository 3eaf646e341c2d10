"""Print check reports in the terminal: what failed, by cause and most harmful first; then warnings; then the rest."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.cli.check_lines import cause_lines, unknown_lines
from fieldloop.cli.screen import Screen
from fieldloop.cli.wrapped import LEFT_OUT, Line, flatten, wrap
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.report.check.causes import Causes, group_by_cause
from fieldloop.report.check.content import judged_by, protocols_used
from fieldloop.report.check.phrases import advice_of, list_names
from fieldloop.report.check.summary import outdated_in_words
from fieldloop.say import sentence
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import fixed, percent, plural, short_id, whole

MOST_LINES = 60  # of a report on a screen; --all prints everything
LOOKED_AT_FIRST = 5
NO_LIMIT = 10**9
OTHER_PROTOCOL = (
    "The protocol of an episode's task judges it. To judge episodes by {name}, state their task: "
    "fieldloop ingest again --set task={name} --overrule"
)
HEADING = "bold"
DIM = "dim"


@dataclass(frozen=True, slots=True)
class Detail:
    """How much is printed: causes, lines of each, causes with advice, reasons why a check gave no answer."""

    causes: int
    lines: int
    advice: int
    reasons: int
    everything: bool = False


EVERYTHING = Detail(NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT, everything=True)
DETAILS = (
    Detail(20, 5, 20, 6),
    Detail(15, 4, 5, 5),
    Detail(12, 3, 4, 4),
    Detail(8, 3, 3, 3),
    Detail(6, 3, 2, 3),
    Detail(5, 2, 1, 2),
    Detail(3, 2, 0, 1),
)
"""From most to least; the first that fits the screen is printed."""


def checked(report: Any, screen: Screen) -> None:
    """Print a check report in at most 60 lines, or whole where everything was asked for."""
    causes = group_by_cause(report.episodes, report.dataset)
    for detail in (EVERYTHING,) if report.everything else DETAILS:
        lines = flatten(_blocks(report, causes, screen.width, detail))
        if report.everything or len(lines) <= MOST_LINES:
            break
    else:
        lines = [*lines[: MOST_LINES - 1], Line(LEFT_OUT)]
    _print(lines, screen)


def episode_report(report: EpisodeReport, screen: Screen) -> None:
    """Print one episode: its status, then everything that did not pass."""
    causes, width = group_by_cause((report,)), screen.width
    mark = MARKS[report.status]
    title = f"{mark.word}  {report.name}  {short_id(report.episode)}"
    passed = sum(f.status is Status.PASSED for f in report.findings)
    head = [
        *wrap(title, width, style=HEADING, sign=(mark.sign, mark.style)),
        *wrap(f"{plural(passed, 'answer')} passed.", width, style=DIM),
    ]
    _print(flatten((head, *_sections(causes, width, DETAILS[0]))), screen)


def _print(lines: Sequence[Line], screen: Screen) -> None:
    for line in lines:
        screen.print(line.styled())


def _blocks(report: Any, causes: Causes, width: int, detail: Detail) -> Iterator[list[Line]]:
    yield _head(report, width)
    yield from _sections(causes, width, detail)
    yield _foot(report, causes, width, detail)


def _head(report: Any, width: int) -> list[Line]:
    mark = MARKS[report.status]
    result = wrap(_result(report), width, style=HEADING, sign=(mark.sign, mark.style))
    lines = [
        *result,
        *wrap(f"{report.source} ({report.format}), protocol {judged_by(report)}", width, style=DIM),
    ]
    if any(name != report.protocol.version_name for name in protocols_used(report.episodes)):
        lines += wrap(OTHER_PROTOCOL.format(name=report.protocol.name), width)
    if report.outdated:
        lines += wrap(outdated_in_words(report.outdated), width)
    if dimensions := _dimensions_text(report):
        lines += wrap(dimensions, width)
    if len(report.episodes) > 1 and report.ranking.looks:
        lines += wrap(_look_text(report), width)
    return lines


def _result(report: Any) -> str:
    total = len(report.episodes)
    counts = Counter(episode.status for episode in report.episodes)
    parts = ", ".join(f"{whole(counts[s])} {MARKS[s].word}" for s in Status if counts[s])
    wrong = sum(finding.counts for finding in report.dataset)
    beside = f"; {plural(wrong, 'finding')} about the dataset as a whole" if wrong else ""
    return f"{MARKS[report.status].word}: {plural(total, 'episode')}, {parts or 'nothing could be checked'}{beside}"


def _dimensions_text(report: Any) -> str:
    judged = [f"{one.dimension.value} {percent(one.share, 0)}" for one in report.dimensions if one.share is not None]
    return f"Episodes that pass: {', '.join(judged)}." if judged else ""


def _look_text(report: Any) -> str:
    cost = " ".join(sentence(detail) for detail in report.ranking.sentence.details)
    return f"{cost} Look first at {list_names(_look_names(report), LOOKED_AT_FIRST)}."


def _look_names(report: Any) -> list[str]:
    """Name the episodes to look at and the moments in them; names that occur twice get the name of their log."""
    looks = report.ranking.looks
    twice = {name for name, count in Counter(look.name for look in looks).items() if count > 1}
    logs = dict(zip((episode.episode for episode in report.episodes), report.logs, strict=False))
    named = []
    for look in looks:
        log = f" ({logs[look.episode]})" if look.name in twice and logs.get(look.episode) else ""
        named.append(f"{look.name}{log}{'' if look.at_s is None else f' at {fixed(look.at_s, 2)} s'}")
    return named


def _sections(causes: Causes, width: int, detail: Detail) -> Iterator[list[Line]]:
    for title, listed in (("Failures, most harmful first", causes.failures), ("Warnings", causes.warnings)):
        if listed:
            yield _causes_section(title, listed, width, detail)
    unknown = (*causes.unknown, *causes.by_protocol) if detail.everything else causes.unknown
    if unknown:
        title = "Cannot tell (an episode still passes, unless its protocol requires an answer)"
        lines = wrap(title, width, style=HEADING)
        for one in unknown[: detail.reasons]:
            lines += unknown_lines(one, width, detail.lines)
        yield lines + _left_out(len(unknown) - detail.reasons, "reason", width)
    if detail.everything and causes.not_applicable:
        yield wrap(f"Not applicable: {', '.join(causes.not_applicable)}", width, style=DIM)


def _causes_section(title: str, causes: Sequence[Any], width: int, detail: Detail) -> list[Line]:
    lines = wrap(title, width, style=HEADING)
    given: set[str] = set()  # the same advice is printed once
    for place, cause in enumerate(causes[: detail.causes]):
        to_do = advice_of(cause) if place < detail.advice else ""
        shown = "" if to_do in given else to_do
        lines += cause_lines(cause, width, detail.lines, advice_text=shown, episodes=detail.everything)
        given.add(to_do)
    return lines + _left_out(len(causes) - detail.causes, "cause", width)


def _left_out(count: int, noun: str, width: int) -> list[Line]:
    return wrap(f"{LEFT_OUT} {plural(count, f'more {noun}')}: --all", width, style=DIM) if count > 0 else []


def _foot(report: Any, causes: Causes, width: int, detail: Detail) -> list[Line]:
    steps = causes.next_steps
    lines = [line for step in steps for line in wrap(sentence(step), width, sign=("→", DIM))]
    if not detail.everything and (causes.failures or causes.warnings or causes.unknown or causes.by_protocol):
        lines += wrap("--all lists everything with its episodes; --html FILE adds plots.", width, style=DIM)
    if report.html:
        lines += wrap(f"Report with plots: {report.html}", width)
    return lines
