"""Print check reports in the terminal: what failed, by cause and most harmful first; then warnings; then the rest."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.cli.check_lines import write_cause_lines, write_unknown_lines
from fieldloop.cli.screen import Screen
from fieldloop.cli.wrapped import LEFT_OUT, Line, join_blocks, wrap_text
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.report.check.causes import Causes, group_by_cause
from fieldloop.report.check.content import count_episodes_by_protocol, name_protocols_used
from fieldloop.report.check.episode_names import use_names_apart
from fieldloop.report.check.phrases import list_names, write_cause_advice
from fieldloop.report.check.summary import write_outdated_line
from fieldloop.say import write_sentence
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import format_count, format_fixed, format_plural, percent, shorten_content_ids

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


def print_check_report(result: Any, screen: Screen) -> None:
    """Print a check report in at most 60 lines, or whole where everything was asked for."""
    result = use_names_apart(result)
    causes = group_by_cause(result.episodes, result.dataset)
    for detail in (EVERYTHING,) if result.everything else DETAILS:
        lines = join_blocks(_write_blocks(result, causes, screen.width, detail))
        if result.everything or len(lines) <= MOST_LINES:
            break
    else:
        lines = [*lines[: MOST_LINES - 1], Line(LEFT_OUT)]
    _print_lines(lines, screen)


def print_episode_report(report: EpisodeReport, screen: Screen) -> None:
    """Print one episode: its status, then everything that did not pass."""
    causes, width = group_by_cause((report,)), screen.width
    mark = MARKS[report.status]
    title = f"{mark.word}  {report.name}  {shorten_content_ids(report.episode)}"
    passed = sum(f.status is Status.PASSED for f in report.findings)
    head = [
        *wrap_text(title, width, style=HEADING, sign=(mark.sign, mark.style)),
        *wrap_text(f"{format_plural(passed, 'answer')} passed.", width, style=DIM),
    ]
    _print_lines(join_blocks((head, *_write_sections(causes, width, DETAILS[0]))), screen)


def _print_lines(lines: Sequence[Line], screen: Screen) -> None:
    for line in lines:
        screen.print(line.make_styled_text())


def _write_blocks(report: Any, causes: Causes, width: int, detail: Detail) -> Iterator[list[Line]]:
    yield _write_head(report, width)
    yield from _write_sections(causes, width, detail)
    yield _write_foot(report, causes, width, detail)


def _write_head(report: Any, width: int) -> list[Line]:
    mark = MARKS[report.status]
    result = wrap_text(_write_result(report), width, style=HEADING, sign=(mark.sign, mark.style))
    lines = [
        *result,
        *wrap_text(f"{report.source} ({report.format}), protocol {name_protocols_used(report)}", width, style=DIM),
    ]
    if any(name != report.protocol.version_name for name in count_episodes_by_protocol(report.episodes)):
        lines += wrap_text(OTHER_PROTOCOL.format(name=report.protocol.name), width)
    if report.outdated:
        lines += wrap_text(write_outdated_line(report.outdated), width)
    if dimensions := _write_dimensions(report):
        lines += wrap_text(dimensions, width)
    if len(report.episodes) > 1 and report.ranking.looks:
        lines += wrap_text(_write_episodes_to_look_at(report), width)
    return lines


def _write_result(report: Any) -> str:
    total = len(report.episodes)
    counts = Counter(episode.status for episode in report.episodes)
    parts = ", ".join(f"{format_count(counts[s])} {MARKS[s].word}" for s in Status if counts[s])
    wrong = sum(finding.counts for finding in report.dataset)
    beside = f"; {format_plural(wrong, 'finding')} about the dataset as a whole" if wrong else ""
    return (
        f"{MARKS[report.status].word}: {format_plural(total, 'episode')}, {parts or 'nothing could be checked'}{beside}"
    )


def _write_dimensions(report: Any) -> str:
    judged = [f"{one.dimension.value} {percent(one.share, 0)}" for one in report.dimensions if one.share is not None]
    return f"Episodes that pass: {', '.join(judged)}." if judged else ""


def _write_episodes_to_look_at(report: Any) -> str:
    cost = [write_sentence(detail) for detail in report.ranking.sentence.details]
    named = [
        look.name if look.at_s is None else f"{look.name} at {format_fixed(look.at_s, 2)} s"
        for look in report.ranking.looks
    ]
    return " ".join([*cost, f"Look first at {list_names(named, LOOKED_AT_FIRST)}."])


def _write_sections(causes: Causes, width: int, detail: Detail) -> Iterator[list[Line]]:
    for title, listed in (("Failures, most harmful first", causes.failures), ("Warnings", causes.warnings)):
        if listed:
            yield _write_causes_section(title, listed, width, detail)
    unknown = (*causes.unknown, *causes.by_protocol) if detail.everything else causes.unknown
    if unknown:
        title = "Cannot tell (an episode still passes, unless its protocol requires an answer)"
        lines = wrap_text(title, width, style=HEADING)
        for one in unknown[: detail.reasons]:
            lines += write_unknown_lines(one, width, detail.lines)
        yield lines + _write_left_out_count(len(unknown) - detail.reasons, "reason", width)
    if detail.everything and causes.not_applicable:
        yield wrap_text(f"Not applicable: {', '.join(causes.not_applicable)}", width, style=DIM)


def _write_causes_section(title: str, causes: Sequence[Any], width: int, detail: Detail) -> list[Line]:
    lines = wrap_text(title, width, style=HEADING)
    given: set[str] = set()  # the same advice is printed once
    for place, cause in enumerate(causes[: detail.causes]):
        to_do = write_cause_advice(cause) if place < detail.advice else ""
        shown = "" if to_do in given else to_do
        lines += write_cause_lines(cause, width, detail.lines, advice_text=shown, name_episodes=detail.everything)
        given.add(to_do)
    return lines + _write_left_out_count(len(causes) - detail.causes, "cause", width)


def _write_left_out_count(count: int, noun: str, width: int) -> list[Line]:
    return wrap_text(f"{LEFT_OUT} {format_plural(count, f'more {noun}')}: --all", width, style=DIM) if count > 0 else []


def _write_foot(report: Any, causes: Causes, width: int, detail: Detail) -> list[Line]:
    steps = causes.next_steps
    lines = [line for step in steps for line in wrap_text(write_sentence(step), width, sign=("→", DIM))]
    if not detail.everything and (causes.failures or causes.warnings or causes.unknown or causes.by_protocol):
        lines += wrap_text("--all lists everything with its episodes; --html FILE adds plots.", width, style=DIM)
    if report.html:
        lines += wrap_text(f"Report with plots: {report.html}", width)
    return lines
