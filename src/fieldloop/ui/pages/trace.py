"""The Trace page: what a policy rests on, or what one thing touched."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode

from fieldloop.loop.run.trust import Traced, trace
from fieldloop.model.touched import Dependents
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.numbers import format_count, format_plural, shorten_ids
from fieldloop.ui.components import Column, draw_answer_card, draw_empty_state, draw_panel, draw_table
from fieldloop.ui.visit import Drawn, Visit

KINDS = ("policy", "calibration", "operator", "robot", "session", "site", "provider", "protocol", "episode")
LINKED = {"operator": "operator", "robot": "robot", "site": "site", "session": "session"}
MOST_ROWS = 200


def draw(visit: Visit) -> Drawn:
    """Draw a trace, and the form to ask for another."""
    asked = {kind: value for kind, value in visit.query.items() if kind in KINDS and value}
    if "of" in visit.query and visit.query.get("name"):
        asked = {visit.query["of"]: visit.query["name"]}
    if len(asked) != 1 or not set(asked) <= set(KINDS):
        nothing = draw_empty_state("Nothing is traced yet", "Name a policy, or one thing that policies may rest on.")
        return Drawn(escape("Trace"), (nothing, _draw_form("", "")))
    found = trace(visit.workspace, **asked)
    kind, name = next(iter(asked.items()))
    parts = _draw_touched(found) if isinstance(found, Dependents) else _draw_lineage(found, name)
    return Drawn(escape("Trace"), (*parts, _draw_form(kind, name)))


def _draw_form(kind: str, name: str) -> Markup:
    options = [tag("option", one, value=one, selected=one == kind) for one in KINDS]
    fields = (
        tag("label", tag("span", "What rests on, or what it touched"), tag("select", *options, name="of")),
        tag(
            "label",
            tag("span", "Name or id"),
            tag("input", type="text", name="name", value=name or None, required=True),
        ),
    )
    button = tag("div", tag("button", "Trace", class_="btn primary", type="submit"), class_="chips")
    form = tag("form", *fields, button, class_="form", method="get", action="/trace")
    return draw_panel("Trace something else", form)


def _draw_touched(found: Dependents) -> tuple[Markup, ...]:
    level = "warn" if found.policies else "good"
    rest = f"{format_plural(found.not_released, 'episode')} of them in no release." if found.not_released else ""
    card = draw_answer_card(level, write_sentence(found.sentence), rest)
    releases = [
        (
            tag("a", one.name, href=f"/releases/{one.release}"), format_count(one.episodes), format_count(one.of),
            format_count(one.train), format_count(one.validation), ", ".join(one.exported) or "–",
        )
        for one in found.releases
    ]  # fmt: skip
    policies = [
        (tag("a", one.name, href=f"/policies/{one.policy}"), shorten_ids(one.release), one.rung or "never rolled out")
        for one in found.policies
    ]
    columns = (
        "Release", Column("Touched", "num"), Column("Of", "num"), Column("Train", "num"), Column("Validation", "num"),
        Column("Exported to", "text"),
    )  # fmt: skip
    return (
        card,
        draw_panel("Releases", draw_table(columns, releases), columns=6, flush=True),
        draw_panel("Policies", draw_table(("Policy", "Trained on", "Rollout"), policies), columns=6, flush=True),
        draw_panel("Episodes", _draw_episode_links(found.episodes), note=format_plural(len(found.episodes), "episode")),
    )


def _draw_episode_links(episodes: Sequence[str]) -> Markup:
    links = [tag("a", shorten_ids(one), " ", href=f"/episodes/{one}", class_="mono") for one in episodes[:MOST_ROWS]]
    return tag("p", *links, class_="body")


def _draw_lineage(found: Traced, policy: str) -> tuple[Markup, ...]:
    """Draw what a policy rests on, counted by what episodes share; each name leads to what else it touched."""
    origins = found.origins
    release = tag("a", shorten_ids(found.release), href=f"/releases/{found.release}") if found.release else "not known"
    card = draw_answer_card(
        "warn" if found.open_ends else "good",
        f"{shorten_ids(policy)} rests on {format_plural(len(origins), 'episode')}",
        tag("span", "Release ", release, f", protocol {found.protocol or 'not given'}"),
    )
    ends = [tag("li", write_sentence(end)) for end in found.open_ends]
    counted = {kind: Counter(getattr(origin, kind) for origin in origins) for kind in LINKED}
    counted["calibration"] = Counter(name for origin in origins for name in origin.calibrations)
    panels = [_draw_counted(kind, counts) for kind, counts in counted.items() if any(counts)]
    open_ends = [draw_panel("What could not be traced", tag("ul", *ends, class_="list"))] if ends else []
    return (card, *open_ends, *panels)


def _draw_counted(kind: str, counts: Counter[str]) -> Markup:
    rows = [
        (
            tag("a", shorten_ids(name), href=f"/trace?{urlencode({kind: name})}") if name else "not stated",
            format_count(n),
        )
        for name, n in counts.most_common(MOST_ROWS)
    ]
    columns = (kind.capitalize(), Column("Episodes", "num"))
    return draw_panel(f"{kind.capitalize()}s", draw_table(columns, rows), columns=4, flush=True)
