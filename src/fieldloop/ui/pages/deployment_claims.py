"""The claims of the map compared with the logs, for the Deployment page."""

from collections.abc import Iterator

from fieldloop.model.audit import Audit
from fieldloop.model.finding import Status
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count
from fieldloop.ui.components import Column, draw_panel, draw_table

ORDER = (Status.FAILED, Status.PASSED, Status.CANNOT_TELL)
MOST_CLAIMS = 40


def draw_claims(audit: Audit) -> Iterator[Markup]:
    """Draw every claim beside what was measured, contradicted ones first; nothing if no log was there."""
    if not audit.compared:
        return
    ranked = sorted((one for one in audit.compared if one.episodes), key=lambda one: ORDER.index(one.status))
    silent = sorted({one.what for one in audit.compared if not one.episodes})
    rows = [
        (
            draw_status(one.status),
            one.site or "all",
            one.what,
            write_sentence(one.claimed),
            write_sentence(one.measured),
            format_count(one.episodes),
            write_sentence(one.message),
        )
        for one in ranked[:MOST_CLAIMS]
    ]
    columns = (
        "",
        "Site",
        "Claim",
        Column("Map", "text"),
        Column("Logs", "text"),
        Column("Attempts", "num"),
        Column("Result", "text wide"),
    )
    failed = sum(one.status is Status.FAILED for one in ranked)
    note = f"{failed} of {len(audit.compared)} claims contradicted"
    if len(ranked) > MOST_CLAIMS:
        note += f", {MOST_CLAIMS} shown; fieldloop audit compare has all"
    if silent:
        note += f"; no attempt logs: {', '.join(silent)}"
    yield draw_panel("The map compared with the logs", draw_table(columns, rows), note=note, flush=True)
