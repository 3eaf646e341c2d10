"""The audit as an HTML page: the result, what is missing and how to write it, the map, and the comparison."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from fieldloop.model.audit import Audit, Comparison
from fieldloop.model.deployment import Deployment, Range, Site, Zone
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.report.audit.compared import draw_compared
from fieldloop.report.audit.drawings import MOST_SITES, draw_exposure, draw_velocity
from fieldloop.report.markup import figure, folded, panel, paragraph, table
from fieldloop.report.page import page
from fieldloop.say import sentence
from fieldloop.say.html import Markup, escape, join
from fieldloop.say.marks import status
from fieldloop.say.numbers import format_number as number
from fieldloop.say.numbers import percent, whole

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


def html(deployment: Deployment, audit: Audit, early: Sequence[Note] = ()) -> str:
    """Return the page; `early` names sites that went live too early."""
    notes = map(sentence, (*early, *audit.odd))
    warnings = [paragraph(join(status(Status.CANNOT_TELL, "Note"), Markup(" &nbsp; "), one)) for one in notes]
    blocks: list[object] = [paragraph(_sentence(audit), "lead"), *warnings, _questions(audit)]
    if audit.compared:
        blocks.append(_compared(audit.compared))
    blocks.append(_exposure(deployment))
    if curve := draw_velocity(deployment.skus):
        articles = whole(len(deployment.skus))
        caption = f"{articles} articles. A steep start of the curve means that few articles make up most picks."
        blocks.append(panel("Velocity", [figure(curve, caption)]))
    blocks.append(_sites(deployment))
    if deployment.edge_cases:
        blocks.append(_edge_cases(deployment))
    foot = f"{deployment.id}, judged by operations {audit.operations}." if audit.operations else deployment.id
    return page(deployment.id, blocks, kind="fieldloop audit", foot=foot)


def _sentence(audit: Audit) -> str:
    gaps = sum(len(answer.missing) for answer in audit.answers)
    wrong = sum(one.status is Status.FAILED for one in audit.compared)
    contradicted = f" Logs contradict {wrong} of {len(audit.compared)} claims." if wrong else ""
    if audit.complete:
        return f"The map is complete: {percent(audit.score, 0)}.{contradicted}"
    if audit.overridden_by:
        reason = f"{audit.overridden_by} overrode the audit: {audit.override_reason}"
        return f"The map is incomplete ({percent(audit.score, 0)}). {reason}{contradicted}"
    score = percent(audit.score, 0)
    needed = f"{_count_things(gaps)} to write before a protocol can be locked"
    return f"The map is incomplete at {score}: {needed}.{contradicted}"


def _count_things(count: int) -> str:
    return "1 thing" if count == 1 else f"{count} things"


def _questions(audit: Audit) -> Markup:
    rows = [
        (
            status(Status.PASSED if not answer.missing else Status.CANNOT_TELL, percent(answer.score, 0)),
            sentence(answer.question),
            answer.asked or "",
            _missing_list(list(map(sentence, answer.missing))),
        )
        for answer in audit.answers
    ]
    columns = ("score", "question", "asked", "missing, and how to write it")
    return panel("Five questions", [table(columns, rows, ("asked",), columns[3:])])


def _missing_list(missing: Sequence[str]) -> Markup:
    return join(*(Markup(f"<div>{escape(one)}</div>") for one in missing)) if missing else escape("nothing")


def _compared(comparisons: Sequence[Comparison]) -> Markup:
    ranked = sorted(comparisons, key=lambda one: ORDER.index(one.status))
    rows = [
        (
            status(one.status),
            one.site or "all",
            one.what,
            sentence(one.claimed),
            sentence(one.measured),
            one.episodes,
            one.days,
            sentence(one.message),
        )
        for one in ranked
    ]
    columns = ("", "site", "claim", "map", "logs", "attempts", "days", "result")
    drawn = draw_compared(ranked, MOST_DRAWN)
    lead = (
        "A diamond shows the map, a dot with its interval the measurement. Days are compared, not picks. A difference "
        "counts if it is significant over all claims and larger than the tolerance."
    )
    body = [paragraph(lead, "dim"), Markup(f'<div class="pair">{join(*drawn)}</div>')]
    listed = table(columns, rows, ("attempts", "days"), ("result",))
    return panel(
        "The map compared with the logs", [*body, folded("All claims", [listed], opened=len(rows) <= MOST_DRAWN)]
    )


def _exposure(deployment: Deployment) -> Markup:
    chunks = [deployment.sites[at : at + MOST_SITES] for at in range(0, len(deployment.sites), MOST_SITES)]
    drawn = [figure(made, "") for chunk in chunks if (made := draw_exposure(deployment, chunk))]
    strata = whole(len(deployment.exposures))
    note = f"{strata} strata; within a site, the factors are assumed to be independent"
    if deployment.measured:
        note = f"{strata} strata; joint shares measured in production count {_measured_weight_text(deployment)}"
    if not drawn:
        return panel("Exposure", [paragraph("The map states no shares of light, bins or tiers yet.", "dim")])
    caption = paragraph(
        "Each bar shows the share of a site's picks at a level. The number beside a site is its share of all picks.",
        "dim",
    )
    return panel("Exposure", [caption, Markup(f'<div class="pair">{join(*drawn)}</div>')], note)


def _measured_weight_text(deployment: Deployment) -> str:
    return f"{percent(deployment.measured_weight, 0)}, and the product of the map's shares counts for the rest"


def _sites(deployment: Deployment) -> Markup:
    """Show sites side by side, one property per row."""
    tables = []
    for at in range(0, len(deployment.sites), SITES_ABREAST):
        abreast = deployment.sites[at : at + SITES_ABREAST]
        facts = [dict(_facts(site)) for site in abreast]
        names = list(dict.fromkeys(name for of_site in facts for name in of_site))
        rows = [(name, *(of_site.get(name) or NOT_STATED for of_site in facts)) for name in names]
        tables.append(table(("", *(site.id for site in abreast)), rows))
    return panel("Sites side by side", tables)


def _facts(site: Site) -> Iterator[tuple[str, str]]:
    yield "share of picks", percent(site.share, 0)
    yield "time zone", site.time_zone
    yield "light", _by_zone(site, lambda z: ", ".join(f"{shift} {_range(lux)}" for shift, lux in z.lux_by_shift))
    yield "floor", _by_zone(site, lambda z: "; ".join(part for part in (z.floor, *z.transitions) if part))
    yield "air", _by_zone(site, lambda z: ", ".join(_range(r) for r in (z.temperature, z.humidity) if r))
    yield "room", _by_zone(site, lambda z: ", ".join(filter(None, (_ceiling_text(z.ceiling_m), z.layout))))
    for key, name in QUANTITIES.items():
        yield name, _by_zone(site, partial(_quantity, key))
    yield "bin sizes", ", ".join(f"{c.name} {' × '.join(number(s, 6) for s in c.size_m)} m" for c in site.containers)
    yield "shelving", site.shelving
    yield "cameras", "; ".join(site.camera_mounts)
    for people in site.people:
        yield f"people: {people.quantity}", ", ".join(f"{band} {percent(share, 0)}" for band, share in people.shares)
    for quantity, text in site.people_bands:
        yield f"people: {quantity}", text


def _by_zone(site: Site, fact: Callable[[Zone], str]) -> str:
    return "; ".join(f"{zone.name}: {stated}" for zone in site.zones if (stated := fact(zone)))


def _quantity(key: str, zone: Zone) -> str:
    given = zone.range_of(key)
    return _range(given) if given else ""


def _edge_cases(deployment: Deployment) -> Markup:
    rows = [
        (
            case.name,
            whole(case.per_week),
            NOT_STATED if case.failure_rate is None else percent(case.failure_rate, 0),
        )
        for case in sorted(deployment.edge_cases, key=lambda case: -case.per_week)
    ]
    return panel("Edge cases", [table(("edge case", "a week", "fails"), rows, ("a week", "fails"))])


def _range(given: Range) -> str:
    return f"{number(given.low, 6)} to {number(given.high, 6)} {given.unit}"


def _ceiling_text(height: float | None) -> str:
    return f"ceiling {number(height, 6)} m" if height else ""
