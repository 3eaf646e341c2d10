"""Forms through which a team's own tables come in, and labels go out to other tools."""

from collections.abc import Sequence
from urllib.parse import quote

from fieldloop.loop.annotate.exchange.export_labels import NOT_KEPT, Target
from fieldloop.model.note import Note
from fieldloop.model.policy import Stage
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, tag
from fieldloop.ui.components import Column, Field, Submit, draw_folded, draw_form, draw_panel, draw_table

NAMES = {Target.CSV: "Table (CSV)", Target.LABEL_STUDIO: "Label Studio (JSON)", Target.ELAN: "ELAN (a zip of .eaf)"}


def draw_outcomes_form(policies: Sequence[str], template: str) -> Markup:
    """Draw the form that records a table of outcomes."""
    fields = (
        *_make_table_fields("one row an attempt: at, policy, site, robot, succeeded, …"),
        Field(
            "policy",
            "Policy of rows that name none",
            "choice",
            "every row names one",
            choices=("", *dict.fromkeys(policies)),
        ),
        Field("stage", "Stage", "choice", value=Stage.PRODUCTION.value, choices=tuple(stage.value for stage in Stage)),
    )
    return draw_panel(
        "Record outcomes",
        draw_form("/api/monitor/paste", fields, Submit("Record outcomes")),
        note="a row that was recorded before counts once; a result that is unknown stays unknown",
        right=_draw_download_link("Example table", "outcomes.csv", template),
    )


def draw_labels_form(template: str) -> Markup:
    """Draw the form that imports phases and results of episodes."""
    fields = (
        *_make_table_fields("one row a label: episode, label, start_s, end_s, annotator, result, failure"),
        Field("label", "Your names of phases, one per line", "rows", hint="reach=approach\nclose=grasp"),
    )
    return draw_panel(
        "Import labels",
        draw_form("/api/annotate/paste", fields, Submit("Import labels")),
        note="one wrong row refuses the whole table",
        right=_draw_download_link("Example table", "labels.csv", template),
        columns=6,
    )


def draw_labels_export() -> Markup:
    """Draw the form that downloads labels for another tool, and what each format does not keep."""
    fields = (
        Field("author", "Only labels of, one per line (empty: all that you may see)", "rows", hint="anna"),
        Field("episode", "Only these episodes, one per line (empty: all with labels)", "rows"),
        Field("fps", "Frames per second of the video, for Label Studio", "number", hint="30"),
    )
    form = draw_form(
        "/api/annotate/export/download",
        fields,
        Submit("Table", {"to": Target.CSV, "out": "labels.csv"}),
        Submit("Label Studio", {"to": Target.LABEL_STUDIO, "out": "labels.json"}, kind=""),
        Submit("ELAN", {"to": Target.ELAN, "out": "labels"}, kind=""),
    )
    rows = [(NAMES[target], ", ".join(NOT_KEPT[target]) or "nothing") for target in Target]
    lost = draw_folded("What a format does not keep", draw_table(("Format", Column("Not kept", "text wide")), rows))
    return draw_panel("Export labels", form, lost, note="downloads; people's, machines' and decided labels", columns=6)


def draw_unknown_results(notes: Sequence[Note]) -> tuple[Markup, ...]:
    """Draw how many attempts have no known result; nothing where every result is known."""
    if not notes:
        return ()
    return (draw_panel("Unknown results", tag("ul", *(tag("li", write_sentence(one)) for one in notes))),)


def _make_table_fields(hint: str) -> tuple[Field, Field]:
    return (
        Field("text", "Table as a file (CSV or JSON lines)", "file"),
        Field("text", "or paste it here, with its header", "area", hint=hint),
    )


def _draw_download_link(label: str, name: str, text: str) -> Markup:
    return tag("a", label, href=f"data:text/csv;charset=utf-8,{quote(text)}", download=name, class_="btn")
