"""Episodes: a list under the filters of the address."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from fieldloop.loop.ingest import history
from fieldloop.loop.page_reads import every
from fieldloop.model.episode import Episode, Log
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.ui.components import Column, chip, command, dense_table, empty_state, next_card, panel, status
from fieldloop.ui.markup import Html, tag, text
from fieldloop.ui.said import SECOND_NS, moment, plural, short, where
from fieldloop.ui.visit import Drawn, Visit

MOST, MOST_REPORTS, MOST_LOGS = 300, 50, 50
COLUMNS = (
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
LOG_COLUMNS = (
    "Log",
    "Format",
    Column("Episodes", "num"),
    Column("Size", "num"),
    "Mapping",
    Column("Wrong with the file", "text"),
    Column("Findings", "num"),
)
Judged = tuple[Episode, Status | None]


def draw(visit: Visit) -> Drawn:
    """Draw the list of episodes."""
    known = _known(visit)
    if not known:
        how = "Take robot logs in: MCAP, ROS bags, HDF5, LeRobot, RLDS, or folders of them."
        return Drawn(text("Episodes"), (empty_state("No episode yet", how, command("fieldloop ingest PATH")),))
    chosen = [(episode, verdict) for episode, verdict in known if _matches(episode, verdict, visit.query)]
    verdicts = _reports(visit, chosen[:MOST])
    rows = [_row(episode, verdict, verdicts.get(episode.id)) for episode, verdict in chosen[:MOST]]
    note = f"{len(chosen):,} of {plural(len(known), 'episode')}"
    note += f", newest {MOST} shown" if len(chosen) > MOST else ""
    table = tag("div", dense_table(COLUMNS, rows), style="padding-top:8px")
    listed = panel("Episodes", _filters(known, visit.query), table, note=note, flush=True)
    sources = () if any(visit.query.values()) else (_logs(visit),)  # whoever filters looks for an episode
    return Drawn(text("Episodes"), (_answer(visit, known), listed, *sources))


def _logs(visit: Visit) -> Html:
    """Show where episodes came from, and what was wrong with those files."""
    found = history(visit.workspace, limit=MOST_LOGS)
    rows = [
        (
            tag("span", log.name, title=log.sha256),
            log.format,
            log.episodes,
            f"{log.megabytes:,.1f} MB",
            short(log.mapping) if log.mapping else "–",
            log.first_finding or "nothing",
            log.findings,
        )
        for log in found
    ]
    total = visit.workspace.store.count(Log)
    note = f"{len(found):,} of {plural(total, 'log')}, newest first"
    return panel("Logs", dense_table(LOG_COLUMNS, rows), note=note, flush=True)


def _known(visit: Visit) -> list[Judged]:
    verdicts = {
        episode.id: verdict for verdict in Status for episode in every(visit.workspace, Episode, {"status": verdict})
    }
    return [(episode, verdicts.get(episode.id)) for episode in every(visit.workspace, Episode)]


def _reports(visit: Visit, shown: Sequence[Judged]) -> dict[str, EpisodeReport]:
    """Read the reports of the first that did not pass; a report is long, and one that passed says nothing here."""
    held = [episode.id for episode, verdict in shown if verdict not in (None, Status.PASSED)][:MOST_REPORTS]
    found = every(visit.workspace, EpisodeReport, {"episode": held}) if held else ()
    return {report.episode: report for report in reversed(found)}


def _answer(visit: Visit, known: Sequence[Judged]) -> Html:
    held = [judged for judged in known if judged[1] is not Status.PASSED]
    if not held:
        return next_card("good", f"All {plural(len(known), 'episode')} passed")
    found = [f for report in _reports(visit, held).values() for f in report.findings if f.counts]
    worst = Counter(finding.check for finding in found).most_common(1)
    why = f"Most often: {worst[0][0]}, in {plural(worst[0][1], 'answer')}." if worst else "They have not been judged."
    return next_card("warn", f"{plural(len(held), 'episode')} of {len(known):,} held back", why)


def _filters(known: Sequence[Judged], query: Mapping[str, str]) -> Html:
    counts = Counter(verdict for _, verdict in known)
    rest = {k: v for k, v in query.items() if k != "status"}
    chips = [chip(f"all {len(known):,}", href=f"/episodes?{urlencode(rest)}", current="status" not in query)]
    for verdict in (s for s in Status if counts[s]):
        label, current = f"{verdict.value.replace('_', ' ')} {counts[verdict]:,}", query.get("status") == verdict
        chips.append(chip(label, href=f"/episodes?{urlencode({**rest, 'status': verdict.value})}", current=current))
    for key, value in rest.items():
        without = urlencode({k: v for k, v in query.items() if k != key})
        chips += [chip(f"{key}: {value} ×", "run", f"/episodes?{without}")] * bool(value)
    return tag("div", *chips, class_="chips", style="padding:4px 12px 0")


def _matches(episode: Episode, verdict: Status | None, query: Mapping[str, str]) -> bool:
    return all(_fits(episode, verdict, key, value) for key, value in query.items() if value)


def _fits(episode: Episode, verdict: Status | None, key: str, value: str) -> bool:
    if key == "status":
        return verdict == value
    if key == "q":
        facts = [fact for _, fact in episode.facts]
        words = (episode.id, episode.name, episode.site, episode.robot, episode.operator, str(episode.stratum), *facts)
        return any(value.lower() in word.lower() for word in words)
    return (episode.stratum.level(key) or getattr(episode, key, None) or episode.fact(key)) == value


def _row(episode: Episode, verdict: Status | None, report: EpisodeReport | None) -> tuple[object, ...]:
    standing = [f for f in report.findings if f.counts] if report else []
    outcome = {
        True: status(Status.PASSED, "succeeded"),
        False: status(Status.FAILED, episode.failure or "failed"),
        None: "not said",
    }
    return (
        tag("a", episode.name, href=f"/episodes/{episode.id}", title=episode.id),
        status(verdict) if verdict else "not judged",
        episode.site or "–",
        episode.robot or "–",
        episode.operator or "–",
        where(episode.stratum, without=("site",)),
        f"{(episode.end_ns - episode.start_ns) / SECOND_NS:.1f} s",
        outcome[episode.succeeded],
        moment(episode.start_ns),
        standing[0].message if standing else "",
    )
