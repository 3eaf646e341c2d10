"""Episodes: a filtered list, and one episode with its findings, facts and phases."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from fieldloop.errors import UnknownName
from fieldloop.loop.home import every, reports
from fieldloop.loop.ingest import episodes
from fieldloop.loop.release import releases
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.ui.components import (
    Column,
    chip,
    command,
    dense_table,
    empty_state,
    key_value,
    level_of,
    next_card,
    panel,
    phase_lane,
    status,
)
from fieldloop.ui.markup import Html, join, tag, text
from fieldloop.ui.said import SECOND_NS, figure, limit, moment, plural, short, where
from fieldloop.ui.visit import Drawn, Visit

MOST = 300
ORDER = {status: place for place, status in enumerate(Status)}


def draw(visit: Visit) -> Drawn:
    """Draw the list of episodes under the filters of the address."""
    known = episodes(visit.workspace, limit=100_000)
    if not known:
        nothing = empty_state(
            "No episode yet",
            "Take robot logs in: MCAP files, LeRobot folders, or folders of them.",
            command("fieldloop ingest PATH"),
        )
        return Drawn(text("Episodes"), (nothing,))
    verdicts = {report.episode: report for report in reports(visit.workspace)}
    chosen = [e for e in known if _matches(e, verdicts.get(e.id), visit.query)]
    rows = [_row(e, verdicts.get(e.id)) for e in chosen[:MOST]]
    columns = (
        "Episode",
        "Status",
        "Site",
        "Robot",
        "Operator",
        "Conditions",
        Column("Duration", "num"),
        "Outcome",
        "Begun",
        Column("First finding", "text"),
    )
    note = f"{len(chosen):,} of {plural(len(known), 'episode')}" + (
        f", newest {MOST} shown" if len(chosen) > MOST else ""
    )
    table = panel(
        "Episodes",
        _filters(known, verdicts, visit.query),
        tag("div", dense_table(columns, rows), style="padding-top:8px"),
        note=note,
        flush=True,
    )
    return Drawn(text("Episodes"), (_answer(known, verdicts), table))


def draw_one(visit: Visit) -> Drawn:
    """Draw one episode."""
    found = every(visit.workspace, Episode, {"id": visit.path["episode"]})
    if not found:
        raise UnknownName("episode", visit.path["episode"], ())
    episode = found[0]
    report = next((r for r in reports(visit.workspace) if r.episode == episode.id), None)
    spans = every(visit.workspace, Annotation, {"kind": "phase", "episode": episode.id})[::-1]
    used = [release.name for release in releases(visit.workspace) if episode.id in release.episodes]
    title = join(tag("a", "Episodes", href="/episodes"), " / ", episode.name)
    return Drawn(title, (_verdict(report), _findings(report), _facts(episode, used), _phases(episode, spans)))


def _answer(known: Sequence[Episode], verdicts: Mapping[str, EpisodeReport]) -> Html:
    counts = Counter(verdicts[e.id].status if e.id in verdicts else None for e in known)
    held = len(known) - counts[Status.PASSED]
    if not held:
        return next_card("good", f"All {plural(len(known), 'episode')} passed")
    worst = Counter(f.check for r in verdicts.values() for f in r.findings if f.counts).most_common(1)
    why = f"Most often: {worst[0][0]}, in {plural(worst[0][1], 'answer')}." if worst else "They have not been judged."
    return next_card("warn", f"{plural(held, 'episode')} of {len(known):,} held back", why)


def _filters(known: Sequence[Episode], verdicts: Mapping[str, EpisodeReport], query: Mapping[str, str]) -> Html:
    counts = Counter(r.status for r in verdicts.values())
    rest = {k: v for k, v in query.items() if k != "status"}
    chips = [chip(f"all {len(known):,}", href=f"/episodes?{urlencode(rest)}", current="status" not in query)]
    chips += [
        chip(
            f"{s.value.replace('_', ' ')} {counts[s]:,}",
            href=f"/episodes?{urlencode({**rest, 'status': s.value})}",
            current=query.get("status") == s,
        )
        for s in Status
        if counts[s]
    ]
    chips += [
        chip(f"{key}: {value} ×", "run", f"/episodes?{urlencode({k: v for k, v in query.items() if k != key})}")
        for key, value in rest.items()
        if value
    ]
    return tag("div", *chips, class_="chips", style="padding:4px 12px 0")


def _matches(episode: Episode, report: EpisodeReport | None, query: Mapping[str, str]) -> bool:
    for key, value in query.items():
        if key == "status":
            fits = report is not None and report.status == value
        elif key == "q":
            words = (
                episode.id,
                episode.name,
                episode.site,
                episode.robot,
                episode.operator,
                str(episode.stratum),
                *(v for _, v in episode.facts),
            )
            fits = any(value.lower() in word.lower() for word in words)
        else:
            fits = (episode.stratum.level(key) or getattr(episode, key, None) or episode.fact(key)) == value
        if value and not fits:
            return False
    return True


def _row(episode: Episode, report: EpisodeReport | None) -> tuple[object, ...]:
    standing = [f for f in report.findings if f.counts] if report else []
    outcome = {
        True: status(Status.PASSED, "succeeded"),
        False: status(Status.FAILED, episode.failure or "failed"),
        None: "not said",
    }
    return (
        tag("a", episode.name, href=f"/episodes/{episode.id}", title=episode.id),
        status(report.status) if report else "not judged",
        episode.site or "–",
        episode.robot or "–",
        episode.operator or "–",
        where(episode.stratum, without=("site",)),
        f"{(episode.end_ns - episode.start_ns) / SECOND_NS:.1f} s",
        outcome[episode.succeeded],
        moment(episode.start_ns),
        standing[0].message if standing else "",
    )


def _verdict(report: EpisodeReport | None) -> Html:
    if report is None:
        return next_card("idle", "Not judged yet", "No protocol was applied to it.", command("fieldloop check"))
    standing = sorted((f for f in report.findings if f.counts), key=lambda f: ORDER[f.status])
    passed = sum(f.status is Status.PASSED for f in report.findings)
    if not standing:
        return next_card("good", "Fit to learn from", f"{plural(passed, 'answer')} passed.")
    return next_card(
        level_of(report.status),
        standing[0].message,
        f"{plural(len(standing), 'finding')} in the way, {plural(passed, 'answer')} passed.",
    )


def _findings(report: EpisodeReport | None) -> Html:
    found = sorted(report.findings if report else (), key=lambda f: (not f.counts, ORDER[f.status], f.check))
    rows = [(status(f.status), f.check, f.subject, figure(f.measured), limit(f), f.message) for f in found]
    columns = ("Status", "Check", "Subject", Column("Measured", "num"), "Limit", Column("What", "text wide"))
    return panel("Findings", dense_table(columns, rows), note="worst first", columns=8, flush=True)


def _facts(episode: Episode, used: Sequence[str]) -> Html:
    pairs = [
        ("Id", tag("span", short(episode.id), class_="mono", title=episode.id)),
        ("Task", episode.task),
        ("Site", episode.site),
        ("Robot", episode.robot),
        ("Operator", episode.operator),
        ("Session", episode.session),
        ("Provider", episode.provider),
        ("Format", episode.format),
        ("Begun", moment(episode.start_ns)),
        ("Duration", f"{(episode.end_ns - episode.start_ns) / SECOND_NS:.2f} s"),
        ("Real or simulated", {True: "simulated", False: "real", None: None}[episode.simulated]),
        ("Outcome", {True: "succeeded", False: episode.failure or "failed", None: None}[episode.succeeded]),
        *episode.stratum.levels.items(),
        *episode.facts,
        ("In releases", ", ".join(used) or "none"),
    ]
    return panel("Episode", key_value(pairs), columns=4)


def _phases(episode: Episode, spans: Sequence[Annotation]) -> Html:
    if not spans:
        return panel(
            "Phases",
            empty_state("No phase yet", "Phases are proposed from the signals.", command("fieldloop annotate")),
        )
    authors = list(dict.fromkeys(span.author for span in spans))
    lanes = [
        join(
            tag("p", author, class_="dim"),
            phase_lane([s for s in spans if s.author == author], episode.start_ns, episode.end_ns),
        )
        for author in authors
    ]
    return panel("Phases", *lanes, note=plural(len(authors), "author"))
