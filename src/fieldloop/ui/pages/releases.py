"""The Releases pages: what was frozen, and one release with its datasheet and shares."""

from fieldloop.loop.home.releases import show_release
from fieldloop.loop.ship.release import releases
from fieldloop.model.release import Release
from fieldloop.say import sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.numbers import fixed, levels_in_words, percent, plural, short_id, shorten_ids, whole
from fieldloop.ui.components import Column, command, dense_table, empty_state, key_value, meter, next_card, panel, prose
from fieldloop.ui.visit import Drawn, Visit


def draw(visit: Visit) -> Drawn:
    """Draw the list of releases."""
    known = releases(visit.workspace)
    if not known:
        nothing = empty_state(
            "Nothing is frozen yet",
            "A release is an immutable selection of accepted, annotated episodes.",
            command("fieldloop release NAME"),
        )
        return Drawn(escape("Releases"), (nothing,))
    last = known[0]
    card = next_card(
        "good",
        f"{last.name} is the newest release: {plural(len(last.episodes), 'episode')}",
        f"{whole(len(last.excluded))} episodes are left out, each with a reason.",
        command(f"fieldloop train {last.name}"),
    )
    rows = [
        (
            tag("a", r.name, href=f"/releases/{r.id}"),
            tag("span", short_id(r.id), class_="mono"),
            whole(len(r.episodes)),
            whole(len(r.train)),
            whole(len(r.validation)),
            whole(len(r.excluded)),
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
        escape("Releases"), (card, panel("Releases", dense_table(columns, rows), note="newest first", flush=True))
    )


def draw_one(visit: Visit) -> Drawn:
    """Draw one release."""
    now = show_release(visit.workspace, visit.path["release"])
    release = now.release
    title = join(tag("a", "Releases", href="/releases"), " / ", release.name)
    card = next_card(
        "good",
        f"{release.name}: {plural(len(release.episodes), 'episode')}, {whole(len(release.validation))} for validation",
        f"Content {release.id[:12]}; the same episodes always give the same release.",
    )
    sheet = panel("Datasheet", prose(now.datasheet), columns=6)
    return Drawn(title, (card, sheet, _shares(release), _draw_excluded_episodes(release)))


def _shares(release: Release) -> Markup:
    most = max((s.natural for s in release.shares), default=1.0) or 1.0
    rows = [
        (
            levels_in_words(s.stratum),
            meter(s.natural / most),
            percent(s.natural),
            percent(s.sampled),
            fixed(s.weight, 2),
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
    return panel("Shares", dense_table(columns, rows), columns=6, flush=True)


def _draw_excluded_episodes(release: Release) -> Markup:
    if not release.excluded:
        return panel("Left out", key_value([("none", "no episode was left out")]))
    rows = [
        (tag("a", shorten_ids(episode), href=f"/episodes/{episode}", class_="mono"), sentence(reason))
        for episode, reason in release.excluded
    ]
    return panel(
        "Left out",
        dense_table(("Episode", Column("Why", "text wide")), rows),
        note=plural(len(release.excluded), "episode"),
        flush=True,
    )
