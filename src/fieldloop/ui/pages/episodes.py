"""Episodes: the list, filtered by the query of the address."""

from collections.abc import Mapping
from urllib.parse import urlencode

from fieldloop.loop.home.episodes import FoundEpisodes, ListedEpisode, find_episodes
from fieldloop.model.finding import Status
from fieldloop.model.stream import NS_PER_S
from fieldloop.say.findings import message
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import status
from fieldloop.say.numbers import fixed, levels, moment, plural, short, whole
from fieldloop.ui.components import Column, chip, command, dense_table, empty_state, next_card, panel
from fieldloop.ui.visit import Drawn, Visit

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
    Column("Defects of the file", "text"),
    Column("Findings", "num"),
)


def draw(visit: Visit) -> Drawn:
    """Draw the list of episodes."""
    query = {name: value for name, value in visit.query.items() if value}
    labels = tuple(f"{name}={value}" for name, value in query.items() if name not in ("status", "q"))
    found = find_episodes(visit.workspace, status=query.get("status", ""), text=query.get("q", ""), where=labels)
    if not found.total:
        how = "Ingest robot logs: MCAP, ROS bags, HDF5, LeRobot, RLDS, or folders of them."
        return Drawn(escape("Episodes"), (empty_state("No episode yet", how, command("fieldloop ingest PATH")),))
    note = f"{whole(found.matching)} of {plural(found.total, 'episode')}"
    note += f", newest {len(found.episodes)} shown" if found.matching > len(found.episodes) else ""
    table = tag("div", dense_table(COLUMNS, map(_row, found.episodes)), style="padding-top:8px")
    listed = panel("Episodes", _filters(found, visit.query), table, note=note, flush=True)
    return Drawn(escape("Episodes"), (_summary(found), listed, *([_logs(found)] if found.logs else ())))


def _logs(found: FoundEpisodes) -> Markup:
    """Show the logs that episodes came from, and what was wrong with those files."""
    rows = [
        (
            tag("span", log.name, title=log.sha256),
            log.format,
            log.episodes,
            f"{fixed(log.megabytes, 1)} MB",
            short(log.mapping) if log.mapping else "–",
            log.first_finding or "nothing",
            log.findings,
        )
        for log in found.logs
    ]
    note = f"{whole(len(rows))} of {plural(found.log_count, 'log')}, newest first"
    return panel("Logs", dense_table(LOG_COLUMNS, rows), note=note, flush=True)


def _summary(found: FoundEpisodes) -> Markup:
    if not found.held_back:
        return next_card("good", f"All {plural(found.total, 'episode')} passed")
    why = "The episodes have not been judged."
    if found.commonest_check:
        why = f"Most frequent reason: {found.commonest_check}, in {plural(found.commonest_count, 'finding')}."
    return next_card("warn", f"{plural(found.held_back, 'episode')} of {whole(found.total)} held back", why)


def _filters(found: FoundEpisodes, query: Mapping[str, str]) -> Markup:
    rest = {k: v for k, v in query.items() if k != "status"}
    chips = [chip(f"all {whole(found.total)}", href=f"/episodes?{urlencode(rest)}", current="status" not in query)]
    for name, count in found.by_status.items():
        href = f"/episodes?{urlencode({**rest, 'status': name})}"
        chips.append(chip(f"{name.replace('_', ' ')} {whole(count)}", href=href, current=query.get("status") == name))
    for key, value in rest.items():
        without = urlencode({k: v for k, v in query.items() if k != key})
        chips += [chip(f"{key}: {value} ×", "run", f"/episodes?{without}")] * bool(value)
    return tag("div", *chips, class_="chips", style="padding:4px 12px 0")


def _row(listed: ListedEpisode) -> tuple[object, ...]:
    episode = listed.episode
    outcome = {
        True: status(Status.PASSED, "succeeded"),
        False: status(Status.FAILED, episode.failure or "failed"),
        None: "not stated",
    }
    return (
        tag("a", episode.name, href=f"/episodes/{episode.id}", title=episode.id),
        status(listed.status) if listed.status else "not judged",
        episode.site or "–",
        episode.robot or "–",
        episode.operator or "–",
        levels(episode.stratum, without=("site",)),
        f"{fixed((episode.end_ns - episode.start_ns) / NS_PER_S, 1)} s",
        outcome[episode.succeeded],
        moment(episode.start_ns),
        message(listed.finding) if listed.finding else "",
    )
