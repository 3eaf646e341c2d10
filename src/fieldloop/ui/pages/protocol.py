"""The Protocol page: the sheet that operators follow, what lint reports, and the locked versions."""

from collections.abc import Sequence
from typing import Any

from fieldloop.loop.home.protocol import show_protocol
from fieldloop.loop.protocol.lint import Linted
from fieldloop.loop.protocol.versions import LockedVersion
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_plural
from fieldloop.ui.components import (
    Column,
    draw_answer_card,
    draw_chip,
    draw_copyable_command,
    draw_key_values,
    draw_panel,
    draw_table,
)
from fieldloop.ui.pages.protocol_clocks import draw_clocks
from fieldloop.ui.visit import Drawn, Visit

SHORT = 28
"""Letters of a cell that need not wrap."""
LEVELS = {"error": "bad", "warning": "warn", "hint": "idle"}


def draw(visit: Visit) -> Drawn:
    """Draw the protocol page; `?interface=vr` shows the instructions of one interface."""
    now = show_protocol(visit.workspace, interface=visit.query.get("interface", ""))
    parts: list[Markup] = [
        _draw_answer_card(now.linted, now.sheet),
        _draw_interface_chips(now.interfaces, now.sheet.interface),
    ]
    parts += [_draw_part(part) for part in now.sheet.parts]
    if now.linted.remarks:
        parts.append(_draw_remarks(now.linted))
    if now.clocks:
        parts.append(draw_clocks(now.clocks))
    return Drawn(escape(f"Protocol {now.sheet.title}"), (*parts, _draw_versions(now.versions)))


def _draw_answer_card(linted: Linted, protocol_shown: Any) -> Markup:
    if linted.errors:
        return draw_answer_card(
            "bad",
            f"{format_plural(len(linted.errors), 'error')} to fix before the protocol can be locked",
            protocol_shown.lead,
        )
    if not protocol_shown.locked:
        lock = draw_copyable_command("fieldloop protocol lock")
        return draw_answer_card(
            "warn", "The protocol is not locked: it can change while people collect with it", protocol_shown.lead, lock
        )
    return draw_answer_card("good", f"{protocol_shown.protocol} is locked", protocol_shown.lead)


def _draw_interface_chips(names: Sequence[str], chosen_interface: str) -> Markup:
    every = draw_chip("all interfaces", href="/protocol", current=chosen_interface not in names)
    chips = [draw_chip(name, href=f"/protocol?interface={name}", current=name == chosen_interface) for name in names]
    name = f" --interface {chosen_interface}" if chosen_interface in names else ""
    return draw_panel(
        "Operator's sheet for", join(every, " ", *(join(c, " ") for c in chips)),
        note="one control interface, or all",
        right=draw_copyable_command(f"fieldloop protocol sheet{name} --html sheet.html"),
    )  # fmt: skip


def _draw_block(block: Any) -> Markup:
    """Draw a block of the sheet: facts have pairs, tables have rows, the rest is sentences."""
    if hasattr(block, "pairs"):
        return draw_key_values(block.pairs)
    if hasattr(block, "rows"):
        longest = [max((len(row[place]) for row in block.rows), default=0) for place in range(len(block.columns))]
        kinds = ["text" if length > SHORT else "" for length in longest]
        return draw_table(list(map(Column, block.columns, kinds)), block.rows)
    if block.prohibited:
        listed = join(*(tag("p", _draw_mark_with_word("bad", line)) for line in block.lines))
    else:
        listed = tag("ol" if block.ordered else "ul", *(tag("li", line) for line in block.lines))
    return tag("div", tag("h3", block.heading) if block.heading else None, listed, class_="prose")


def _draw_mark_with_word(level: str, word: str) -> Markup:
    return tag("span", draw_level_mark(level, word), tag("span", word), class_="st")


def _draw_part(part: Any) -> Markup:
    is_table = any(hasattr(block, "rows") for block in part.blocks)
    columns = 12 if is_table or len(part.blocks) > 1 else 6
    return draw_panel(part.title, *map(_draw_block, part.blocks), note=part.note, columns=columns, flush=is_table)


def _draw_remarks(linted: Linted) -> Markup:
    rows = [
        (
            _draw_mark_with_word(LEVELS[r.severity], r.severity.value),
            tag("span", r.code, class_="mono"),
            r.place,
            write_sentence(r.message),
            write_sentence(r.advice),
        )
        for r in linted.remarks
    ]
    columns = ("", "Code", "Table", Column("Remark", "text"), Column("What to do", "text"))
    return draw_panel("Lint", draw_table(columns, rows), note=linted.file, flush=True)


def _draw_versions(locked_versions: Sequence[LockedVersion]) -> Markup:
    if not locked_versions:
        return draw_panel("Locked versions", tag("p", "None yet.", class_="dim"), columns=6)
    rows = [
        (f"{v.name} v{v.version}", tag("span", v.fingerprint, class_="mono"), "in force" if v.in_force else "")
        for v in locked_versions
    ]
    return draw_panel("Locked versions", draw_table(("Version", "Content", ""), rows), flush=True, columns=6)
