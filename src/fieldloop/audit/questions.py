"""The five gap questions, and how far the map answers them."""

from collections.abc import Iterator

from fieldloop.model.deployment import Audit, AuditAnswer, Deployment, Site
from fieldloop.protocol import Section

Item = tuple[bool, str]
"""Is it there, and how is it called when it is not."""


def ask(deployment: Deployment, settings: Section) -> Audit:
    """Score the five questions; the map is complete when every one of them reaches the bar."""
    answers = tuple(
        _answer(question, list(items(deployment)))
        for question, items in (
            ("environment: under which light, floors, bins and cameras does the robot work?", _environment),
            ("synchronisation: how are the clocks of all sensors held together?", _synchronisation),
            ("edge cases: what is rare and hard, and how often does it happen?", _edge_cases),
            ("label standards: by which standard are the data labelled?", _labels),
            ("physical conditions: which temperatures, people and goods does it meet?", _conditions),
        )
    )
    bar = settings.number("min_score")
    return Audit(
        deployment=deployment.id,
        answers=answers,
        score=sum(a.score for a in answers) / len(answers),
        complete=all(a.score >= bar for a in answers),
        operations=settings.fingerprint,
    )


def _answer(question: str, items: list[Item]) -> AuditAnswer:
    missing = tuple(name for there, name in items if not there)
    return AuditAnswer(question, 1.0 - len(missing) / len(items), missing)


def _environment(deployment: Deployment) -> Iterator[Item]:
    yield deployment.target_cycle_s is not None, "the target cycle time (target_cycle_s)"
    for site in deployment.sites:
        yield bool(site.lighting), f"shares of light at {site.id} (lighting)"
        yield bool(site.bins), f"shares of bin configurations at {site.id} (bins)"
        yield bool(site.camera_mounts), f"where cameras are mounted at {site.id} (camera_mounts)"
        yield bool(site.zones), f"the zones of {site.id} ([[site.zone]])"
        yield from _zones(site)


def _zones(site: Site) -> Iterator[Item]:
    for zone in site.zones:
        yield bool(zone.lux_by_shift), f"lux by shift in {site.id}/{zone.name} (lux)"
        yield bool(zone.floor), f"the floor of {site.id}/{zone.name} (floor)"


def _synchronisation(deployment: Deployment) -> Iterator[Item]:
    yield bool(deployment.synchronisation), "how sensors are synchronised (synchronisation)"


def _edge_cases(deployment: Deployment) -> Iterator[Item]:
    yield bool(deployment.edge_cases), "edge cases with their weekly frequency ([[edge_case]])"
    yield bool(deployment.skus), "the catalogue with pick velocity (skus.csv)"
    for site in deployment.sites:
        yield len(site.bins) > 1, f"degraded bin configurations at {site.id} (bins)"


def _labels(deployment: Deployment) -> Iterator[Item]:
    yield bool(deployment.label_standard), "the label standard (label_standard)"


def _conditions(deployment: Deployment) -> Iterator[Item]:
    for site in deployment.sites:
        yield bool(site.people_bands), f"bands of the people at {site.id} (people_bands)"
        if not site.zones:
            yield False, f"temperature and humidity at {site.id} ([[site.zone]])"
        for zone in site.zones:
            yield zone.temperature is not None, f"temperature in {site.id}/{zone.name} (temperature_c)"
            yield zone.humidity is not None, f"humidity in {site.id}/{zone.name} (humidity_percent)"
    total = sum(sku.picks_per_week for sku in deployment.skus)
    for name, known in (
        ("mass_kg", {s.id for s in deployment.skus if s.mass_kg is not None}),
        ("length_m, width_m, height_m", {s.id for s in deployment.skus if s.size_m is not None}),
        ("packaging", {s.id for s in deployment.skus if s.packaging}),
        ("deformable", {s.id for s in deployment.skus if s.deformable is not None}),
    ):
        # weighted by picks: an article nobody picks may stay undescribed
        described = sum(s.picks_per_week for s in deployment.skus if s.id in known)
        yield total > 0.0 and described > total / 2, f"{name} of the articles that make up most picks (skus.csv)"
