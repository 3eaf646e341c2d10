"""Episodes: the list, filtered by the query of the address."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from fieldloop.loop.data.find_episode import SHORT
from fieldloop.loop.data.ingest import LogShown
from fieldloop.loop.home.episodes import SET_ASIDE, FoundEpisodes, ListedEpisode, find_episodes
from fieldloop.model.finding import Status
from fieldloop.model.stream import NS_PER_S
from fieldloop.say.findings import write_finding
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count, format_fixed, format_plural, format_time, levels_in_words
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_answer_card,
    draw_chip,
    draw_copyable_command,
    draw_empty_state,
    draw_form,
    draw_panel,
    draw_table,
)
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
    matches = find_episodes(visit.workspace, status=query.get("status", ""), text=query.get("q", ""), where=labels)
    if not matches.total + matches.set_aside:
        how = "Ingest robot logs: MCAP, ROS bags, HDF5, LeRobot, RLDS, or folders of them."
        return Drawn(
            escape("Episodes"),
            (
                draw_empty_state("No episode yet", how, draw_copyable_command("fieldloop ingest PATH")),
                _draw_ingest_form(),
            ),
        )
    note = f"{format_count(matches.matching)} of {format_plural(matches.total + matches.set_aside, 'episode')}"
    note += f", newest {len(matches.episodes)} shown" if matches.matching > len(matches.episodes) else ""
    table = tag("div", draw_table(COLUMNS, map(_make_episode_row, matches.episodes)), style="padding-top:8px")
    listed = draw_panel("Episodes", _draw_filters(matches, visit.query), table, note=note, flush=True)
    logs = (_draw_logs(matches), _draw_read_again_form(matches.logs)) if matches.logs else ()
    return Drawn(escape("Episodes"), (_draw_summary_card(matches), listed, *logs, _draw_ingest_form()))


def _draw_ingest_form() -> Markup:
    """Draw the form that ingests logs of the machine on which fieldloop runs."""
    fields = (
        Field("paths", "Logs or folders, one per line", "rows", hint="/data/runs/2026-11-18", required=True),
        _make_facts_field(),
    )
    form = draw_form("/api/ingest", fields, *_make_submits("Ingest"))
    return draw_panel("Ingest logs", form, note="paths on the machine that runs fieldloop; safe to repeat")


def _draw_read_again_form(logs: Sequence[LogShown]) -> Markup:
    """Draw the form that reads ingested logs again, under the mapping in force now."""
    often = Counter(log.name for log in logs)
    names = tuple(log.name if often[log.name] == 1 else log.sha256[:SHORT] for log in logs)
    fields = (Field("log", "Log", "pick", hint="every log", choices=("", *names)), _make_facts_field())
    form = draw_form("/api/ingest/again", fields, *_make_submits("Read again"))
    return draw_panel(
        "Read logs again", form, note="under the mapping in force now; the earlier reading stays on record"
    )


def _make_facts_field() -> Field:
    return Field("set", "Facts that the logs do not state, one per line", "rows", hint="site=hall-2\noperator=anna")


def _make_submits(label: str) -> tuple[Submit, Submit]:
    """Return two buttons: with the second one, a person's facts count where a log states another value."""
    return (
        Submit(label, unused="logs"),
        Submit(f"{label}, my facts count", {"overrule": True}, kind="", unused="logs",
               sure="Use your facts where logs state others?"),
    )  # fmt: skip


def _draw_logs(matches: FoundEpisodes) -> Markup:
    """Show the logs that episodes came from, and what was wrong with those files."""
    rows = [
        (
            tag("span", log.name, title=log.sha256),
            log.format,
            log.episodes,
            f"{format_fixed(log.megabytes, 1)} MB",
            "own mapping" if log.mapping else "–",
            log.first_finding or "nothing",
            log.findings,
        )
        for log in matches.logs
    ]
    note = f"{format_count(len(rows))} of {format_plural(matches.log_count, 'log')}, newest first"
    return draw_panel("Logs", draw_table(LOG_COLUMNS, rows), note=note, flush=True)


def _draw_summary_card(matches: FoundEpisodes) -> Markup:
    if not matches.held_back:
        return draw_answer_card("good", f"All {format_plural(matches.total, 'episode')} passed")
    why = "The episodes have not been judged."
    if matches.commonest_check:
        why = (
            f"Most frequent reason: {matches.commonest_check}, in {format_plural(matches.commonest_count, 'finding')}."
        )
    return draw_answer_card(
        "warn", f"{format_plural(matches.held_back, 'episode')} of {format_count(matches.total)} held back", why
    )


def _draw_filters(matches: FoundEpisodes, query: Mapping[str, str]) -> Markup:
    rest = {k: v for k, v in query.items() if k != "status"}
    chips = [
        draw_chip(
            f"all {format_count(matches.total)}", href=f"/episodes?{urlencode(rest)}", current="status" not in query
        )
    ]
    for name, count in matches.by_status.items():
        href = f"/episodes?{urlencode({**rest, 'status': name})}"
        chips.append(
            draw_chip(f"{name.replace('_', ' ')} {format_count(count)}", href=href, current=query.get("status") == name)
        )
    if matches.set_aside:
        href = f"/episodes?{urlencode({**rest, 'status': SET_ASIDE})}"
        label = f"set aside {format_count(matches.set_aside)}"
        chips.append(draw_chip(label, href=href, current=query.get("status") == SET_ASIDE))
    for key, value in rest.items():
        without = urlencode({k: v for k, v in query.items() if k != key})
        chips += [draw_chip(f"{key}: {value} ×", "run", f"/episodes?{without}")] * bool(value)
    return tag("div", *chips, class_="chips", style="padding:4px 12px 0")


def _make_episode_row(listed: ListedEpisode) -> tuple[object, ...]:
    episode = listed.episode
    outcome = {
        True: draw_status(Status.PASSED, "succeeded"),
        False: draw_status(Status.FAILED, episode.failure or "failed"),
        None: "not stated",
    }
    return (
        tag("a", episode.name, href=f"/episodes/{episode.id}", title=episode.id),
        draw_status(listed.status) if listed.status else "set aside" if episode.set_aside else "not judged",
        episode.site or "–",
        episode.robot or "–",
        episode.operator or "–",
        levels_in_words(episode.stratum, without=("site",)),
        f"{format_fixed((episode.end_ns - episode.start_ns) / NS_PER_S, 1)} s",
        outcome[episode.succeeded],
        format_time(episode.start_ns),
        episode.set_aside or (write_finding(listed.finding) if listed.finding else ""),
    )
