"""Quality: which checks hold episodes back, and how well each sensor's place is known."""

from collections import defaultdict
from collections.abc import Sequence

from fieldloop.loop.page_reads import every, reports
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.ui.components import Column, command, dense_table, empty_state, meter, next_card, panel, status
from fieldloop.ui.markup import Html, tag, text
from fieldloop.ui.said import figure, limit, measured, moment, percent, plural
from fieldloop.ui.visit import Drawn, Visit


def draw(visit: Visit) -> Drawn:
    """Draw the quality page."""
    judged = reports(visit.workspace)
    if not judged:
        nothing = empty_state(
            "Nothing is judged yet", "Every episode is checked when it is taken in.", command("fieldloop ingest PATH")
        )
        return Drawn(text("Quality"), (nothing, _calibrations(every(visit.workspace, Calibration))))
    return Drawn(
        text("Quality"), (_answer(judged), _checks(judged), _calibrations(every(visit.workspace, Calibration)))
    )


def _answer(judged: Sequence[EpisodeReport]) -> Html:
    passed = sum(r.status is Status.PASSED for r in judged)
    level = "good" if passed == len(judged) else "warn"
    return next_card(
        level,
        f"{passed:,} of {plural(len(judged), 'episode')} are fit to learn from: {percent(passed / len(judged), 0)}",
        "A check that cannot tell is no pass.",
    )


def _checks(judged: Sequence[EpisodeReport]) -> Html:
    found: dict[str, list[Finding]] = defaultdict(list)
    touched: dict[str, set[str]] = defaultdict(set)
    for report in judged:
        for finding in report.findings:
            found[finding.check].append(finding)
            if finding.counts:
                touched[finding.check].add(report.episode)
    rows = [
        _row(check, found[check], len(touched[check]), len(judged))
        for check in sorted(found, key=lambda c: (-len(touched[c]), c))
    ]
    columns = (
        "Check",
        Column("", "slim"),
        Column("Episodes held", "num"),
        Column("Passed", "num"),
        Column("Failed", "num"),
        Column("Cannot tell", "num"),
        Column("Not applicable", "num"),
        Column("Median", "num"),
        "Limit",
    )
    return panel("Checks", dense_table(columns, rows), note="what holds most episodes back first", flush=True)


def _row(check: str, found: Sequence[Finding], held: int, episodes: int) -> tuple[object, ...]:
    counts = {s: sum(f.status is s for f in found) for s in Status}
    values = sorted(f.measured for f in found if f.measured is not None)
    middle = measured(values[len(values) // 2], found[0].unit, 3) if values else "–"
    failed = counts[Status.FAILED] + counts[Status.ERRORED]
    return (
        tag("span", check, class_="mono"),
        meter(held / episodes, "bad" if held else ""),
        f"{held} of {episodes}",
        counts[Status.PASSED],
        failed or "–",
        counts[Status.CANNOT_TELL] or "–",
        counts[Status.NOT_APPLICABLE] or "–",
        middle,
        limit(found[0]),
    )


def _calibrations(known: Sequence[Calibration]) -> Html:
    if not known:
        how = "Attach one so that sessions can open and episodes say where each sensor was."
        return panel("Calibration", empty_state("No calibration yet", how, command("fieldloop calibrate --help")))
    rows = [
        (
            c.robot,
            c.sensor,
            c.kind,
            status(c.status),
            f"{figure(c.residual_mm, 3)} mm",
            f"{figure(c.residual_deg, 3)}°",
            c.points,
            moment(c.valid_from_ns),
            "still" if c.valid_to_ns is None else moment(c.valid_to_ns),
        )
        for c in known
    ]
    columns = (
        "Robot",
        "Sensor",
        "Kind",
        "Status",
        Column("Residual", "num"),
        Column("Angle", "num"),
        Column("Points", "num"),
        "From",
        "To",
    )
    return panel("Calibration", dense_table(columns, rows), flush=True)
