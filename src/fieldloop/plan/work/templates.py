"""Order templates: read from TOML, made from quotas, and filled with robots and people."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.condition import Stratum
from fieldloop.model.hardware import Robot
from fieldloop.model.identity import Ids
from fieldloop.model.note import Note, note
from fieldloop.model.person import Operator
from fieldloop.model.plan import OrderTemplate, QuotaKind, WorkOrder
from fieldloop.plan.work.rotation import (
    Rota,
    get_people_needed,
    get_task_variant,
    list_qualified_operators,
    note_rotation_problems,
)
from fieldloop.protocol import Section

KEYS = ("stratum", "demonstrations", "protocol", "site", "robot", "slots", "kind", "skus", "start")


@dataclass(frozen=True, slots=True)
class Crew:
    """Who and what collects: operators, robots, by which protocol, for which task, with or without a simulator.

    `registers` is False where operators and robots cannot be registered: a folder of tables has neither.
    """

    operators: tuple[Operator, ...]
    robots: tuple[Robot, ...]
    protocol: str
    task: str = ""
    simulates: bool = True
    registers: bool = True


def fill_templates(
    templates: Sequence[OrderTemplate], crew: Crew, settings: Section, plan: str, ids: Ids
) -> tuple[tuple[WorkOrder, ...], tuple[Note, ...]]:
    """Turn templates into orders, people and robots taking turns; warn where the rules of rotation cannot be met."""
    rota = Rota(list_qualified_operators(crew.operators, crew.task))
    robots = {site: _list_robots_at_site(crew.robots, site) for site in sorted({t.site for t in templates})}
    made: list[WorkOrder] = []
    for turn, template in enumerate(templates):
        if template.kind is QuotaKind.SIMULATION:
            made.append(_make_order(template, ids, plan, "", "", template.demonstrations, template.skus))
            continue
        here = robots[template.site]
        robot = template.robot or (here[turn % len(here)] if here else "")
        dealt, at = (
            rota.deal_demonstrations(
                template.demonstrations, get_task_variant(template.stratum, settings), template.slots
            ),
            0,
        )
        for operator, count in dealt.items():
            made.append(
                _make_order(template, ids, plan, robot, operator, count, _select_articles_of_order(template, at, count))
            )
            at += count
    real = sum(t.demonstrations for t in templates if t.kind is not QuotaKind.SIMULATION)
    if real and not crew.operators and not crew.robots:
        return tuple(made), (_note_unassigned_orders(settings, crew),)
    warnings = [*note_rotation_problems(rota, real, settings), *_note_missing_robots(templates, robots)]
    return tuple(made), tuple(warnings)


def _note_unassigned_orders(settings: Section, crew: Crew) -> Note:
    code = "plan.unassigned" if crew.registers else "plan.unassigned_in_folder"
    return note(code, needed=get_people_needed(settings))


def read_templates(text: str, file: str = "templates.toml") -> tuple[OrderTemplate, ...]:
    """Read `[name]` tables: stratum, demonstrations, protocol; optionally site, robot, slots, kind, skus, start."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise BadInput(f"{file} is not TOML: {wrong}.") from wrong
    return tuple(_parse_template(name, row, f"{file} [{name}]") for name, row in tables.items())


def _parse_template(name: str, row: Any, where: str) -> OrderTemplate:
    if not isinstance(row, Mapping):
        raise BadInput(f"{where}: a template must be a table; write [{name}] and its lines under it.")
    for key in row:
        if key not in KEYS:
            raise BadInput(f"{where}: {UnknownName('key', key, KEYS, ', '.join(KEYS))}")
    stratum = Stratum.parse(_read_text(row, "stratum", where))
    site = _read_text(row, "site", where) or stratum.level("site") or ""
    kind = _read_text(row, "kind", where) or QuotaKind.DEMONSTRATION
    kinds = [known.value for known in QuotaKind]
    if kind not in kinds:
        raise BadInput(f"{where}: {UnknownName('kind', kind, kinds, ', '.join(kinds))}")
    skus, start = row.get("skus", []), row.get("start", {})
    if not isinstance(skus, list) or not all(isinstance(sku, str) for sku in skus):
        raise BadInput(f'{where}: skus = {skus!r} should be a list of articles, such as ["SKU-1"].')
    if not isinstance(start, Mapping):
        raise BadInput(f'{where}: start = {start!r} should be a table, such as {{ yaw = "0 to 360 °" }}.')
    return OrderTemplate(
        name=name,
        stratum=stratum,
        demonstrations=_read_count(row, "demonstrations", where),
        protocol=_read_text(row, "protocol", where),
        site=site,
        robot=_read_text(row, "robot", where),
        slots=_read_count(row, "slots", where) if "slots" in row else 0,
        kind=QuotaKind(kind),
        skus=tuple(skus),
        start=tuple((str(key), str(value)) for key, value in start.items()),
    )


def _read_text(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise BadInput(f"{where}: {key} = {value!r} should be text in quotes.")
    return value.strip()


def _read_count(row: Mapping[str, Any], key: str, where: str) -> int:
    value = row.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadInput(f"{where}: {key} = {value!r} should be a whole number from 1.")
    return value


def _make_order(
    template: OrderTemplate, ids: Ids, plan: str, robot: str, operator: str, count: int, skus: tuple[str, ...]
) -> WorkOrder:
    return WorkOrder(
        ids.new("order"), plan, template.site, robot, operator, template.stratum, count, template.protocol,
        template.kind, skus, template.start,
    )  # fmt: skip


def _select_articles_of_order(template: OrderTemplate, at: int, count: int) -> tuple[str, ...]:
    """Broad: each order has its own articles. Deep: all operators share a few, so that none is only one person's."""
    return template.skus[at : at + count] if len(template.skus) >= template.demonstrations else template.skus


def _list_robots_at_site(robots: Iterable[Robot], site: str) -> list[str]:
    return [r.id for r in robots if not site or r.site == site]


def _note_missing_robots(templates: Sequence[OrderTemplate], robots: Mapping[str, Sequence[str]]) -> Iterator[Note]:
    real = {t.site for t in templates if t.kind is not QuotaKind.SIMULATION and not t.robot}
    for site in sorted(real):
        if not robots[site]:
            yield note("plan.no_robot", site=site)
