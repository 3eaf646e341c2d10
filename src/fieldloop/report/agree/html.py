"""Agreement as one HTML page for the lead of the annotators: what to do, then the numbers, then the evidence."""

from collections.abc import Sequence

from fieldloop.model.agreement import AgreementEstimate, AgreementReport, AgreementVector
from fieldloop.model.note import Note
from fieldloop.report.agree.drawings import draw_boundaries, draw_confusions
from fieldloop.report.bars import draw_interval_bar
from fieldloop.report.markup import draw_figure, draw_folded, draw_panel, draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.say import write_sentence
from fieldloop.say.agreement import list_readings, write_reading
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_fixed, format_plural, join_names, percent, stratum_text_in_words

WHAT = (
    ("kappa", "agreement beyond chance, weighted by time; 1 is perfect, 0 is chance"),
    ("boundary", "mean distance of boundaries that both drew, in frames"),
    ("bias", "mean signed distance: the second annotator minus the first; for two only"),
    ("shared", "boundaries that both drew, of all that either drew"),
    ("F1@10/50/90", "segments that share 10, 50 or 90 % of their union and have the same label"),
    ("edit", "same labels in the same order, whatever their times"),
    ("gamma", "where and what at once, for any number of annotators (Mathet et al. 2015)"),
)
MOST_BOUNDARIES, MOST_CONFUSED, MOST_SLICES = 14, 12, 40
APART = (
    "How far apart annotators draw each boundary, with its 95 % interval over episodes. The dashed line is the limit. "
    "The ring is the scatter that remains once each pair's bias is taken out."
)
CONFUSED = "Segments that annotators drew alike but labelled differently, as a share of those with either label."


def render_agreement_page(report: AgreementReport, remarks: Sequence[Note] = (), files: Sequence[str] = ()) -> str:
    """Return the page."""
    blocks: list[object] = [draw_paragraph(_write_answer(report), "lead"), _draw_findings(report)]
    blocks += [_draw_vectors(report), *(_draw_readings(vector, report) for vector in report.vectors)]
    if drawn := draw_boundaries(report.boundaries[:MOST_BOUNDARIES], report.max_boundary_frames):
        blocks.append(
            draw_panel("Boundaries", [draw_figure(drawn, APART), _draw_boundary_table(report)], anchor="edges")
        )
    if drawn := draw_confusions(sorted(report.confused, key=lambda c: -c.confused)[:MOST_CONFUSED]):
        blocks.append(draw_panel("Labels", [draw_figure(drawn, CONFUSED)], anchor="labels"))
    if report.people:
        blocks.append(_draw_people(report))
    if report.slices:
        blocks.append(_draw_slices(report))
    if report.pairs:
        rows = [(v.kind, " – ".join(v.authors), draw_status(v.status), *_write_numbers(v)) for v in report.pairs]
        columns = ("kind", "pair", "", *(name for name, _ in WHAT))
        blocks.append(draw_panel("Pairs", [draw_table(columns, rows, columns[3:])], anchor="pairs"))
    notes = [draw_paragraph(write_sentence(remark), "dim") for remark in (*remarks, *report.remarks)]
    notes += [draw_paragraph(f"Read from {join_names(files)}.", "dim")] if files else []
    title = f"Agreement of {join_names(report.authors)}"
    return render_page(title, [*blocks, *notes], kind="fieldloop agree")


def _write_answer(report: AgreementReport) -> Markup:
    failed = [v for v in report.vectors if v.reason is not None]
    reasons = " ".join(f"{v.kind}: {write_sentence(v.reason)}" for v in failed if v.reason)
    what = (
        f"{format_plural(len(report.authors), 'annotator')} on {format_plural(report.episodes, 'episode')}. {reasons}"
    )
    return join(draw_status(report.status), " ", what.strip())


def _draw_findings(report: AgreementReport) -> Markup:
    if not report.findings:
        nothing = "No annotator differs from all others, and no boundary or pair of labels is unclear to all."
        return draw_panel("What to do", [draw_paragraph(nothing)], anchor="do")
    rows = [(f.remedy.value, write_sentence(f.says)) for f in report.findings]
    return draw_panel("What to do", [draw_table(("", "finding"), rows, (), ("finding",))], anchor="do")


def _draw_vectors(report: AgreementReport) -> Markup:
    columns = ("kind", "", "episodes", *(name for name, _ in WHAT))
    rows = [(v.kind, draw_status(v.status), v.episodes, *_write_numbers(v, bars=True)) for v in report.vectors]
    explained = tag("ul", *(tag("li", tag("b", name), f": {what}.") for name, what in WHAT))
    folded = draw_folded("What the numbers mean", [explained])
    return draw_panel("The vector", [draw_table(columns, rows, columns[2:]), folded], anchor="vector")


def _draw_readings(vector: AgreementVector, report: AgreementReport) -> Markup:
    """Draw the numbers of a kind from the most forgiving to the strictest, with the tolerance that each holds at."""
    rows = [
        (one.name, one.written, one.asks, one.tolerance, draw_status(one.status) if one.status else "no limit")
        for one in list_readings(vector, report.min_kappa, report.max_boundary_frames)
    ]
    columns = ("number", "value", "what it asks", "at which tolerance", "")
    lead = draw_paragraph(write_reading(vector))
    table = draw_table(columns, rows, columns[1:2], columns[2:4])
    note = "the most forgiving first: a high number there does not prove the ones below it"
    return draw_panel(f"How to read it: {vector.kind}", [lead, table], note, f"read-{vector.kind}")


def _write_numbers(vector: AgreementVector, *, bars: bool = False) -> tuple[object, ...]:
    kappa: object = _write_estimate(vector.kappa, 2)
    if bars and vector.kappa.low is not None and vector.kappa.high is not None:
        bar = draw_interval_bar(vector.kappa.low, vector.kappa.value or 0.0, vector.kappa.high, first=0.0, last=1.0)
        kappa = join(bar, Markup("<br>"), _write_estimate(vector.kappa, 2))
    shares = " / ".join(format_fixed(share.value, 2) for share in (vector.f1_10, vector.f1_50, vector.f1_90))
    shared = vector.boundary_f1.value
    return (
        kappa,
        _write_estimate(vector.boundary_mae_frames, 1),
        _write_estimate(vector.boundary_bias_frames, 1),
        "–" if shared is None else percent(shared, 0),
        shares,
        _write_estimate(vector.edit, 2),
        _write_estimate(vector.gamma, 2),
    )


def _write_estimate(estimate: AgreementEstimate, digits: int) -> str:
    written = format_fixed(estimate.value, digits)
    if estimate.low is None or estimate.high is None:
        return written
    return f"{written} ({format_fixed(estimate.low, digits)} to {format_fixed(estimate.high, digits)})"


def _draw_boundary_table(report: AgreementReport) -> Markup:
    columns = ("kind", "boundary", "matched", "frames apart", "scatter")
    rows = [
        (b.kind, b.name, b.matched, _write_estimate(b.mae_frames, 1), format_fixed(b.spread_frames, 1))
        for b in report.boundaries
    ]
    return draw_folded(f"All {len(rows)} boundaries", [draw_table(columns, rows, columns[2:])])


def _draw_people(report: AgreementReport) -> Markup:
    columns = (
        "kind",
        "annotator",
        "episodes",
        "kappa",
        "others without",
        "later by, frames",
        "apart, frames",
        "confused",
    )
    rows = [
        (
            p.kind, p.author, p.episodes, format_fixed(p.kappa, 2), format_fixed(p.others_kappa, 2),
            format_fixed(p.bias_frames, 1), format_fixed(p.mae_frames, 1), p.confused,
        )
        for p in report.people
    ]  # fmt: skip
    note = "kappa with the others, and of the others among themselves"
    return draw_panel("Each against the others", [draw_table(columns, rows, columns[2:])], note, "people")


def _draw_slices(report: AgreementReport) -> Markup:
    columns = ("kind", "part", "", "episodes", "kappa", "boundary", "why")
    rows = [
        (
            v.kind, stratum_text_in_words(v.slice) if "=" in v.slice else v.slice, draw_status(v.status), v.episodes,
            _write_estimate(v.kappa, 2), _write_estimate(v.boundary_mae_frames, 1),
            write_sentence(v.reason) if v.reason else "",
        )
        for v in report.slices[:MOST_SLICES]
    ]  # fmt: skip
    return draw_panel("Parts of the episodes", [draw_table(columns, rows, columns[3:6], ("why",))], anchor="parts")
