"""Protocol: what an operator works by, what lint says about it, and which versions are locked."""

from collections.abc import Sequence
from typing import Any

from fieldloop.loop.protocol_lint import Linted, linted_task
from fieldloop.loop.protocol_sheet import sheet_in_force
from fieldloop.loop.protocol_versions import LockedVersion, versions
from fieldloop.ui.components import Column, chip, command, dense_table, key_value, next_card, panel, status_mark
from fieldloop.ui.markup import Html, join, tag, text
from fieldloop.ui.pages.protocol_clocks import synchronised
from fieldloop.ui.said import plural
from fieldloop.ui.visit import Drawn, Visit

SHORT = 28
"""Letters of a cell that need not wrap."""
LEVELS = {"error": "bad", "warning": "warn", "hint": "idle"}


def draw(visit: Visit) -> Drawn:
    """Draw the protocol page; `?interface=vr` shows the instructions of one interface."""
    whole = sheet_in_force(visit.workspace)
    rules = visit.workspace.protocol()
    names = [name for name in rules.setting("task.interfaces") if name in rules.interfaces]
    chosen = visit.query.get("interface", "")
    shown = sheet_in_force(visit.workspace, interface=chosen) if chosen in names else whole
    linted = linted_task(visit.workspace)
    parts: list[Html] = [_answer(linted, shown), _interfaces(names, chosen)]
    parts += [_part(part) for part in shown.parts]
    if linted.remarks:
        parts.append(_remarks(linted))
    parts += synchronised(visit.workspace)
    return Drawn(text(f"Protocol {shown.title}"), (*parts, _versions(versions(visit.workspace))))


def _answer(linted: Linted, shown: Any) -> Html:
    if linted.errors:
        return next_card("bad", f"{plural(len(linted.errors), 'error')} stand in the way of locking it", shown.lead)
    if not shown.locked:
        lock = command("fieldloop protocol lock")
        return next_card("warn", "Not locked: it may still change under those who collect by it", shown.lead, lock)
    return next_card("good", f"{shown.protocol} is locked", shown.lead)


def _interfaces(names: Sequence[str], chosen: str) -> Html:
    every = chip("all interfaces", href="/protocol", current=chosen not in names)
    chips = [chip(name, href=f"/protocol?interface={name}", current=name == chosen) for name in names]
    name = f" --interface {chosen}" if chosen in names else ""
    return panel(
        "Sheet for", join(every, " ", *(join(c, " ") for c in chips)),
        note="one control interface, or all", right=command(f"fieldloop protocol sheet{name} --html sheet.html"),
    )  # fmt: skip


def _block(block: Any) -> Html:
    """Draw a block of the sheet: facts have pairs, tables have rows, the rest is sentences."""
    if hasattr(block, "pairs"):
        return key_value(block.pairs)
    if hasattr(block, "rows"):
        longest = [max((len(row[place]) for row in block.rows), default=0) for place in range(len(block.columns))]
        kinds = ["text" if length > SHORT else "" for length in longest]
        return dense_table(list(map(Column, block.columns, kinds)), block.rows)
    if block.prohibited:
        listed = join(*(tag("p", _marked("bad", line)) for line in block.lines))
    else:
        listed = tag("ol" if block.ordered else "ul", *(tag("li", line) for line in block.lines))
    return tag("div", tag("h3", block.heading) if block.heading else None, listed, class_="prose")


def _marked(level: str, word: str) -> Html:
    return tag("span", status_mark(level, word), tag("span", word), class_="st")


def _part(part: Any) -> Html:
    is_table = any(hasattr(block, "rows") for block in part.blocks)
    columns = 12 if is_table or len(part.blocks) > 1 else 6
    return panel(part.title, *map(_block, part.blocks), note=part.note, columns=columns, flush=is_table)


def _remarks(linted: Linted) -> Html:
    rows = [
        (
            _marked(LEVELS[r.severity], r.severity.value),
            tag("span", r.code, class_="mono"),
            r.place,
            r.message,
            r.advice,
        )
        for r in linted.remarks
    ]
    columns = ("", "Code", "Table", Column("What is so", "text"), Column("What to do", "text"))
    return panel("What lint says", dense_table(columns, rows), note=linted.file, flush=True)


def _versions(locked: Sequence[LockedVersion]) -> Html:
    if not locked:
        return panel("Locked versions", tag("p", "None yet.", class_="dim"), columns=6)
    rows = [
        (f"{v.name} v{v.version}", tag("span", v.fingerprint, class_="mono"), "in force" if v.in_force else "")
        for v in locked
    ]
    return panel("Locked versions", dense_table(("Version", "Content", ""), rows), flush=True, columns=6)
