"""The five gap questions, and how completely the map answers them."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from fieldloop.audit.oddities import list_unusual_values
from fieldloop.model.deployment import Audit, AuditAnswer, Comparison, Deployment, Site, Zone
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section

CONFIGURATIONS = ("front", "back", "side", "occluded", "buried", "nearly_empty", "reoriented")
MOST_PLACES = 3  # places in one sentence
ZONE = "[[site.zone]]"


class Item(NamedTuple):
    """One item that the map should state: whether it is there, its name, its place, and how to write it.

    What is known only once the robot works is asked for but does not lower the score: `counts` is False.
    """

    there: bool
    what: str
    place: str
    write: str
    counts: bool = True
    key: str = ""
    """The key of the map under which it is written, of quantities that may be unknown."""
    known_unknown: bool = False
    """The map states that it is unknown."""


ZoneItems = Callable[[Zone, str], Iterator[Item]]


def score_questions(deployment: Deployment, settings: Section, compared: tuple[Comparison, ...] = ()) -> Audit:
    """Score the five questions; the map is complete when each of them reaches the required score.

    Every item counts the same, so the score needs no weights. What cannot be known before the robot works is asked for
    but not counted. What few sites can measure (`not_required`), and what the map states to be unknown, lowers the
    score but does not make the map incomplete.
    """
    optional = frozenset(settings["not_required"])
    answers = tuple(
        _score_question(note(code), list(items(deployment)), optional)
        for code, items in (
            ("audit.asks_environment", _list_environment_items),
            ("audit.asks_synchronisation", _list_synchronisation_items),
            ("audit.asks_edge_cases", _list_edge_case_items),
            ("audit.asks_labels", _list_label_items),
            ("audit.asks_conditions", _list_condition_items),
        )
    )
    bar = settings.number("min_score")
    return Audit(
        deployment=deployment.id,
        answers=answers,
        score=sum(a.score for a in answers) / len(answers),
        complete=all(a.required_score >= bar for a in answers),
        operations=settings.fingerprint,
        compared=compared,
        odd=list_unusual_values(deployment, settings),
    )


def _score_question(question: Note, items: list[Item], optional: frozenset[str]) -> AuditAnswer:
    missing = [item for item in items if not item.there]
    required = [item for item in items if item.counts and not _is_optional(item, optional)]
    counted = sum(item.counts for item in items)
    score = 1.0 - sum(item.counts for item in missing) / counted
    enough = sum(item.there for item in required) / len(required) if required else 1.0
    return AuditAnswer(question, score, tuple(_note_missing_items(missing, optional)), counted, enough)


def _is_optional(item: Item, optional: frozenset[str]) -> bool:
    return item.key in optional or item.known_unknown


def _note_missing_items(items: Iterable[Item], optional: frozenset[str]) -> Iterator[Note]:
    """Name each missing item once, with its places and how to write it, however many sites lack it."""
    places: dict[tuple[str, str, bool], list[str]] = {}
    for item in items:
        required = not (item.counts and _is_optional(item, optional))
        places.setdefault((item.what, item.write, required), []).append(item.place)
    for (what, write, required), where in places.items():
        more = (note("audit.more", more=len(where) - MOST_PLACES),) if len(where) > MOST_PLACES else ()
        named = tuple(filter(None, where[:MOST_PLACES]))
        code = "audit.missing" if required else "audit.missing_optional"
        yield note(code, what=what, places=(*named, *more), write=write)


def _list_environment_items(deployment: Deployment) -> Iterator[Item]:
    yield Item(deployment.target_cycle_s is not None, "the target cycle time", "", "target_cycle_s under [deployment]")
    for site in deployment.sites:
        at = site.id
        yield Item(
            bool(site.lighting), "shares of lighting", at, "lighting = { bright = 0.6, dim = 0.4 } under [[site]]"
        )
        yield Item(bool(site.bins), "shares of bin configurations", at, "bins = { front = 0.7, … } under [[site]]")
        yield Item(bool(site.containers), "inner sizes of bins", at, "bin_sizes_m = { tote = [0.6, 0.4, 0.3] }")
        yield Item(bool(site.shelving), "the shelving", at, 'shelving = "…" under [[site]]')
        if len(site.zones) > 1:
            stated = "zone" in site.mixes
            yield Item(
                stated, "the share of picks in each zone", at, f"share = 0.5 under {ZONE}, to plan zones apart",
                counts=False,
            )  # fmt: skip
        yield Item(bool(site.camera_mounts), "where cameras are mounted", at, 'camera_mounts = ["overhead", …]')
        yield from _list_items_by_zone(site, _list_surroundings_items)


def _list_surroundings_items(zone: Zone, at: str) -> Iterator[Item]:
    yield _make_quantity_item(
        zone, "lux", bool(zone.lux_by_shift), "lux by shift", at, f"lux = {{ day = [300, 800], … }} under {ZONE}"
    )
    yield _make_range_item(zone, "the angle of the light", at, "light_angle_deg")
    yield Item(bool(zone.floor), "the floor", at, f'floor = "…" under {ZONE}')
    yield Item(bool(zone.transitions), "transitions of the floor", at, f'transitions = ["…"] or ["none"] under {ZONE}')
    high = zone.ceiling_m is not None
    yield _make_quantity_item(zone, "ceiling_m", high, "the height of the ceiling", at, f"ceiling_m under {ZONE}")
    yield Item(bool(zone.layout), "the layout", at, f'layout = "…" under {ZONE}')
    yield _make_range_item(zone, "the number of objects per bin", at, "objects_per_bin")


def _list_synchronisation_items(deployment: Deployment) -> Iterator[Item]:
    head = "under [deployment]"
    yield Item(bool(deployment.synchronisation), "how sensors are synchronised", "", f'synchronisation = "…" {head}')
    yield Item(deployment.max_offset_ms is not None, "the largest allowed clock offset", "", f"max_offset_ms {head}")
    yield Item(bool(deployment.verified_by), "how clocks are verified end to end", "", f'verified_by = "…" {head}')


def _list_edge_case_items(deployment: Deployment) -> Iterator[Item]:
    yield Item(bool(deployment.edge_cases), "edge cases with their weekly frequency", "", "[[edge_case]]")
    for case in deployment.edge_cases:
        rate, once = (
            case.failure_rate is not None,
            "failure_rate under [[edge_case]] once known; it does not lower the score",
        )
        yield Item(rate, "how often attempts fail", case.name, once, counts=False)
    picked = any(sku.picks_per_week for sku in deployment.skus)
    yield Item(picked, "the catalogue with pick velocity", "", "skus.csv, or fieldloop audit velocity")
    for site in deployment.sites:
        known = {b.name for b in site.bins}
        yield Item(len(known) > 1, "degraded bin configurations", site.id, "more than one level in bins")
        for name in CONFIGURATIONS:
            yield Item(name in known, f"how often items lie {name}", site.id, f"{name} = 0 in bins if never")


def _list_label_items(deployment: Deployment) -> Iterator[Item]:
    yield Item(bool(deployment.label_standard), "the label standard", "", 'label_standard = "…" under [deployment]')
    agreement = deployment.min_agreement is not None
    yield Item(agreement, "the required agreement of annotators", "", "min_agreement = 0.8 under [deployment]")


def _list_condition_items(deployment: Deployment) -> Iterator[Item]:
    for site in deployment.sites:
        people, at = bool(site.people or site.people_bands), site.id
        yield Item(people, "bands of people", at, "people.hand_size = { … } under [[site]]")
        if site.people:
            yield Item(site.people_count is not None, "the number of people", at, "people_count, to detect small bands")
        yield from _list_items_by_zone(site, _list_air_items)
    yield from _list_goods_items(deployment)


def _list_air_items(zone: Zone, at: str) -> Iterator[Item]:
    for key, stated in (("temperature_c", zone.temperature), ("humidity_percent", zone.humidity)):
        what = key.partition("_")[0]
        yield _make_quantity_item(zone, key, stated is not None, what, at, f"{key} = [lowest, highest] under {ZONE}")
    yield _make_range_item(zone, "dust", at, "dust_mg_m3")
    yield _make_range_item(zone, "vibration", at, "vibration_m_s2")
    yield _make_range_item(zone, "ambient noise", at, "noise_db")


def _list_goods_items(deployment: Deployment) -> Iterator[Item]:
    total = sum(sku.picks_per_week for sku in deployment.skus)
    for name, known in (
        ("mass_kg", [s for s in deployment.skus if s.mass_kg is not None]),
        ("length_m, width_m, height_m", [s for s in deployment.skus if s.size_m is not None]),
        ("packaging", [s for s in deployment.skus if s.packaging]),
        ("deformable", [s for s in deployment.skus if s.deformable is not None]),
        ("texture", [s for s in deployment.skus if s.texture]),
    ):
        # weighted by picks: an article that is never picked need not be described
        there = total > 0.0 and sum(s.picks_per_week for s in known) > total / 2
        yield Item(there, f"{name} of the articles that make up most picks", "", f"{name} in skus.csv")


def _list_items_by_zone(site: Site, items: ZoneItems) -> Iterator[Item]:
    """Ask of every zone; a site without zones lacks everything that a zone would state."""
    for zone in site.zones:
        yield from items(zone, f"{site.id}/{zone.name}")
    if not site.zones:
        yield from items(Zone(""), site.id)


def _make_range_item(zone: Zone, what: str, at: str, key: str) -> Item:
    there = zone.get_range(key) is not None
    return _make_quantity_item(zone, key, there, what, at, f"{key} = [lowest, highest] under {ZONE}")


def _make_quantity_item(zone: Zone, key: str, there: bool, what: str, at: str, write: str) -> Item:  # noqa: FBT001
    """Return an item of a zone that the map may state to be unknown."""
    return Item(there, what, at, write, key=key, known_unknown=key in zone.unknown)
