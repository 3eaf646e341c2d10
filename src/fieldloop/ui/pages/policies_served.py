"""The part of the Policies page about running servers: what they serve, how fast, and buttons to change it."""

from collections.abc import Sequence

from fieldloop.loop.run.served import ServedVersion, ServerShown
from fieldloop.model.policy import PolicyVersion
from fieldloop.say.html import Markup, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_count, format_number, format_time
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_action_button,
    draw_folded,
    draw_form,
    draw_panel,
    draw_table,
)

COLUMNS = (
    "State",
    "Policy",
    Column("Robots", "num"),
    Column("Calls", "num"),
    Column("Median", "num"),
    Column("p99", "num"),
    Column("p99 at admission", "num"),
    Column("Limit", "num"),
    Column("", "slim"),
)


def draw_servers(servers: Sequence[ServerShown], policies: Sequence[PolicyVersion]) -> tuple[Markup, ...]:
    """Draw each running server with its versions; nothing where none runs."""
    return tuple(_draw_server(server, policies) for server in servers)


def _draw_server(server: ServerShown, policies: Sequence[PolicyVersion]) -> Markup:
    if not server.answers:
        silent = tag("p", f"It was {server.last_change} at {format_time(server.changed_ns)} and does not answer now.")
        return draw_panel(f"Server {server.address}", silent)
    if server.refused:
        closed = tag("p", f"It runs, and does not show its versions: {server.refused}")
        return draw_panel(f"Server {server.address}", closed)
    rows = [_make_row(version, server.address) for version in server.versions]
    because = f": {server.reason}" if server.reason else ""
    note = f"{server.last_change} at {format_time(server.changed_ns)}{because}"
    back = draw_action_button(
        "Roll back", "/api/serve/back", {"server": server.address, "reason": "on the page"}, kind="danger",
        confirm_text="Put the version before in force for new episodes?",
    )  # fmt: skip
    loaded = {version.policy for version in server.versions if not version.suspended}
    offered = tuple(dict.fromkeys(policy.name for policy in policies if policy.id not in loaded))
    load = draw_folded("Load another version", _draw_load_form(server, offered)) if offered else None
    return draw_panel(f"Server {server.address}", draw_table(COLUMNS, rows), load, note=note, right=back)


def _make_row(version: ServedVersion, address: str) -> tuple[object, ...]:
    state = "suspended" if version.suspended else "in force" if version.in_force else "loaded"
    level = "bad" if version.suspended or version.healthy is False else "good" if version.in_force else "idle"
    activate = draw_action_button(
        "Activate", "/api/serve/activate",
        {"policy": version.policy, "server": address, "reason": "on the page"},
        confirm_text=f"Give {version.name} to new episodes?",
    )  # fmt: skip
    return (
        tag("span", draw_level_mark(level), " ", state),
        tag("a", version.name, href=f"/policies/{version.policy}"),
        format_count(version.robots),
        format_count(version.calls),
        _format_ms(version.p50_ms),
        _format_ms(version.p99_ms),
        _format_ms(version.admission_p99_ms),
        _format_ms(version.limit_ms),
        "" if version.in_force or version.suspended else activate,
    )


def _draw_load_form(server: ServerShown, offered: tuple[str, ...]) -> Markup:
    """Draw the form that loads another version; the server measures it first, which takes up to minutes."""
    fields = (
        Field("policy", "Load a version", "choice", choices=("", *offered), required=True),
        Field("override", "Reason, if its gate did not pass", hint="goes on the record"),
    )
    return draw_form("/api/serve/load", fields, Submit("Load", sends={"server": server.address}))


def _format_ms(value: float | None) -> str:
    return "–" if value is None else f"{format_number(value, 3)} ms"
