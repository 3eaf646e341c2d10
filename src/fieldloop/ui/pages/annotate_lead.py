"""What a lead annotator does: decide between people, check work, deal tasks, qualify annotators."""

from fieldloop.loop.annotate.tasks import TaskShown
from fieldloop.loop.home.labelling import CalibrationShown, LabellingQueue
from fieldloop.model.annotation import PHASE
from fieldloop.model.labelling import TaskReason
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_fixed, format_number, format_plural, format_signed
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_action_button,
    draw_button,
    draw_folded,
    draw_form,
    draw_panel,
    draw_table,
)

SPOT_CHECK = "/api/annotate/spot-check"


def draw_lead_panels(queue: LabellingQueue) -> tuple[Markup, ...]:
    """Draw decisions and spot checks, then dealing and qualification."""
    return (
        _draw_decisions(queue),
        _draw_checks(queue),
        _draw_dealing(folded=bool(queue.tasks.tasks)),
        _draw_qualification(queue),
    )


def _draw_decisions(queue: LabellingQueue) -> Markup:
    asked = [task for task in queue.decisions if task.reason is not TaskReason.SPOT_CHECK]
    if not asked:
        return draw_panel("To decide", tag("p", "No dealt pair differs beyond the limits.", class_="dim"), columns=6)
    rows = [(_draw_episode(one), _write_why(one), _draw_decide_link(one)) for one in asked]
    return draw_panel(
        "To decide", draw_table(("Episode", Column("Why", "wrap"), ""), rows), columns=6, flush=True,
        note="two people differ, or a person and a confident proposal",
    )  # fmt: skip


def _draw_checks(queue: LabellingQueue) -> Markup:
    asked = [task for task in queue.decisions if task.reason is TaskReason.SPOT_CHECK]
    more = draw_action_button("Draw spot checks", SPOT_CHECK)
    if not asked:
        body = tag("p", "None is waiting. A share of each annotator's finished tasks is drawn.", class_="dim")
        return draw_panel("Spot checks", body, right=more, columns=6)
    rows = [(_draw_episode(one), one.about, ", ".join(one.kinds), draw_verdicts(one)) for one in asked]
    columns = ("Episode", "Labels of", "Kinds", "")
    return draw_panel("Spot checks", draw_table(columns, rows), right=more, columns=6, flush=True)


def draw_verdicts(task: TaskShown) -> Markup:
    """Draw the two answers to a spot check."""
    asked = {"episode": task.episode, "annotator": task.about}
    good = draw_action_button("Good", SPOT_CHECK, {**asked, "verdict": "good"})
    wrong = draw_action_button(
        "Wrong", SPOT_CHECK, {**asked, "verdict": "wrong"}, kind="danger", confirm_text="Have it labelled again?"
    )
    return tag("span", good, " ", wrong, class_="chips")


def _draw_dealing(*, folded: bool) -> Markup:
    fields = (
        Field("count", "How many episodes (empty: all that are left)", "number"),
        Field("kind", "Kinds of labels, one per line", "rows", value=PHASE),
        Field("annotator", "Annotators, one per line (empty: anyone who qualifies)", "rows"),
        Field("episode", "Only these episodes, one per line", "rows"),
    )
    form = draw_form("/api/annotate/deal", fields, Submit("Deal tasks"))
    body = draw_folded("Deal more episodes", tag("div", form, class_="body")) if folded else form
    return draw_panel(
        "Deal tasks", body, columns=6, flush=folded,
        note="a share is labelled twice, independently; edge cases more often",
    )  # fmt: skip


def _draw_qualification(queue: LabellingQueue) -> Markup:
    fields = (
        Field("episode", "Episodes whose labels are right, one per line", "rows", required=True),
        Field("kind", "Kind of labels", value=PHASE, required=True),
        Field("labels_of", "Labels of (empty: decided ones, else yours)"),
    )
    made = draw_form("/api/annotate/calibration", fields, Submit("Make a calibration set"))
    tables = [_draw_calibration(one) for one in queue.calibrations]
    none = tag("p", "No calibration set exists, so annotators cannot take tasks yet.", class_="dim body")
    return draw_panel(
        "Qualification", *(tables or [none]), draw_folded("Make a calibration set", tag("div", made, class_="body")),
        columns=6, flush=True,
    )  # fmt: skip


def _draw_calibration(one: CalibrationShown) -> Markup:
    rows = [
        (
            each.annotator,
            draw_status(each.status),
            "–" if each.kappa is None else f"κ {format_fixed(each.kappa, 2)}",
            "–" if each.boundary_frames is None else f"{format_number(each.boundary_frames, 3)} frames",
            "–" if each.later_frames is None else f"{format_signed(each.later_frames)} frames",
            draw_action_button("Deal again", "/api/annotate/qualify", {"annotator": [each.annotator]}, kind="ghost"),
        )
        for each in one.qualifications
    ]
    title = tag(
        "p", f"{one.kind}, {format_plural(one.episodes, 'episode')}: {one.passed} of {len(rows)} qualify", class_="body"
    )
    columns = ("Annotator", "Verdict", Column("Kappa", "num"), Column("Apart", "num"), Column("Later by", "num"), "")
    return join(title, draw_table(columns, rows) if rows else None)


def _draw_episode(task: TaskShown) -> Markup:
    return tag("a", task.name, href=f"/annotate/{task.episode}?kind={task.kinds[0] if task.kinds else PHASE}")


def _write_why(task: TaskShown) -> str:
    return " ".join(write_sentence(one) for one in task.because) or ", ".join(task.kinds)


def _draw_decide_link(task: TaskShown) -> Markup:
    return draw_button("Decide", f"/annotate/{task.episode}?decide={task.kinds[0] if task.kinds else PHASE}")
