"""The loop at a glance: ten cells in order, the way back to the plan, and what changed last."""

from collections.abc import Sequence

from fieldloop.loop.home.changes import Change
from fieldloop.loop.home.stages import StageNow
from fieldloop.model.note import Note
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_recent_time, format_time, shorten_ids

BACK = Markup('<svg viewBox="0 0 14 14" aria-hidden="true"><path d="M12 2v4a3 3 0 0 1-3 3H2M5 6 2 9l3 3"/></svg>')


def draw_loop_strip(stages: Sequence[StageNow], return_note: Note) -> Markup:
    """Draw the stages of the loop with what is in each now."""
    cells = [
        tag(
            "a",
            tag("span", draw_level_mark(stage.mark), stage.name, class_="k"),
            tag("span", stage.count, class_="v", data_count=stage.key),
            tag("span", write_sentence(stage.fact), class_="s", title=write_sentence(stage.fact), data_fact=stage.key),
            href=stage.page,
        )
        for stage in stages
    ]
    back = tag("div", BACK, tag("span", write_sentence(return_note)), class_="return")
    return tag(
        "section", tag("nav", *cells, class_="loop", aria_label="Stages"), back, class_="panel", aria_label="The loop"
    )


def draw_change_list(changes: Sequence[Change], now_ns: int) -> Markup:
    """List what happened last, newest first."""
    if not changes:
        return tag("p", "Nothing has happened yet.", class_="body dim")
    items = [
        tag(
            "li",
            tag("time", format_recent_time(c.at_ns, now_ns), title=format_time(c.at_ns)),
            draw_level_mark(c.mark),
            tag("span", shorten_ids(write_sentence(c.text))),
            tag("p", write_sentence(c.detail) if isinstance(c.detail, Note) else c.detail),
        )
        for c in changes
    ]
    return tag("ol", *items, class_="log")
