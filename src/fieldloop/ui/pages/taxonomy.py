"""The Taxonomy page: the labels in force, an editor with lint, and what a lock would change before it is made."""

from collections.abc import Sequence
from urllib.parse import urlencode

from fieldloop.loop.annotate.taxonomy.taxonomies import LockedTaxonomy, TaxonomyLinted
from fieldloop.loop.home.taxonomy import TaxonomiesShown, show_taxonomies
from fieldloop.model.taxonomy import Label, Taxonomy
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_plural
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_answer_card,
    draw_button,
    draw_chip,
    draw_folded,
    draw_form,
    draw_panel,
    draw_table,
)
from fieldloop.ui.pages.taxonomy_change import draw_change, draw_compared
from fieldloop.ui.visit import Drawn, Visit

LABELS = ("Key", "Label", Column("Means", "text wide"), Column("Begins", "text"), Column("Ends", "text"))


def draw(visit: Visit) -> Drawn:
    """Draw the taxonomy of one task; `?older=pick@1` compares a locked version with the file."""
    query = visit.query
    now = show_taxonomies(
        visit.workspace, task=query.get("task", ""), older=query.get("older", ""), newer=query.get("newer", "")
    )
    parts: list[Markup | None] = [
        _draw_answer_card(now),
        _draw_files(now) if len(now.files) > 1 else None,
        draw_compared(now),
        draw_change(now) if now.change else None,
        _draw_lint(now.linted) if now.linted and (now.linted.errors or now.linted.remarks) else None,
        _draw_labels(now.taxonomy) if now.taxonomy else None,
        _draw_editor(now) if now.file and now.may_change else None,
        _draw_copies(now) if now.may_change else None,
        _draw_versions(now.versions, now.task),
    ]
    title = join("Taxonomy ", now.taxonomy.version_name if now.taxonomy else now.task)
    return Drawn(title, tuple(part for part in parts if part))


def _draw_answer_card(now: TaxonomiesShown) -> Markup:
    """State whether the labels may still change, and the one thing to do."""
    if now.taxonomy is None or now.linted is None:
        return draw_answer_card("bad", f"{now.file} cannot be read, so labels cannot be saved", now.unreadable)
    named, file = now.taxonomy.version_name, now.file or "no file of the workspace"
    if now.locked:
        how = f"From {file}. To change it, raise its version below, or fork it: labels made under it stay as they are."
        return draw_answer_card("good", f"{named} is locked and in force", how, draw_button("Annotate", "/annotate"))
    if now.linted.errors:
        counted = format_plural(len(now.linted.errors), "error")
        return draw_answer_card("bad", f"{counted} to mend before {named} can be locked", f"From {file}.")
    if now.change:
        return draw_answer_card(
            "warn", f"{named} is not locked: look at what it changes, then lock it", f"From {file}."
        )
    lock = Submit("Lock", {"task": now.task}, sure=f"Lock {named}? Its labels cannot change any more.")
    form = draw_form("/api/taxonomy/lock", (), lock) if now.may_change else None
    how = f"From {file}. Labels may still change. The first label that anyone saves locks it, too."
    return draw_answer_card("warn", f"{named} is not locked", how, form)


def _draw_files(now: TaxonomiesShown) -> Markup:
    chips = [
        draw_chip(name, href=f"/taxonomy?{urlencode({'task': name})}", current=name == now.task) for name in now.files
    ]
    return draw_panel("Taxonomies", tag("div", *chips, class_="chips"), note="one file for each task")


def _draw_lint(linted: TaxonomyLinted) -> Markup:
    rows = [
        (tag("span", draw_level_mark(level, word), tag("span", word), class_="st"), write_sentence(one))
        for level, word, found in (("bad", "error", linted.errors), ("idle", "remark", linted.remarks))
        for one in found
    ]
    return draw_panel(
        "Lint", draw_table(("", Column("What", "text wide")), rows), note="an error stops a lock", flush=True
    )


def _draw_labels(words: Taxonomy) -> Markup:
    """List the labels by kind, each kind folded under its names."""
    counted = f"{format_plural(len(words.labels), 'label')} of {format_plural(len(words.kinds), 'kind')}"
    return draw_panel("Labels", *(_draw_kind(words, kind) for kind in words.kinds), note=counted, flush=True)


def _draw_kind(words: Taxonomy, kind: str) -> Markup:
    labels = words.get_labels(kind)
    listed = tag("div", draw_table(LABELS, map(_make_label_row, labels)), class_="scroll")
    return draw_folded(f"{kind.capitalize()}: {', '.join(one.name for one in labels)}", listed)


def _make_label_row(one: Label) -> tuple[Markup | str, ...]:
    more = [
        *([f"part of {one.part_of}"] if one.part_of else []),
        *([f"includes {', '.join(one.includes)}"] * bool(one.includes)),
    ]
    named = join(tag("b", one.name), *(tag("small", words) for words in more))
    standards = [tag("small", f"Edge case: {words}") for words in one.edge_cases]
    means = join(one.definition, *standards, *([tag("small", f"Looks like: {one.card}")] if one.card else []))
    return tag("kbd", one.key) if one.key else "", named, means, one.begins, one.ends


def _draw_editor(now: TaxonomiesShown) -> Markup:
    name = now.file.rpartition("/")[2].removesuffix(".toml")
    sends = {"name": name, "seen": now.seen}
    form = draw_form(
        "/api/taxonomy/write",
        (Field("text", now.file, "lines", value=now.text),),
        Submit("Look over", {**sends, "write": False}, kind="", show="answers"),
        Submit("Save", {**sends, "write": True}),
    )
    folded = form if now.unreadable else draw_folded("Text of the file", tag("div", form, class_="body"))
    return draw_panel("Edit", folded, note="looking over writes nothing", flush=not now.unreadable)


def _draw_copies(now: TaxonomiesShown) -> Markup:
    """Draw the two ways to a file: a copy of what is in force, or the shipped labels as a start."""
    copied = now.taxonomy.version_name if now.taxonomy else "what is in force"
    names = (Field("name", "Name of the file, such as pick", hint=now.task, required=True),)
    versions = ("", *(f"{one.name}@{one.version}" for one in now.versions))
    fork = draw_form(
        "/api/taxonomy/fork",
        (*names, Field("version", "Copy", "choice", hint=f"{copied}, as it is in force", choices=versions)),
        Submit("Fork"),
    )
    new = draw_form("/api/taxonomy/new", names, Submit("Start from the shipped labels", kind=""))
    body = tag("div", tag("div", tag("b", "Fork"), fork), tag("div", tag("b", "Start anew"), new), class_="facts")
    return draw_panel("Another file", body, note="under its own name a fork is the next version")


def _draw_versions(versions: Sequence[LockedTaxonomy], task: str) -> Markup:
    if not versions:
        return draw_panel("Locked versions", tag("p", "None yet.", class_="dim"))
    rows = [
        (
            f"{one.name} v{one.version}",
            tag("span", one.fingerprint, class_="mono"),
            "in force" if one.in_force else "",
            draw_button(
                "Compare with the file", f"/taxonomy?{urlencode({'task': task, 'older': f'{one.name}@{one.version}'})}"
            ),
        )
        for one in versions
    ]
    return draw_panel(
        "Locked versions", draw_table(("Version", "Content", "", ""), rows), note="newest first", flush=True
    )
