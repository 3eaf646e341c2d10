"""Render the results of ingest, dry runs and conversions."""

from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_value, make_facts_table, make_heading, make_styled_text, make_table
from fieldloop.model.finding import Status
from fieldloop.model.stream import FIRST_REAL_NS, NS_PER_S
from fieldloop.say import write_sentence
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import NONE, format_fixed, format_number, format_plural, format_time

ORDER = {status: place for place, status in enumerate(Status)}
MOST_EPISODES = 8  # in full on a screen; --json has all
MOST_FINDINGS = 20
MOST_GROUPS = 6
MOST_NOTES, MOST_NAMED = 12, 3


def print_ingested_logs(result: Any, screen: Screen) -> None:
    """Print the result for each log."""
    fresh = sum(not log.already_here and log.status is not Status.ERRORED for log in result.logs)
    known = sum(log.already_here for log in result.logs)
    broken = sum(log.status is Status.ERRORED for log in result.logs)
    parts = [f"{fresh} ingested"] + [f"{known} already known"] * bool(known) + [f"{broken} refused"] * bool(broken)
    screen.print(make_heading(f"{len(result.logs)} {_pluralise_noun('log', len(result.logs))}: {', '.join(parts)}"))
    rows = [
        (
            log.name,
            log.format,
            len(log.episodes),
            log.status,
            log.message or ("already ingested" if log.already_here else ""),
        )
        for log in sorted(result.logs, key=lambda log: ORDER[log.status])
    ]
    screen.print(make_table(("log", "format", "episodes", "status", "note"), rows, right=("episodes",)))


def print_log_contents(result: Any, screen: Screen) -> None:
    """Print what is inside: episodes with their streams, then what was wrong."""
    count = len(result.episodes)
    problems = [(e.name, f) for e in result.episodes for f in e.findings] + [(NONE, f) for f in result.findings]
    tail = f", {len(problems)} {_pluralise_noun('finding', len(problems))}" if problems else ", no defects in the files"
    screen.print(make_heading(f"{count} {_pluralise_noun('episode', count)}{tail}"))
    alike: dict[Any, list[Any]] = {}
    for episode in result.episodes:
        alike.setdefault((episode.format, tuple((s.name, s.kind) for s in episode.streams)), []).append(episode)
    for group in list(alike.values())[:MOST_GROUPS]:
        screen.print()
        _print_similar_episodes(group, screen)
    if len(alike) > MOST_GROUPS:
        screen.write(f"\n… and {len(alike) - MOST_GROUPS} more kinds of episodes; --json lists all.")
    if problems:
        screen.print()
        _print_findings(problems, screen)


def _print_findings(problems: Sequence[tuple[str, Any]], screen: Screen) -> None:
    """Print findings; the same one in many episodes is one line."""
    same: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for episode, finding in problems:
        same.setdefault((finding.subject, write_sentence(finding.message)), []).append((episode, finding.place))
    rows = [
        (where[0][0] if len(where) == 1 else f"{len(where)} episodes", subject, where[0][1], message)
        for (subject, message), where in same.items()
    ]
    screen.print(make_heading("Findings"))
    screen.print(make_table(("episode", "subject", "place", "what"), rows[:MOST_FINDINGS]))
    if len(rows) > MOST_FINDINGS:
        screen.write(f"… and {len(rows) - MOST_FINDINGS} more; --json lists all.")


def _print_similar_episodes(episodes: Sequence[Any], screen: Screen) -> None:
    """Print episodes that have the same streams: each in a line, then the streams of all."""
    screen.print(make_heading(f"{len(episodes)} {_pluralise_noun('episode', len(episodes))}, {episodes[0].format}"))
    rows = [
        (
            e.name,
            _format_moment(e.start_ns),
            format_fixed((e.end_ns - e.start_ns) / NS_PER_S, 2),
            len(e.findings) or "",
            e.id,
        )
        for e in episodes[:MOST_EPISODES]
    ]
    screen.print(make_table(("episode", "begins", "seconds", "findings", "id"), rows, right=("seconds", "findings")))
    if len(episodes) > MOST_EPISODES:
        screen.write(f"… and {len(episodes) - MOST_EPISODES} more like these; --json lists all.")
    if not episodes[0].streams:
        return
    screen.print()
    columns = ("stream", "kind", "samples", "Hz", "clock")
    streams = [
        (
            s.name,
            s.kind,
            _format_count_range([e.streams[i].count for e in episodes]),
            format_value(s.nominal_hz),
            s.clock,
        )
        for i, s in enumerate(episodes[0].streams)
    ]
    screen.print(make_table(columns, streams, right=("samples", "Hz")))
    _print_notes(episodes[0], screen)


def _print_notes(episode: Any, screen: Screen) -> None:
    """Print readers' notes, each once with its streams."""
    about: dict[str, list[str]] = {}
    for stream in episode.streams:
        for note in stream.notes:
            about.setdefault(note, []).append(stream.name)
    rows = []
    for note, names in list(about.items())[:MOST_NOTES]:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        rows.append((f"{', '.join(names[:MOST_NAMED])}{more}", note))
    if rows:
        screen.print()
        screen.print(make_table(("streams", "note"), rows))


def print_conversion(result: Any, screen: Screen) -> None:
    """Print what was written, how streams were resampled, and what was left out."""
    screen.print(
        make_facts_table(
            [
                ("written", result.path),
                ("format", result.format),
                ("episodes", result.episodes),
                ("messages" if result.format == "MCAP" else "frames", result.frames),
                ("rows left out", result.rows_left_out),
                ("size", f"{format_number(result.size_mb)} MB"),
                ("timestamps of frames from", result.clock or "no resampling"),
            ]
        )
    )
    if result.rules:
        screen.print()
        screen.print(make_table(("stream", "resampling"), list(result.rules)))
    screen.print()
    if not result.left_out:
        screen.write("Nothing was left out.")
    else:
        screen.print(make_heading("Left out or changed"))
    for loss in result.left_out:
        screen.print(make_styled_text(f"▲ {write_sentence(loss)}", "yellow"))
    if result.compared:
        screen.print()
        screen.print(make_heading("Compared with the source"))
    for one in result.compared:
        mark = MARKS[one.status]
        screen.print(make_styled_text(f"{mark.sign} {write_sentence(one.fact)}", mark.style))


def _format_moment(at_ns: int) -> str:
    return format_time(at_ns) if at_ns > FIRST_REAL_NS else f"{format_fixed(round(at_ns / NS_PER_S, 3) + 0.0, 3)} s"


def _format_count_range(counts: Sequence[int]) -> str:
    """Write the least and the most.

    >>> _format_count_range([416, 470, 470]), _format_count_range([10, 10])
    ('416 to 470', '10')
    """
    low, high = min(counts), max(counts)
    return f"{low} to {high}" if low < high else str(low)


def _pluralise_noun(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def print_log_list(logs: Sequence[Any], screen: Screen) -> None:
    """Print a row for each log, narrow enough for a terminal; a log's findings stand below the table, alike ones once.

    `--json` has hashes and mappings.
    """
    rows = [(log.name, log.format, log.episodes, format_number(log.megabytes, 3), log.findings or "") for log in logs]
    columns = ("log", "format", "episodes", "MB", "findings")
    screen.print(make_table(columns, rows, right=columns[2:]))
    by_finding: dict[str, list[str]] = {}
    for log in logs:
        if log.first_finding:
            by_finding.setdefault(log.first_finding, []).append(log.name)
    for finding, names in by_finding.items():
        others = f" and {format_plural(len(names) - 1, 'other log')}" if len(names) > 1 else ""
        screen.write(f"{names[0]}{others}: {finding}")
