"""Orders from templates, and the initial conditions of an order."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.audit.audit import require_complete_audit, require_latest_deployment
from fieldloop.loop.plan.known import find_crew, get_next_order_number
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import PlanDrawn
from fieldloop.model.note import note
from fieldloop.model.plan import Plan, Quota, WorkOrder
from fieldloop.plan import draw_initial_conditions, fill_templates, read_templates, schedule_orders
from fieldloop.text_files import read_text


@dataclass(frozen=True, slots=True)
class Start:
    """The initial conditions of one demonstration."""

    number: int
    conditions: tuple[tuple[str, float], ...]


def make_plan_from_templates(workspace: Workspace, file: Path) -> Plan:
    """Make the next plan from order templates for recurring work.

    Arguments:
        file: a TOML file with one table per order: stratum, demonstrations, protocol, site, slots …
    """
    require_complete_audit(workspace)
    templates = read_templates(read_text(file), file.name)
    if not templates:
        raise BadInput(f"{file.name} has no table; write one per order.")
    name, settings = workspace.ids.new("plan"), workspace.operations["plan"]
    orders, warnings = fill_templates(templates, find_crew(workspace), settings, name, workspace.ids)
    orders = schedule_orders(
        orders, settings, workspace.clock(), zones=require_latest_deployment(workspace).time_zones,
        first=get_next_order_number(workspace),
    )  # fmt: skip
    quotas = tuple(
        Quota(
            t.stratum, t.demonstrations, 0.0, 0.0, 0.0,
            note("plan.quota_of_template", demonstrations=t.demonstrations, file=file.name), t.kind,
        )
        for t in templates
    )  # fmt: skip
    asked = sum(t.demonstrations for t in templates)
    made = Plan(
        name, asked, "templates", quotas, orders, 0.0, workspace.clock(), settings.fingerprint, warnings, cost=asked
    )
    workspace.write(PlanDrawn(made))
    return made


def draw_start_conditions(workspace: Workspace, order: str, *, seed: int = 0) -> tuple[Start, ...]:
    """Draw the initial conditions of an order's demonstrations, spread evenly over their ranges.

    Arguments:
        order: the work order's number (14, order 14 or order-14), its id, or a unique beginning of it
        seed: random seed
    """
    wanted = re.sub(r"^order[ -]", "", order.strip().lower())
    newest = workspace.find_newest(Plan)
    numbered = [o for o in newest.orders if wanted == str(o.number)] if newest else []
    matches = numbered or [o for o in workspace.store.find(WorkOrder) if o.id.startswith(order)]
    if len(matches) != 1:
        known = [o.id for o in workspace.store.find(WorkOrder)]
        raise BadInput(f"{UnknownName('work order', order, known)} {len(matches)} ids begin with this text.")
    drawn = draw_initial_conditions(matches[0], np.random.default_rng(seed))
    return tuple(Start(number, tuple(one.items())) for number, one in enumerate(drawn, 1))
