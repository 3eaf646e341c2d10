"""Annotate: who said what happened when, and how far authors agree."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from fieldloop.errors import BadInput
from fieldloop.loop.annotate import agree
from fieldloop.loop.ingest import episodes
from fieldloop.loop.page_reads import every
from fieldloop.model.annotation import Agreement, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.ui.components import (
    Column,
    command,
    dense_table,
    empty_state,
    interval_bar,
    next_card,
    panel,
    phase_lane,
    status,
)
from fieldloop.ui.markup import Html, join, tag, text
from fieldloop.ui.said import figure, plural
from fieldloop.ui.visit import Drawn, Visit

MOST_LANES = 20


def draw(visit: Visit) -> Drawn:
    """Draw the annotation page."""
    spans = every(visit.workspace, Annotation, {"kind": "phase"})[::-1]
    accepted = episodes(visit.workspace, status=Status.PASSED, limit=100_000)
    done = {span.episode for span in spans}
    queue = sum(e.id not in done for e in accepted)
    if not spans:
        nothing = empty_state(
            "No phase yet",
            f"{plural(len(accepted), 'accepted episode')} wait for phases; they are proposed from the signals.",
            command("fieldloop annotate"),
        )
        return Drawn(text("Annotate"), (nothing,))
    limit = (
        float(visit.workspace.protocol().setting("annotation.min_kappa"))
        if _has(visit, "annotation.min_kappa")
        else None
    )
    by_id = {e.id: e for e in accepted}
    return Drawn(
        text("Annotate"),
        (_answer(len(done), queue), _authors(spans), _agreement(visit, spans, limit), _lanes(spans, by_id)),
    )


def _answer(done: int, queue: int) -> Html:
    if queue:
        return next_card(
            "run",
            f"{plural(queue, 'accepted episode')} wait for phases",
            f"{done:,} have them.",
            command("fieldloop annotate"),
        )
    return next_card(
        "good",
        f"All {plural(done, 'accepted episode')} have phases",
        "A release can be frozen.",
        command("fieldloop release NAME"),
    )


def _authors(spans: Sequence[Annotation]) -> Html:
    held: dict[str, set[str]] = defaultdict(set)
    for span in spans:
        held[span.author].add(span.episode)
    rows = [(author, f"{len(ids):,}", f"{sum(s.author == author for s in spans):,}") for author, ids in held.items()]
    return panel(
        "Authors",
        dense_table(("Author", Column("Episodes", "num"), Column("Spans", "num")), rows),
        columns=5,
        flush=True,
    )


def _agreement(visit: Visit, spans: Sequence[Annotation], limit: float | None) -> Html:
    pairs = list(combinations(sorted({s.author for s in spans}), 2))
    found = [a for first, second in pairs if (a := _agree(visit, first, second)) is not None]
    if not found:
        how = "Agreement is measured where two authors annotated the same episodes; at least one in ten should be."
        return panel("Agreement", empty_state("Nothing was annotated twice", how), columns=7)
    rows = [
        (
            " and ".join(a.authors),
            a.episodes,
            status(Status.PASSED if limit is None or a.kappa > limit else Status.FAILED, f"κ {a.kappa:.2f}"),
            interval_bar(a.kappa, a.kappa, a.kappa, tick=limit),
            f"{figure(a.boundary_frames, 3)} frames",
            "–" if a.worst_frames is None else f"{a.worst_boundary}: {figure(a.worst_frames, 3)} frames",
            a.unmatched,
        )
        for a in found
    ]
    columns = (
        "Authors",
        Column("Episodes", "num"),
        "Kappa",
        Column("", "slim"),
        Column("Boundaries differ by", "num"),
        Column("Most at", "wrap"),
        Column("Unmatched", "num"),
    )
    note = "" if limit is None else f"κ above {limit:g} is asked for"
    return panel("Agreement", dense_table(columns, rows), note=note, columns=7, flush=True)


def _agree(visit: Visit, first: str, second: str) -> Agreement | None:
    try:
        return agree(visit.workspace, first, second)
    except BadInput:
        return None  # they share no episode


def _lanes(spans: Sequence[Annotation], known: dict[str, Episode]) -> Html:
    by_episode: dict[str, list[Annotation]] = defaultdict(list)
    for span in spans:
        by_episode[span.episode].append(span)
    shown = [(known[e], found) for e, found in by_episode.items() if e in known][:MOST_LANES]
    rows = [
        join(
            tag("p", tag("a", episode.name, href=f"/episodes/{episode.id}")),
            *(
                phase_lane([s for s in found if s.author == author], episode.start_ns, episode.end_ns)
                for author in dict.fromkeys(s.author for s in found)
            ),
        )
        for episode, found in shown
    ]
    return panel("Phases", *rows, note=f"{len(shown)} of {plural(len(by_episode), 'episode')}")


def _has(visit: Visit, name: str) -> bool:
    return name in visit.workspace.protocol().settings
