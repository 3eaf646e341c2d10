"""The Annotate page: phases by author, and how far authors agree."""

from collections import defaultdict
from collections.abc import Sequence

from fieldloop.loop.home.annotations import AnnotationsShown, show_annotations
from fieldloop.model.annotation import Annotation
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count, format_fixed, format_number, format_plural
from fieldloop.ui.components import (
    Column,
    draw_answer_card,
    draw_copyable_command,
    draw_empty_state,
    draw_interval_bar,
    draw_panel,
    draw_phase_lane,
    draw_table,
)
from fieldloop.ui.pages.tables_in import draw_labels_form
from fieldloop.ui.visit import Drawn, Visit


def draw(visit: Visit) -> Drawn:
    """Draw the annotation page."""
    now = show_annotations(visit.workspace)
    spans = now.phases
    if not spans:
        nothing = draw_empty_state(
            "No phases yet",
            f"{format_plural(now.accepted, 'accepted episode')} without phases. "
            "This command proposes them from signals.",
            draw_copyable_command("fieldloop annotate"),
        )
        return Drawn(escape("Annotate"), (nothing, draw_labels_form(now.template)))
    done = len({span.episode for span in spans})
    return Drawn(
        escape("Annotate"),
        (
            _draw_answer_card(done, now.waiting),
            _draw_authors(spans),
            _draw_agreement(now),
            _draw_phase_lanes(now),
            draw_labels_form(now.template),
        ),
    )


def _draw_answer_card(annotated_count: int, queue_length: int) -> Markup:
    if queue_length:
        return draw_answer_card(
            "run",
            f"{format_plural(queue_length, 'accepted episode')} without phases",
            f"{format_count(annotated_count)} accepted episodes have phases.",
            draw_copyable_command("fieldloop annotate"),
        )
    return draw_answer_card(
        "good",
        f"All {format_plural(annotated_count, 'accepted episode')} have phases",
        "You can freeze a release now.",
        draw_copyable_command("fieldloop release NAME"),
    )


def _draw_authors(spans: Sequence[Annotation]) -> Markup:
    held: dict[str, set[str]] = defaultdict(set)
    for span in spans:
        held[span.author].add(span.episode)
    rows = [
        (author, format_count(len(ids)), format_count(sum(s.author == author for s in spans)))
        for author, ids in held.items()
    ]
    return draw_panel(
        "Authors",
        draw_table(("Author", Column("Episodes", "num"), Column("Spans", "num")), rows),
        columns=5,
        flush=True,
    )


def _draw_agreement(annotations_shown: AnnotationsShown) -> Markup:
    agreements, limit = annotations_shown.agreements, annotations_shown.min_kappa
    if not agreements:
        how = (
            "Agreement needs episodes that two authors annotated. Let two authors annotate at least one episode in ten."
        )
        return draw_panel("Agreement", draw_empty_state("No episode was annotated twice", how), columns=7)
    rows = [
        (
            " and ".join(a.authors),
            a.episodes,
            draw_status(verdict, f"κ {format_fixed(a.kappa, 2)}"),
            draw_interval_bar(a.kappa, a.kappa, a.kappa, tick=limit),
            f"{format_number(a.boundary_frames, 3)} frames",
            "–" if a.worst_frames is None else f"{a.worst_boundary}: {format_number(a.worst_frames, 3)} frames",
            a.unmatched,
        )
        for a, verdict in zip(agreements, annotations_shown.verdicts, strict=True)
    ]
    columns = (
        "Authors",
        Column("Episodes", "num"),
        "Kappa",
        Column("", "slim"),
        Column("Boundaries differ by", "num"),
        Column("Largest difference at", "wrap"),
        Column("Unmatched", "num"),
    )
    note = "" if limit is None else f"κ above {format_number(limit, 6)} required"
    return draw_panel("Agreement", draw_table(columns, rows), note=note, columns=7, flush=True)


def _draw_phase_lanes(annotations_shown: AnnotationsShown) -> Markup:
    by_episode: dict[str, list[Annotation]] = defaultdict(list)
    for span in annotations_shown.phases:
        by_episode[span.episode].append(span)
    shown = [(episode, by_episode[episode.id]) for episode in annotations_shown.episodes]
    rows = [
        join(
            tag("p", tag("a", episode.name, href=f"/episodes/{episode.id}")),
            *(
                draw_phase_lane([s for s in found if s.author == author], episode.start_ns, episode.end_ns)
                for author in dict.fromkeys(s.author for s in found)
            ),
        )
        for episode, found in shown
    ]
    return draw_panel("Phases", *rows, note=f"{len(shown)} of {format_plural(len(by_episode), 'episode')}")
