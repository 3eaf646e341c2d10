"""Render releases: what was frozen, why episodes stayed out, and which repairs apply."""

from collections.abc import Iterable, Sequence
from itertools import islice

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_facts_table, make_heading, make_table
from fieldloop.model.finding import Status
from fieldloop.model.integrity import Integrity
from fieldloop.model.release import LeftOutAlike, Release
from fieldloop.say import write_sentence
from fieldloop.say.numbers import (
    format_number,
    format_plural,
    format_time,
    levels_in_words,
    percent,
    shorten_content_ids,
    shorten_ids,
)

MOST_NAMED = 3
MOST_ROWS = 12
NO_VALIDATION = (
    "No episode is for validation. A session is never on both sides, so a validation set needs at least two sessions. "
    "State the session of each episode, or collect another: fieldloop ingest relabel EPISODE --set session=…"
)


def print_release(result: Release, screen: Screen) -> None:
    """Print a release: its counts, then reasons, repairs and shares, one line for many episodes alike."""
    split = f"{len(result.train)} for training, {len(result.validation)} for validation"
    facts = [("release", result.name), ("episodes", f"{len(result.episodes)}: {split}")]
    facts += [("protocol", result.protocol)] + [("taxonomy", result.taxonomy)] * bool(result.taxonomy)
    facts += [("selected", " ".join([*result.query, *[f"plan {result.plan}"] * bool(result.plan)]))] * bool(
        result.query or result.plan
    )
    facts += [("override", result.override)] * bool(result.override)
    screen.print(make_facts_table([*facts, ("content", shorten_content_ids(result.id))]))
    if result.episodes and not result.validation:
        screen.write(NO_VALIDATION)
    if result.overridden:
        screen.print()
        screen.print(make_heading("Frozen in spite of"))
        for reason in result.overridden:
            screen.write(f"- {write_sentence(reason)}")
    _print_left_out(result, screen)
    _print_grouped(
        screen, "Repairs, applied whenever the release is read", ("episodes", "repair", "stream", "why"),
        (((fix.kind.value, fix.stream, write_sentence(fix.why)), episode) for episode, fix in result.fixes),
    )  # fmt: skip
    _print_shares(result, screen)


def print_integrity(result: Integrity, screen: Screen) -> None:
    """Print whether everything is as it was, and what is not."""
    files = f"{format_plural(result.files, 'file' if result.exported else 'log')} ({format_number(result.size_mb)} MB)"
    facts = [("release", result.name), ("content", shorten_content_ids(result.release)), ("hashed", files)]
    facts += [("when", format_time(result.at_ns))] if result.at_ns is not None else []
    if not result.answers:
        screen.write(f"{result.name} was never verified here. Do: fieldloop release verify {result.name}")
        return
    screen.print(make_facts_table(facts))
    passed = sum(answer.status is Status.PASSED for answer in result.answers)
    screen.write(f"{passed} of {format_plural(len(result.answers), 'thing')} compared are as they were.")
    for fact in result.changed:
        screen.print(format_status(Status.FAILED, write_sentence(fact)))


def print_releases(results: Sequence[Release], screen: Screen) -> None:
    """Print releases as a table, by name."""
    rows = [
        (r.name, len(r.episodes), len(r.train), len(r.validation), len(r.excluded), r.protocol, r.taxonomy or "–")
        for r in results
    ]
    columns = ("release", "episodes", "train", "validation", "left out", "protocol", "taxonomy")
    screen.print(make_table(columns, rows, right=columns[1:5]))


def _print_left_out(result: Release, screen: Screen) -> None:
    """Print a row for each kind of reason, and what admits episodes for which a check gave no answer."""
    alike = result.group_left_out()
    _print_grouped(
        screen, f"{format_plural(len(result.excluded), 'episode')} left out", ("episodes", "why"),
        (((_write_reason(one),), episode) for one in alike for episode in one.episodes),
    )  # fmt: skip
    for step in dict.fromkeys(one.next_step for one in alike if one.next_step):
        screen.write(f"→ {write_sentence(step)}")


def _write_reason(alike: LeftOutAlike) -> str:
    return f"{'' if alike.same_text else 'For example: '}{write_sentence(alike.example)}"


def _print_grouped(
    screen: Screen, title: str, columns: Sequence[str], rows: Iterable[tuple[tuple[str, ...], str]]
) -> None:
    """Print a row for all episodes with the same cells, most episodes first."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for cells, episode in rows:
        groups.setdefault(cells, []).append(shorten_ids(episode))
    if not groups:
        return
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    screen.print()
    screen.print(make_heading(title))
    screen.print(make_table(columns, [(_name_some(names), *cells) for cells, names in ordered[:MOST_ROWS]]))
    _print_rest(screen, len(ordered), "row")


def _name_some(names: Sequence[str]) -> str:
    kinds = list(dict.fromkeys(names))
    more = f" and {len(kinds) - MOST_NAMED} more" if len(kinds) > MOST_NAMED else ""
    return ", ".join(kinds[:MOST_NAMED]) + more


def _print_shares(result: Release, screen: Screen) -> None:
    if not result.shares:
        return
    if result.off_the_map:
        screen.print()
        screen.print(make_heading("Shares"))
        screen.write(write_sentence(result.off_the_map))
        return
    ordered = sorted(result.shares, key=lambda one: (-one.sampled, -one.natural))
    rows = [
        (levels_in_words(s.stratum), percent(s.natural), percent(s.sampled), format_number(s.weight, 3))
        for s in islice(ordered, MOST_ROWS)
    ]
    columns = ("stratum", "of production", "of the release", "weight")
    screen.print()
    screen.print(make_heading("Shares"))
    screen.print(make_table(columns, rows, right=columns[1:]))
    _print_rest(screen, len(ordered), "stratum", "strata")


def _print_rest(screen: Screen, rows: int, word: str, words: str = "") -> None:
    if rows > MOST_ROWS:
        rest = format_plural(rows - MOST_ROWS, f"more {word}", words and f"more {words}")
        screen.write(f"And {rest}; --json lists all.")
