"""The Releases pages: what was frozen, and one release with its datasheet and shares."""

from fieldloop.loop.home.releases import show_release
from fieldloop.loop.ship.release import list_releases
from fieldloop.model.release import Release
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.numbers import (
    format_count,
    format_fixed,
    format_plural,
    levels_in_words,
    percent,
    shorten_content_ids,
    shorten_ids,
)
from fieldloop.ui.components import (
    Column,
    draw_answer_card,
    draw_copyable_command,
    draw_empty_state,
    draw_key_values,
    draw_meter,
    draw_panel,
    draw_table,
    render_markdown,
)
from fieldloop.ui.visit import Drawn, Visit


def draw(visit: Visit) -> Drawn:
    """Draw the list of releases."""
    known = list_releases(visit.workspace)
    if not known:
        nothing = draw_empty_state(
            "Nothing is frozen yet",
            "A release is an immutable selection of accepted, annotated episodes.",
            draw_copyable_command("fieldloop release NAME"),
        )
        return Drawn(escape("Releases"), (nothing,))
    last = known[0]
    card = draw_answer_card(
        "good",
        f"{last.name} is the newest release: {format_plural(len(last.episodes), 'episode')}",
        f"{format_count(len(last.excluded))} episodes are left out, each with a reason.",
        draw_copyable_command(f"fieldloop train {last.name}"),
    )
    rows = [
        (
            tag("a", r.name, href=f"/releases/{r.id}"),
            tag("span", shorten_content_ids(r.id), class_="mono"),
            format_count(len(r.episodes)),
            format_count(len(r.train)),
            format_count(len(r.validation)),
            format_count(len(r.excluded)),
            r.protocol,
            r.taxonomy,
        )
        for r in known
    ]
    columns = (
        "Release",
        "Id",
        Column("Episodes", "num"),
        Column("Train", "num"),
        Column("Validation", "num"),
        Column("Left out", "num"),
        "Protocol",
        "Taxonomy",
    )
    return Drawn(
        escape("Releases"), (card, draw_panel("Releases", draw_table(columns, rows), note="newest first", flush=True))
    )


def draw_release(visit: Visit) -> Drawn:
    """Draw one release."""
    now = show_release(visit.workspace, visit.path["release"])
    release = now.release
    title = join(tag("a", "Releases", href="/releases"), " / ", release.name)
    card = draw_answer_card(
        "good",
        f"{release.name}: {format_plural(len(release.episodes), 'episode')}, "
        f"{format_count(len(release.validation))} for validation",
        f"Content {release.id[:12]}; the same episodes always give the same release.",
    )
    sheet = draw_panel("Datasheet", render_markdown(now.datasheet), columns=6)
    return Drawn(title, (card, sheet, _draw_stratum_shares(release), _draw_excluded_episodes(release)))


def _draw_stratum_shares(release: Release) -> Markup:
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
    return draw_panel("Shares", draw_table(columns, rows), columns=6, flush=True)


def _draw_excluded_episodes(release: Release) -> Markup:
    if not release.excluded:
        return draw_panel("Left out", draw_key_values([("none", "no episode was left out")]))
    rows = [
        (tag("a", shorten_ids(episode), href=f"/episodes/{episode}", class_="mono"), write_sentence(reason))
        for episode, reason in release.excluded
    ]
    return draw_panel(
        "Left out",
        draw_table(("Episode", Column("Why", "text wide")), rows),
        note=format_plural(len(release.excluded), "episode"),
        flush=True,
    )
