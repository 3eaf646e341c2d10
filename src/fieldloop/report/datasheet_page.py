"""A datasheet as an HTML page with plots."""

from collections.abc import Iterable, Iterator

from fieldloop.model.event import ReleaseExported
from fieldloop.model.finding import Finding
from fieldloop.model.release import Release
from fieldloop.model.release_contents import LabelCount, ReleaseContents
from fieldloop.report.datasheet_drawings import draw_counts, draw_durations, draw_shares
from fieldloop.report.markup import draw_figure, draw_panel, draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.say import write_sentence
from fieldloop.say.findings import write_without_subject
from fieldloop.say.html import Markup, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_number, format_plural

CHECK_COLUMNS = ("check", "of", "answer", "")
LABEL_COLUMNS = ("kind", "label", "by", "spans", "episodes", "seconds")
PLOTTED = ("operators", "sites", "outcomes", "failures")


def render_datasheet(release: Release, contents: ReleaseContents, exports: Iterable[ReleaseExported] = ()) -> str:
    """Write a datasheet as one HTML file."""
    panels = [
        draw_paragraph(write_headline(release), "lead"),
        *_draw_overrides(release),
        draw_panel("Shares", [_draw_shares(release)]),
        draw_panel("Durations", [draw_figure(draw_durations(contents.durations), "Episodes by duration.")]),
        *(
            draw_panel(factor.capitalize(), [draw_counts(contents.counted[factor], f"Episodes by {factor}")])
            for factor in PLOTTED
            if any(one.name for one in contents.counted[factor])
        ),
        *_draw_checks(release),
        *_draw_labels(contents),
        *_draw_exports(exports),
    ]
    return render_page(f"Release {release.name}", panels, kind="fieldloop datasheet", foot=release.id)


def write_headline(release: Release) -> str:
    """Say in one sentence what the release is."""
    split = f"{len(release.train)} to train on, {len(release.validation)} to validate on"
    out = f"; {format_plural(len(release.excluded), 'episode')} left out" if release.excluded else ""
    return (
        f"{format_plural(len(release.episodes), 'episode')}: {split}{out}. Protocol {release.protocol or 'not given'}."
    )


def _draw_shares(release: Release) -> Markup:
    if release.off_the_map:
        return draw_paragraph(write_sentence(release.off_the_map))
    return draw_figure(draw_shares(release), "Bar: of the release. Tick: of production.")


def _draw_overrides(release: Release) -> Iterator[Markup]:
    if release.override:
        reasons = tag("ul", *(tag("li", write_sentence(reason)) for reason in release.overridden))
        yield draw_panel("Frozen in spite of", [draw_paragraph(release.override), reasons])


def _draw_checks(release: Release) -> Iterator[Markup]:
    if release.checks:
        counted = ", ".join(f"{n} {status.value.replace('_', ' ')}" for status, n in release.checks.episodes.items())
        rows = [list_check_row(finding) for finding in release.checks.dataset]
        yield draw_panel("Checks", [draw_table(CHECK_COLUMNS, rows, (), (CHECK_COLUMNS[-1],))], f"episodes: {counted}")


def list_check_row(finding: Finding) -> tuple[str, str, Markup, str]:
    """Return a row of the table of dataset checks."""
    return finding.check, finding.subject, draw_status(finding.status), write_without_subject(finding)


def _draw_labels(contents: ReleaseContents) -> Iterator[Markup]:
    if contents.labels:
        rows = [list_label_row(one) for one in contents.labels]
        yield draw_panel("Labels", [draw_table(LABEL_COLUMNS, rows, LABEL_COLUMNS[3:])])


def list_label_row(one: LabelCount) -> tuple[str, str, str, int, int, str]:
    """Return a row of the table of labels."""
    return one.kind, one.label, one.author, one.spans, one.episodes, format_number(one.seconds, 4)


def _draw_exports(exports: Iterable[ReleaseExported]) -> Iterator[Markup]:
    rows = [(e.format, e.target, e.episodes, e.frames) for e in exports]
    if rows:
        yield draw_panel(
            "Exports", [draw_table(("format", "target", "episodes", "frames"), rows, ("episodes", "frames"))]
        )
