"""The queue of annotation: whose task is next, what is open, how far authors agree, and what a lead decides."""

from collections import defaultdict

from fieldloop.loop.home.annotations import AnnotationsShown, show_annotations
from fieldloop.loop.home.labelling import LabellingQueue
from fieldloop.model.agreement import AgreementEstimate, AgreementVector
from fieldloop.model.annotation import Annotation
from fieldloop.say import write_sentence
from fieldloop.say.agreement import write_reading
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count, format_fixed, format_number, format_plural
from fieldloop.ui.components import (
    Column,
    draw_action_button,
    draw_answer_card,
    draw_button,
    draw_copyable_command,
    draw_folded,
    draw_panel,
    draw_phase_lane,
    draw_table,
)
from fieldloop.ui.pages.annotate_lead import draw_lead_panels
from fieldloop.ui.pages.annotate_tasks import draw_tasks, write_request
from fieldloop.ui.pages.tables_in import draw_labels_export, draw_labels_form
from fieldloop.ui.visit import Drawn, Visit

MOST_READ = 3
"""Pairs whose numbers are put into a sentence; the report has all."""


def draw(visit: Visit) -> Drawn:
    """Draw the annotation queue."""
    now = show_annotations(visit.workspace)
    queue = now.queue
    assert queue is not None
    parts = [
        _draw_answer_card(now, queue),
        draw_tasks(queue),
        *(_draw_agreement(now) if now.phases else ()),
        *(draw_lead_panels(queue) if queue.lead else ()),
        *(_draw_episodes(now) if now.phases else ()),
        draw_labels_form(now.template),
        *((draw_labels_export(),) if now.phases else ()),
    ]
    return Drawn(escape("Annotate"), tuple(parts))


def _draw_answer_card(now: AnnotationsShown, queue: LabellingQueue) -> Markup:
    """State the one thing to do: the task that is held, the next one, or what is missing before anyone can label."""
    next_task = draw_action_button(
        "Next task", "/api/annotate/next", kind="primary", goes="/annotate/{task.episode}"
    )  # fmt: skip
    reason = _write_state(now, queue)
    if (mine := queue.mine) is not None:
        opened = draw_button("Go on", f"/annotate/{mine.episode}", "primary")
        return draw_answer_card("run", f"{mine.name}: {write_request(mine.reason, mine.kinds)}", reason, opened)
    if queue.held_back is not None:
        return draw_answer_card("warn", write_sentence(queue.held_back), reason, next_task)
    if queue.tasks.open:
        return draw_answer_card("run", f"{format_plural(queue.tasks.open, 'task')} open", reason, next_task)
    if now.waiting:
        propose = draw_action_button("Propose labels", "/api/annotate")
        return draw_answer_card(
            "run", f"{format_plural(now.waiting, 'accepted episode')} without phases", reason, propose
        )
    if queue.proposed:
        words = f"{format_plural(queue.proposed, 'episode has', 'episodes have')} proposals that no person has labelled"
        return draw_answer_card(
            "run", words, reason, draw_button("Label the first", f"/annotate/{queue.first_proposed}", "primary")
        )
    if not now.accepted:
        return draw_answer_card("idle", "No phases yet: no episode has been accepted", reason)
    return draw_answer_card(
        "good", f"All {format_plural(now.accepted, 'accepted episode')} have phases", reason,
        draw_copyable_command("fieldloop release NAME"),
    )  # fmt: skip


def _write_state(now: AnnotationsShown, queue: LabellingQueue) -> str:
    tasks = queue.tasks
    overdue = f", {format_count(tasks.overdue)} overdue" if tasks.overdue else ""
    words = [f"Tasks: {tasks.open} open, {tasks.leased} taken, {tasks.done} done{overdue}."]
    known = [(one.kappa.value, one) for one in _list_pairs(now) if one.kappa.value is not None]
    if known:
        kappa, worst = min(known, key=lambda each: each[0])
        words.append(
            f"Agreement: κ {format_fixed(kappa, 2)} between {' and '.join(worst.authors)}, lowest of "
            f"{format_plural(len(known), 'pair')}."
        )
    return " ".join(words)


def _list_pairs(now: AnnotationsShown) -> tuple[AgreementVector, ...]:
    """List the pairs of people; of two people all is one pair."""
    return () if now.agreement is None else now.agreement.pairs or now.agreement.vectors


def _draw_agreement(now: AnnotationsShown) -> tuple[Markup, ...]:
    if now.agreement is None:
        how = "Agreement needs episodes that two people labelled. A lead deals a share of them to two people."
        return (draw_panel("Agreement", tag("p", how, class_="dim"), note="no episode was labelled twice", columns=6),)
    rows = [
        (
            " and ".join(one.authors),
            one.episodes,
            draw_status(one.status),
            f"κ {_write_estimate(one.kappa)}",
            f"{format_number(one.boundary_mae_frames.value, 3)} frames",
            write_sentence(one.reason) if one.reason else "",
        )
        for one in _list_pairs(now)
    ]
    numbers = (Column("Episodes", "num"), "Verdict", "Kappa", Column("Boundaries", "num"))
    columns = ("People", *numbers, Column("Why", "wrap"))
    table = draw_table(columns, rows)
    known = [(one.mae_frames.value, one.name) for one in now.agreement.boundaries if one.mae_frames.value is not None]
    apart, where = max(known, key=lambda one: one[0], default=(0.0, ""))
    worst = f"Largest difference at {where}: {format_number(apart, 3)} frames. " if known else ""
    read = [
        tag("p", tag("b", " and ".join(one.authors)), ": ", write_reading(one), class_="body")
        for one in _list_pairs(now)[:MOST_READ]
    ]
    report = draw_action_button("Download the report", "/api/agree/download", {"html": "agreement.html"})
    more = tag("p", worst, "The report has all numbers, each pair and each condition. ", report, class_="body dim")
    limit = now.agreement.min_kappa
    note = "" if limit is None else f"phases; κ above {format_number(limit, 6)} required"
    return (draw_panel("Agreement", join(table, *read, more), note=note, columns=6, flush=True),)


def _write_estimate(one: AgreementEstimate) -> str:
    interval = "" if one.low is None else f" [{format_fixed(one.low, 2)}, {format_fixed(one.high, 2)}]"
    return f"{format_fixed(one.value, 2)}{interval}"


def _draw_episodes(annotations_shown: AnnotationsShown) -> tuple[Markup, ...]:
    """Show the newest labels by author, folded: each episode opens its editor."""
    by_episode: dict[str, list[Annotation]] = defaultdict(list)
    for span in annotations_shown.phases:
        by_episode[span.episode].append(span)
    shown = [(episode, by_episode[episode.id]) for episode in annotations_shown.episodes]
    rows = [
        join(
            tag("p", tag("a", episode.name, href=f"/annotate/{episode.id}"), " ",
                tag("span", ", ".join(dict.fromkeys(s.author for s in found)), class_="dim")),
            *(
                draw_phase_lane([s for s in found if s.author == author], episode.start_ns, episode.end_ns)
                for author in dict.fromkeys(s.author for s in found)
            ),
        )
        for episode, found in shown
    ]  # fmt: skip
    listed = draw_folded(
        f"{len(shown)} of {format_plural(len(by_episode), 'episode')} with phases",
        tag("div", *rows, class_="body"),
    )
    return (draw_panel("Labelled episodes", listed, flush=True),) if shown else ()
