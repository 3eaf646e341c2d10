"""The page of one release: shares, durations, people, checks, labels, exports, and what to do with it."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from fieldloop.loop.home.releases import ReleaseShown, show_release
from fieldloop.model.note import Note
from fieldloop.model.release import LeftOutAlike, Release
from fieldloop.model.release_contents import Counted, ReleaseContents
from fieldloop.report.datasheet_drawings import draw_counts, draw_durations, draw_shares
from fieldloop.report.datasheet_page import CHECK_COLUMNS, LABEL_COLUMNS, list_check_row, list_label_row, write_headline
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.numbers import format_count, format_fixed, format_plural, levels_in_words, percent, shorten_ids
from fieldloop.say.worth import SCALES
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_answer_card,
    draw_button,
    draw_chip,
    draw_copyable_command,
    draw_folded,
    draw_form,
    draw_key_values,
    draw_meter,
    draw_panel,
    draw_table,
    make_script_element,
    render_markdown,
)
from fieldloop.ui.visit import Drawn, Visit

TRACED = {"operators": "operator", "robots": "robot", "sites": "site"}
"""Factors from whose names a trace leads on."""
MOST_NAMES = 12
TEXTS = 3
"""Columns of the table of labels before its numbers."""


def draw_release(visit: Visit) -> Drawn:
    """Draw one release."""
    now = show_release(visit.workspace, visit.path["release"])
    release, contents = now.release, now.contents
    title = join(tag("a", "Releases", href="/releases"), " / ", release.name)
    parts = (
        _draw_answer_card(release),
        _draw_shares(release),
        draw_panel("Durations", draw_durations(contents.durations), note="episodes by duration", columns=6),
        *_draw_people(contents),
        _draw_checks(release),
        _draw_labels(now),
        *_draw_stratum_shares(release),
        _draw_excluded_episodes(release),
        _draw_compare(now),
        _draw_worth(release),
        _draw_exports(now),
        draw_panel("Datasheet", draw_folded("As Markdown", render_markdown(now.datasheet))),
    )
    return Drawn(title, parts)


def _draw_answer_card(release: Release) -> Markup:
    reasons = join(*(tag("span", tag("br"), f"– {write_sentence(reason)}") for reason in release.overridden))
    why = join(f"Frozen in spite of this: {release.override}", reasons) if release.override else ""
    selected = " ".join(release.query) or ("a plan" if release.plan else "every accepted episode")
    return draw_answer_card(
        "warn" if release.override else "good",
        f"{release.name}: {write_headline(release)}",
        join(f"Selected: {selected}. Content {release.id[:12]}: the same episodes always give the same release. ", why),
        draw_button("Verify", f"/releases/{release.id}/verify"),
        draw_copyable_command(f"fieldloop train {release.name}"),
    )


def _draw_people(contents: ReleaseContents) -> list[Markup]:
    panels = []
    for factor, kind in TRACED.items():
        counts = contents.counted.get(factor, ())
        if any(one.name for one in counts):
            panels.append(
                draw_panel(
                    factor.capitalize(),
                    draw_counts(counts, f"Episodes by {factor}"),
                    _draw_trace_links(kind, counts),
                    columns=6,
                )
            )
    return panels


def _draw_trace_links(kind: str, counts: Sequence[Counted]) -> Markup:
    named = [one.name for one in counts[:MOST_NAMES] if one.name]
    links = [draw_chip(name, href=f"/trace?{urlencode({kind: name})}") for name in named]
    return tag("div", "What rests on ", *(join(link, " ") for link in links), class_="chips under")


def _draw_checks(release: Release) -> Markup:
    if release.checks is None:
        return draw_panel("Checks", tag("p", "The release was frozen before checks were kept with it.", class_="body"))
    counted = ", ".join(f"{n} {status.value.replace('_', ' ')}" for status, n in release.checks.episodes.items())
    columns = [Column(name.capitalize(), "" if name else "text wide") for name in CHECK_COLUMNS]
    rows = [list_check_row(finding) for finding in release.checks.dataset]
    return draw_panel("Checks of the selection", draw_table(columns, rows), note=f"episodes: {counted}", flush=True)


def _draw_labels(now: ReleaseShown) -> Markup:
    contents = now.contents
    if now.labels_changed:
        words = "The labels on record are not those that the release was frozen with. Verify shows what changed."
        return draw_panel("Labels", tag("p", words, class_="body"))
    if not contents.labels:
        return draw_panel("Labels", draw_key_values([("none", "no episode is labelled")]))
    columns = [Column(name.capitalize(), "" if k < TEXTS else "num") for k, name in enumerate(LABEL_COLUMNS)]
    return draw_panel("Labels", draw_table(columns, map(list_label_row, contents.labels)), flush=True)


def _draw_shares(release: Release) -> Markup:
    if release.off_the_map:
        return draw_panel("Shares", tag("p", write_sentence(release.off_the_map), class_="body"), columns=6)
    return draw_panel("Shares", draw_shares(release), note="bar: of the release, tick: of production", columns=6)


def _draw_stratum_shares(release: Release) -> list[Markup]:
    """Draw the weight of each stratum; nothing where no weight means anything."""
    if release.off_the_map:
        return []
    most = max((s.natural for s in release.shares), default=1.0) or 1.0
    rows = [
        (
            levels_in_words(s.stratum),
            draw_meter(s.natural / most),
            percent(s.natural),
            percent(s.sampled),
            format_fixed(s.weight, 2),
        )
        for s in sorted(release.shares, key=lambda s: -s.natural)
    ]
    columns = (
        "Stratum",
        Column("", "slim"),
        Column("In production", "num"),
        Column("In the release", "num"),
        Column("Weight", "num"),
    )
    return [draw_panel("Weights", draw_table(columns, rows), columns=6, flush=True)]


def _draw_excluded_episodes(release: Release) -> Markup:
    """Count the causes, the most frequent first; the episodes of each are folded."""
    if not release.excluded:
        return draw_panel("Left out", draw_key_values([("none", "no episode was left out")]), columns=6)
    why = dict(release.excluded)
    causes = release.group_left_out()
    counted = format_plural(len(release.excluded), "episode")
    note = f"{counted}, {format_plural(len(causes), 'cause')}" if len(causes) > 1 else counted
    return draw_panel("Left out", *(_draw_cause(one, why) for one in causes), note=note, columns=6, flush=True)


def _draw_cause(cause: LeftOutAlike, why: Mapping[str, Note]) -> Markup:
    """Draw one cause: how many episodes it left out, what admits them, and behind a click which they are."""
    example = "" if cause.same_text else "for example: "
    rows = [
        (tag("a", shorten_ids(one), href=f"/episodes/{one}", class_="mono"), write_sentence(why[one]))
        for one in cause.episodes
    ]
    step = tag("p", f"→ {write_sentence(cause.next_step)}", class_="body dim") if cause.next_step else None
    table = tag("div", draw_table(("Episode", Column("Why", "text wide")), rows), class_="scroll")
    return draw_folded(f"{format_count(len(rows))} × {example}{write_sentence(cause.example)}", step, table)


def _draw_compare(now: ReleaseShown) -> Markup:
    links = [
        tag("p", draw_chip(f"{name} to {now.release.name}", href=f"/releases/{id_}/to/{now.release.id}"))
        for id_, name in now.others
    ]
    policies = [
        tag(
            "p",
            draw_chip(one.name, href=f"/policies/{one.id}"),
            " ",
            draw_chip("trace", href=f"/trace?policy={one.id}"),
        )
        for one in now.policies
    ]
    body = (
        tag("b", "What changed"),
        *(links or [tag("p", "This is the only release.")]),
        tag("b", "Policies trained on it"),
        *(policies or [tag("p", "None yet.")]),
    )
    return draw_panel("Compare and trace", *body, columns=6)


def _draw_worth(release: Release) -> Markup:
    """Draw the question what each episode is worth; a module asks it, because every log is read."""
    words = (
        "Which episodes are worth least to a policy is estimated from every log of the release: seconds to minutes by "
        "smoothness, longer by influence. The form that freezes a release can leave a share of them out."
    )
    asked = make_script_element("worth.js", {"release": release.id, "methods": dict(SCALES)})
    return draw_panel("Worth of episodes", tag("p", words, class_="dim"), asked, columns=6)


def _draw_exports(now: ReleaseShown) -> Markup:
    rows = [(e.format, e.target, format_count(e.episodes), format_count(e.frames)) for e in now.exports]
    columns = ("Format", "Target", Column("Episodes", "num"), Column("Frames", "num"))
    fields = (
        Field("target", "Name of the files", hint=f"{now.release.name}-lerobot", required=True),
        Field("to", "Format", "choice", value="lerobot", choices=("lerobot", "hdf5", "rlds", "mcap")),
        Field("hz", "Rows a second", "number", hint="as the first camera"),
    )
    form = draw_form("/api/release/export", fields, Submit("Export", {"release": now.release.id}))
    known = draw_table(columns, rows) if rows else None
    return draw_panel("Export", known, form, note="files go into the workspace's outbox", columns=6)
