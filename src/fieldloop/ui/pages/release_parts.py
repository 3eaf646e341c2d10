"""The pages behind a release: the difference to another one, and whether everything is still as it was."""

from fieldloop.loop.ship.release_diff import compare_two_releases
from fieldloop.loop.ship.verified import show_last_verification
from fieldloop.model.release_diff import ReleaseDiff
from fieldloop.report import release_diff as words
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_number, format_plural, format_time
from fieldloop.ui.components import (
    Column,
    draw_action_button,
    draw_answer_card,
    draw_copyable_command,
    draw_panel,
    draw_table,
)
from fieldloop.ui.visit import Drawn, Visit

NUMBERS = {"episodes", "apart", "p (Holm)", *words.FEATURE_COLUMNS[1:5], *words.SHARE_COLUMNS[1:]}
WIDE = {"why", "most changed"}


def draw_diff(visit: Visit) -> Drawn:
    """Draw what changed from one release to another."""
    older, newer = visit.path["older"], visit.path["newer"]
    diff = compare_two_releases(visit.workspace, older, newer, kept_only=True)
    old, new = diff.names
    title = join(tag("a", "Releases", href="/releases"), f" / from {old} to {new}")
    shifted = any(one.shifted for one in diff.shifts)
    card = draw_answer_card(
        "warn" if shifted else "good",
        words.write_headline(diff),
        " ".join(words.list_remarks(diff)),
        draw_copyable_command(f"fieldloop release diff {old} {new}"),
    )
    return Drawn(title, (card, *_draw_tables(diff), *_draw_values_form(diff)))


def _draw_values_form(diff: ReleaseDiff) -> list[Markup]:
    """Draw the button that reads the values of all episodes, until they are all known."""
    known = diff.measured or (0, 0)
    if diff.same or known == diff.counts:
        return []
    parts = [f"{one} of {format_plural(every, 'episode')}" for one, every in zip(known, diff.counts, strict=True)]
    words = (
        f"Values are known of {parts[0]} before and {parts[1]} now. The others are read from their logs once, which "
        "takes a while for a large release, and are then kept."
    )
    button = draw_action_button(
        "Compute what a normaliser feels", "/api/release/diff", {"older": diff.before, "newer": diff.after}
    )
    return [draw_panel("Values of all episodes", tag("p", words, class_="body"), button)]


def _draw_tables(diff: ReleaseDiff) -> list[Markup]:
    tables = (
        ("Episodes", words.CHANGE_COLUMNS, words.list_change_rows(diff)),
        ("Conditions", words.SHIFT_COLUMNS, words.list_shift_rows(diff)),
        ("What a normaliser feels", words.FEATURE_COLUMNS, words.list_feature_rows(diff)),
        ("Shares", words.SHARE_COLUMNS, words.list_share_rows(diff)),
    )
    return [
        draw_panel(title, draw_table([_make_column(name) for name in columns], rows), flush=True)
        for title, columns, rows in tables
        if rows
    ]


def _make_column(name: str) -> Column:
    return Column(name[:1].upper() + name[1:], "num" if name in NUMBERS else "text wide" if name in WIDE else "")


def draw_integrity(visit: Visit) -> Drawn:
    """Draw what verifying a release found the last time, and the button that hashes everything again."""
    found = show_last_verification(visit.workspace, visit.path["release"])
    title = join(
        tag("a", "Releases", href="/releases"),
        " / ",
        tag("a", found.name, href=f"/releases/{found.release}"),
        " / verify",
    )
    again = draw_action_button("Hash everything again", "/api/release/verify", {"release": found.release})
    if found.at_ns is None:
        how = "Verifying reads and hashes every log of the release, which takes a while for a large one."
        return Drawn(title, (draw_answer_card("warn", f"{found.name} was never verified here", how, again),))
    hashed = (
        f"{format_plural(found.files, 'log')}, {format_number(found.size_mb)} MB hashed {format_time(found.at_ns)}."
    )
    changed = format_plural(len(found.changed), "thing")
    headline = f"{found.name} was as it was frozen" if found.exit_ok else f"{changed} of {found.name} changed"
    rows = [(draw_status(answer.status), write_sentence(answer.fact)) for answer in found.answers]
    rows.sort(key=lambda row: "passed" in str(row[0]))
    table = draw_table(("Answer", Column("", "text wide")), rows)
    card = draw_answer_card("good" if found.exit_ok else "bad", headline, hashed, again)
    return Drawn(title, (card, draw_panel("Compared", table, flush=True)))
