"""The audit as an HTML page: the result, what is missing and how to write it, the map, and the comparison."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from fieldloop.model.audit import Audit, Comparison
from fieldloop.model.deployment import Deployment, Range, Site, Zone
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.report.audit.compared import draw_comparisons
from fieldloop.report.audit.drawings import MOST_SITES, draw_exposure, draw_velocity
from fieldloop.report.markup import draw_figure, draw_folded, draw_panel, draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, join
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count, percent
from fieldloop.say.numbers import format_number as number

SITES_ABREAST = 4
MOST_DRAWN = 24
NOT_STATED = "not stated"
QUANTITIES = {
    "light_angle_deg": "angle of the light",
    "objects_per_bin": "objects per bin",
    "dust_mg_m3": "dust",
    "vibration_m_s2": "vibration",
    "noise_db": "noise",
}
ORDER = (Status.FAILED, Status.PASSED, Status.CANNOT_TELL)


def render_audit_page(deployment: Deployment, audit: Audit, early_site_notes: Sequence[Note] = ()) -> str:
    """Return the page; `early_site_notes` names sites that went live too early."""
    notes = map(write_sentence, (*early_site_notes, *audit.odd))
    warnings = [draw_paragraph(join(draw_status(Status.CANNOT_TELL, "Note"), Markup(" &nbsp; "), one)) for one in notes]
    blocks: list[object] = [draw_paragraph(_write_audit_sentence(audit), "lead"), *warnings, _draw_questions(audit)]
    if audit.compared:
        blocks.append(_draw_comparisons_panel(audit.compared))
    blocks.append(_draw_exposure_panel(deployment))
    if curve := draw_velocity(deployment.skus):
        articles = format_count(len(deployment.skus))
        caption = f"{articles} articles. A steep start of the curve means that few articles make up most picks."
        blocks.append(draw_panel("Velocity", [draw_figure(curve, caption)]))
    blocks.append(_draw_sites_table(deployment))
    if deployment.edge_cases:
        blocks.append(_draw_edge_cases(deployment))
    foot = f"{deployment.id}, judged by operations {audit.operations}." if audit.operations else deployment.id
    return render_page(deployment.id, blocks, kind="fieldloop audit", foot=foot)


def _write_audit_sentence(audit: Audit) -> str:
    gaps = sum(len(answer.missing) for answer in audit.answers)
    wrong = sum(one.status is Status.FAILED for one in audit.compared)
    contradicted = f" Logs contradict {wrong} of {len(audit.compared)} claims." if wrong else ""
    if audit.complete:
        return f"The map is complete: {percent(audit.score, 0)}.{contradicted}"
    if audit.overridden_by:
        reason = f"{audit.overridden_by} overrode the audit: {audit.override_reason}"
        return f"The map is incomplete ({percent(audit.score, 0)}). {reason}{contradicted}"
    score = percent(audit.score, 0)
    needed = f"{_format_thing_count(gaps)} to write before a protocol can be locked"
    return f"The map is incomplete at {score}: {needed}.{contradicted}"


def _format_thing_count(count: int) -> str:
    return "1 thing" if count == 1 else f"{count} things"


def _draw_questions(audit: Audit) -> Markup:
    rows = [
        (
            draw_status(Status.PASSED if not answer.missing else Status.CANNOT_TELL, percent(answer.score, 0)),
            write_sentence(answer.question),
            answer.asked or "",
            _draw_missing_items(list(map(write_sentence, answer.missing))),
        )
        for answer in audit.answers
    ]
    columns = ("score", "question", "asked", "missing, and how to write it")
    return draw_panel("Five questions", [draw_table(columns, rows, ("asked",), columns[3:])])


def _draw_missing_items(missing: Sequence[str]) -> Markup:
    return join(*(Markup(f"<div>{escape(one)}</div>") for one in missing)) if missing else escape("nothing")


def _draw_comparisons_panel(comparisons: Sequence[Comparison]) -> Markup:
    ranked = sorted(comparisons, key=lambda one: ORDER.index(one.status))
    rows = [
        (
            draw_status(one.status),
            one.site or "all",
            one.what,
            write_sentence(one.claimed),
            write_sentence(one.measured),
            one.episodes,
            one.days,
            write_sentence(one.message),
        )
        for one in ranked
    ]
    columns = ("", "site", "claim", "map", "logs", "attempts", "days", "result")
    drawn = draw_comparisons(ranked, MOST_DRAWN)
    lead = (
        "A diamond shows the map, a dot with its interval the measurement. Days are compared, not picks. A difference "
        "counts if it is significant over all claims and larger than the tolerance."
    )
    body = [draw_paragraph(lead, "dim"), Markup(f'<div class="pair">{join(*drawn)}</div>')]
    listed = draw_table(columns, rows, ("attempts", "days"), ("result",))
    return draw_panel(
        "The map compared with the logs", [*body, draw_folded("All claims", [listed], opened=len(rows) <= MOST_DRAWN)]
    )


def _draw_exposure_panel(deployment: Deployment) -> Markup:
    chunks = [deployment.sites[at : at + MOST_SITES] for at in range(0, len(deployment.sites), MOST_SITES)]
    drawn = [draw_figure(made, "") for chunk in chunks if (made := draw_exposure(deployment, chunk))]
    strata = format_count(len(deployment.exposures))
    note = f"{strata} strata; within a site, the factors are assumed to be independent"
    if deployment.measured:
        note = f"{strata} strata; joint shares measured in production count {_write_measured_weight(deployment)}"
    if not drawn:
        return draw_panel("Exposure", [draw_paragraph("The map states no shares of light, bins or tiers yet.", "dim")])
    caption = draw_paragraph(
        "Each bar shows the share of a site's picks at a level. The number beside a site is its share of all picks.",
        "dim",
    )
    return draw_panel("Exposure", [caption, Markup(f'<div class="pair">{join(*drawn)}</div>')], note)


def _write_measured_weight(deployment: Deployment) -> str:
    return f"{percent(deployment.measured_weight, 0)}, and the product of the map's shares counts for the rest"


def _draw_sites_table(deployment: Deployment) -> Markup:
    """Show sites side by side, one property per row."""
    tables = []
    for at in range(0, len(deployment.sites), SITES_ABREAST):
        abreast = deployment.sites[at : at + SITES_ABREAST]
        facts = [dict(_list_site_facts(site)) for site in abreast]
        names = list(dict.fromkeys(name for of_site in facts for name in of_site))
        rows = [(name, *(of_site.get(name) or NOT_STATED for of_site in facts)) for name in names]
        tables.append(draw_table(("", *(site.id for site in abreast)), rows))
    return draw_panel("Sites side by side", tables)


def _list_site_facts(site: Site) -> Iterator[tuple[str, str]]:
    yield "share of picks", percent(site.share, 0)
    yield "time zone", site.time_zone
    yield (
        "light",
        _write_fact_by_zone(
            site, lambda z: ", ".join(f"{shift} {_format_range(lux)}" for shift, lux in z.lux_by_shift)
        ),
    )
    yield "floor", _write_fact_by_zone(site, lambda z: "; ".join(part for part in (z.floor, *z.transitions) if part))
    yield (
        "air",
        _write_fact_by_zone(site, lambda z: ", ".join(_format_range(r) for r in (z.temperature, z.humidity) if r)),
    )
    yield "room", _write_fact_by_zone(site, lambda z: ", ".join(filter(None, (_format_ceiling(z.ceiling_m), z.layout))))
    for key, name in QUANTITIES.items():
        yield name, _write_fact_by_zone(site, partial(_write_zone_quantity, key))
    yield "bin sizes", ", ".join(f"{c.name} {' × '.join(number(s, 6) for s in c.size_m)} m" for c in site.containers)
    yield "shelving", site.shelving
    yield "cameras", "; ".join(site.camera_mounts)
    for people in site.people:
        yield f"people: {people.quantity}", ", ".join(f"{band} {percent(share, 0)}" for band, share in people.shares)
    for quantity, text in site.people_bands:
        yield f"people: {quantity}", text


def _write_fact_by_zone(site: Site, write_fact: Callable[[Zone], str]) -> str:
    return "; ".join(f"{zone.name}: {stated}" for zone in site.zones if (stated := write_fact(zone)))


def _write_zone_quantity(key: str, zone: Zone) -> str:
    given = zone.get_range(key)
    return _format_range(given) if given else ""


def _draw_edge_cases(deployment: Deployment) -> Markup:
    rows = [
        (
            case.name,
            format_count(case.per_week),
            NOT_STATED if case.failure_rate is None else percent(case.failure_rate, 0),
        )
        for case in sorted(deployment.edge_cases, key=lambda case: -case.per_week)
    ]
    return draw_panel("Edge cases", [draw_table(("edge case", "a week", "fails"), rows, ("a week", "fails"))])


def _format_range(value_range: Range) -> str:
    return f"{number(value_range.low, 6)} to {number(value_range.high, 6)} {value_range.unit}"


def _format_ceiling(ceiling_m: float | None) -> str:
    return f"ceiling {number(ceiling_m, 6)} m" if ceiling_m else ""
