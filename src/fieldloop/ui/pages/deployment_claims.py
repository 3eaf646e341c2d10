"""What logs say of the map's claims, for the Deployment page."""

from collections.abc import Iterator

from fieldloop.model.audit import Audit
from fieldloop.model.finding import Status
from fieldloop.ui.components import Column, dense_table, panel, status
from fieldloop.ui.markup import Html

ORDER = (Status.FAILED, Status.PASSED, Status.CANNOT_TELL)
MOST_CLAIMS = 40


def claims(audit: Audit) -> Iterator[Html]:
    """Draw every claim beside what was measured, contradicted ones first; nothing where no log was there."""
    if not audit.compared:
        return
    ranked = sorted((one for one in audit.compared if one.episodes), key=lambda one: ORDER.index(one.status))
    silent = sorted({one.what for one in audit.compared if not one.episodes})
    rows = [
        (status(one.status), one.site or "all", one.what, one.claimed, one.measured, f"{one.episodes:,}", one.message)
        for one in ranked[:MOST_CLAIMS]
    ]
    columns = (
        "",
        "Site",
        "Claim",
        Column("The map says", "text"),
        Column("Logs say", "text"),
        Column("Attempts", "num"),
        Column("In words", "text wide"),
    )
    failed = sum(one.status is Status.FAILED for one in ranked)
    note = f"{failed} of {len(audit.compared)} claims contradicted"
    if len(ranked) > MOST_CLAIMS:
        note += f", {MOST_CLAIMS} shown; fieldloop audit compare has all"
    if silent:
        note += f"; no attempt says: {', '.join(silent)}"
    yield panel("The map against the logs", dense_table(columns, rows), note=note, flush=True)
