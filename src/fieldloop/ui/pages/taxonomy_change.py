"""What changed between two versions of a taxonomy, and the forms that lock it or carry labels over."""

from fieldloop.loop.annotate.taxonomy.change import TaxonomyChanges
from fieldloop.loop.home.taxonomy import TaxonomiesShown
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_plural
from fieldloop.ui.components import Column, Field, Submit, draw_folded, draw_form, draw_panel, draw_table

COLUMNS = ("Kind", "Label", "Change", Column("What", "text wide"))
TOUCHED = ("Episode", "Kind", "Labels", "Labelled by")
MOST = 60
MAPPED = "What becomes of labels, one a line: kind:old=new, or a split kind:old=new,new"


def draw_compared(now: TaxonomiesShown) -> Markup | None:
    """Draw the comparison that was asked for, if any."""
    if now.compared is None:
        return None
    title = f"From {now.compared.older} to {now.compared.newer}"
    return draw_panel(title, _draw_changes(now.compared), flush=True)


def draw_change(now: TaxonomiesShown) -> Markup:
    """Draw what a lock would change, with the forms that do it."""
    change = now.change
    assert change is not None
    may = now.may_change and now.linted is not None and not now.linted.errors
    forms = [tag("div", *_draw_forms(now, change), class_="body")] if may else []
    return draw_panel(
        f"What {change.newer} changes", _draw_changes(change), *forms, note=f"against {change.older}", flush=True
    )


def _draw_changes(change: TaxonomyChanges) -> Markup:
    if not change.changes:
        return tag("p", "No label differs.", class_="dim body")
    rows = [(one.kind, one.label, one.change.value, _write_what(one.became, one.fields)) for one in change.changes]
    gone = tag(
        "p", draw_level_mark("bad"), f" In use, but not in {change.newer}: {', '.join(change.unmapped)}.", class_="body"
    ) if change.unmapped else None  # fmt: skip
    return join(draw_table(COLUMNS, rows), gone, _draw_touched(change))


def _write_what(became: tuple[str, ...], fields: tuple[str, ...]) -> str:
    return f"now {' and '.join(became)}" if became else ", ".join(fields)


def _draw_touched(change: TaxonomyChanges) -> Markup:
    if not change.touched:
        words = _write_hidden(change.hidden) if change.hidden else "No episode has to be labelled again."
        return tag("p", words, class_="dim body")
    rows = [
        (tag("a", one.name, href=f"/annotate/{one.episode}"), one.kind, ", ".join(one.labels), ", ".join(one.authors))
        for one in change.touched[:MOST]
    ]
    counted = format_plural(len({one.episode for one in change.touched}), "episode")
    first = f"; the first {MOST} are listed" if len(change.touched) > MOST else ""
    hidden = tag("p", _write_hidden(change.hidden), class_="dim body") if change.hidden else None
    table = tag("div", draw_table(TOUCHED, rows), class_="scroll")
    return draw_folded(f"{counted} to be labelled again{first}", table, hidden)


def _write_hidden(hidden: int) -> str:
    more = format_plural(hidden, "lane")
    return f"{more} of episodes that are labelled independently count, too; their labels are hidden from you for now."


def _draw_forms(now: TaxonomiesShown, change: TaxonomyChanges) -> list[Markup]:
    """Draw the form that states what becomes of labels; where no label in use went, also the button that only locks."""
    sure = f"Lock {change.newer}? {format_plural(len(change.touched) + change.hidden, 'task')} would be dealt."
    task = {"task": now.task}
    lock = draw_form("/api/taxonomy/lock", (), Submit("Lock", task, sure=sure))
    wanted = "\n".join(f"{one.replace(' ', ':')}=" for one in change.unmapped)
    fields = (Field("map", MAPPED, "rows", hint="phase:reach=approach", value=wanted, required=True),)
    submit = Submit(
        "Lock and carry labels over", task, kind="primary" if change.unmapped else "", sure=f"Lock {change.newer}?"
    )
    migrate = draw_form("/api/taxonomy/migrate", fields, submit)
    if change.unmapped:
        return [migrate]
    return [lock, draw_folded("Labels were renamed or split", tag("div", migrate, class_="body"))]
