"""The loop at a glance: ten cells in order, the way back to the plan, and what changed last."""

from collections.abc import Sequence

from fieldloop.loop.home_changes import Change
from fieldloop.loop.home_stages import StageNow
from fieldloop.ui.components.marks import status_mark
from fieldloop.ui.markup import Html, tag
from fieldloop.ui.said import ago, moment

BACK = Html('<svg viewBox="0 0 14 14" aria-hidden="true"><path d="M12 2v4a3 3 0 0 1-3 3H2M5 6 2 9l3 3"/></svg>')


def loop_strip(stages: Sequence[StageNow], way_back: str) -> Html:
    """Draw the stages of the loop with what is in each now."""
    cells = [
        tag(
            "a",
            tag("span", status_mark(stage.mark), stage.name, class_="k"),
            tag("span", stage.count, class_="v", data_count=stage.key),
            tag("span", stage.fact, class_="s", title=stage.fact, data_fact=stage.key),
            href=stage.page,
        )
        for stage in stages
    ]
    back = tag("div", BACK, tag("span", way_back), class_="return")
    return tag(
        "section", tag("nav", *cells, class_="loop", aria_label="Stages"), back, class_="panel", aria_label="The loop"
    )


def change_list(changes: Sequence[Change], now_ns: int) -> Html:
    """List what happened last, newest first."""
    if not changes:
        return tag("p", "Nothing has happened yet.", class_="body dim")
    items = [
        tag(
            "li",
            tag("time", ago(c.at_ns, now_ns), title=moment(c.at_ns)),
            status_mark(c.mark),
            tag("span", c.text),
            tag("p", c.detail),
        )
        for c in changes
    ]
    return tag("ol", *items, class_="log")
