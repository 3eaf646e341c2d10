"""The sheet of a gate's trials, to print: one card for each trial, with a picture of the setup and the rubric."""

from fieldloop.model.policy import FailureClass
from fieldloop.model.trial_sheet import SheetRow, TrialSheet
from fieldloop.report.gate.scene_drawing import describe_setup, draw_scene
from fieldloop.report.gate.words import describe_scenario
from fieldloop.report.markup import draw_panel, draw_paragraph
from fieldloop.report.page import render_page
from fieldloop.say.html import Markup, tag
from fieldloop.say.numbers import format_plural, format_time, join_names, stratum_in_words

STYLE = """
.cards{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:8px}
.card{display:grid;grid-template-columns:150px minmax(0,1fr);gap:4px 12px;padding:8px;border:1px solid var(--line-2);
border-radius:4px;break-inside:avoid;align-content:start}
.card>header{grid-column:1/-1;display:flex;justify-content:space-between;gap:8px;font-weight:600}
.card p{margin:0;font:12px/16px var(--sans)}.card .fill{grid-column:1/-1}
.card svg{width:150px;height:150px}.box{white-space:nowrap}.box::before{content:"\\2610\\00a0"}
.box.yes::before{content:"\\2612\\00a0"}
@media (max-width:700px){.cards{grid-template-columns:minmax(0,1fr)}}
@page{margin:12mm}
"""
UNDER_LIGHT = "lighting"


def render_trial_sheet(sheet: TrialSheet) -> str:
    """Write the sheet as one HTML file; it names arms by letters only until the gate has decided."""
    cards = tag("div", *(draw_card(row, sheet.steps) for row in sheet.rows), class_="cards")
    title = f"Trials {sheet.plan or 'as a plan would have them'}"
    blocks = [
        tag("style", Markup(STYLE)),
        draw_paragraph(write_headline(sheet), "lead"),
        draw_panel("How to use this sheet", [draw_rules(sheet)]),
        cards,
    ]
    return render_page(title, blocks, kind="fieldloop gate", foot=sheet.plan)


def write_headline(sheet: TrialSheet) -> str:
    """Write in one sentence what is to be done."""
    letters = sorted({row.arm for row in sheet.rows})
    arms = f" of the arms {join_names(letters)}" if len(letters) > 1 else ""
    done = f"{sheet.done} done, {sheet.left} left" if sheet.done else "none is done yet"
    return f"{format_plural(len(sheet.rows), 'trial')}{arms}: {done}."


def describe_row(row: SheetRow) -> list[str]:
    """Describe a trial in words: its conditions, and what to do."""
    conditions = stratum_in_words(row.stratum, [UNDER_LIGHT])
    return [conditions, *describe_setup(row.parameters, row.stratum.level(UNDER_LIGHT) or "")]


def draw_card(row: SheetRow, steps: tuple[str, ...]) -> Markup:
    """Draw one trial: its number and arm, the picture, what to set up, and what to tick."""
    lines = [tag("p", line) for line in describe_row(row)]
    result = row.result
    rubric = [
        tag("span", f"{n} {step}", class_="box yes" if result and n <= result.steps_done else "box")
        for n, step in enumerate(steps, 1)
    ]
    failures = [
        tag("span", kind.value, class_="box yes" if result and result.failure is kind else "box")
        for kind in FailureClass
    ]
    ended = None if result is None else {True: "success", False: "failure", None: "unknown"}[result.succeeded]
    head = tag(
        "header", tag("span", f"Trial {row.order}"), tag("span", f"{describe_scenario(row.scenario)} · arm {row.arm}")
    )
    return tag(
        "article",
        head,
        draw_scene(row.parameters, row.stratum.level(UNDER_LIGHT) or "", row.seed),
        tag("div", *lines),
        tag("p", "Steps done: ", *_join_with_spaces(rubric), class_="fill"),
        tag("p", "Failed by: ", *_join_with_spaces(failures), class_="fill"),
        tag("p", f"Result: {ended}." if ended else "Cycle ______ s   Interventions ____   Name ____________",
            class_="fill"),
        class_="card",
    )  # fmt: skip


def _join_with_spaces(parts: list[Markup]) -> list[Markup | str]:
    return [part for one in parts for part in (one, " ")]


def draw_rules(sheet: TrialSheet) -> Markup:
    """Draw how the sheet is used."""
    planned = f" Planned {format_time(sheet.planned_ns)}." if sheet.plan else ""
    rules = [
        f"Make the trials in the order of their numbers.{planned} You may pause between trials, and go on later.",
        (
            "Set up each scene as its picture shows. The dashed square is the usual workspace from above; the robot "
            "stands below. The cross is the middle of the item, circles are foreign objects."
        ),
        "Where the words do not fix the place, the picture suggests one; follow it as far as the conditions allow.",
        "The letter says which arm to run. It does not say which version that is; please do not try to find out.",
        "Tick the steps that the attempt did. A success does all of them without help. Help counts as an intervention.",
        "Make the consecutive trials without a break, and leave none out.",
        "A wrong entry is corrected with a reason. The first entry stays on record.",
    ]
    return tag("ul", *(tag("li", rule) for rule in rules))
