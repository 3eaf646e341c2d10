"""The Releases page: what was frozen, and the form that freezes the next one."""

from fieldloop.loop.ship.release import list_releases
from fieldloop.model.release import Release
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.numbers import format_count, format_plural, shorten_content_ids
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_answer_card,
    draw_copyable_command,
    draw_empty_state,
    draw_form,
    draw_panel,
    draw_table,
)
from fieldloop.ui.visit import Drawn, Visit

COLUMNS = (
    "Release",
    "Id",
    Column("Episodes", "num"),
    Column("Train", "num"),
    Column("Validation", "num"),
    Column("Left out", "num"),
    "Selected by",
    "Protocol",
    "Taxonomy",
)


def draw(visit: Visit) -> Drawn:
    """Draw the list of releases, and the form for the next one."""
    known = list_releases(visit.workspace)
    if not known:
        nothing = draw_empty_state(
            "Nothing is frozen yet",
            "A release is an immutable selection of accepted, annotated episodes.",
            draw_copyable_command("fieldloop release NAME"),
        )
        return Drawn(escape("Releases"), (nothing, _draw_freeze_form()))
    last = known[0]
    card = draw_answer_card(
        "warn" if last.override else "good",
        f"{last.name} is the newest release: {format_plural(len(last.episodes), 'episode')}",
        f"Frozen in spite of {format_plural(len(last.overridden), 'reason')}: {last.override}"
        if last.override
        else f"{format_count(len(last.excluded))} episodes are left out, each with a reason.",
        draw_copyable_command(f"fieldloop train {last.name}"),
    )
    table = draw_panel("Releases", draw_table(COLUMNS, map(_list_cells, known)), note="newest first", flush=True)
    return Drawn(escape("Releases"), (card, table, _draw_freeze_form()))


def _list_cells(release: Release) -> tuple[object, ...]:
    return (
        tag("a", release.name, href=f"/releases/{release.id}"),
        tag("span", shorten_content_ids(release.id), class_="mono"),
        format_count(len(release.episodes)),
        format_count(len(release.train)),
        format_count(len(release.validation)),
        format_count(len(release.excluded)),
        " ".join([*release.query, *(["a plan"] if release.plan else [])]) or "all accepted",
        release.protocol,
        release.taxonomy,
    )


def _draw_freeze_form() -> Markup:
    """Draw the form that freezes; a refusal is shown in place with all its reasons."""
    fields = (
        Field("name", "Name", hint="r7", required=True),
        Field("where", "Only episodes with", "rows", hint="site=hall-2, one condition, field or fact a line"),
        Field("plan", "Only for plan", hint="its number or id; 1 is the first"),
        Field("fix", "Apply proposed fixes", "pick", "none", choices=("", "trim", "restamp")),
        Field("apart", "On one side of the split only", "pick", "sessions", choices=("", "operator", "object")),
        Field("seed", "Seed of the split", "number", hint="0"),
        Field("without_worst", "Leave out the share of least worth", "number", hint="0.1; needs gate trials"),
        Field("worst_by", "Worth by", "choice", value="smooth", choices=("smooth", "influence")),
        Field("override", "Release in spite of reasons against it", hint="why; recorded with your name"),
    )
    return draw_panel("Freeze a release", draw_form("/api/release", fields, Submit("Freeze")))
