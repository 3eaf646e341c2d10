"""Work beside the drawn plan: orders from templates of the house, and the initial conditions of an order."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.audit import require_complete_audit
from fieldloop.loop.plan_known import crew_of
from fieldloop.loop.whole_file import read_whole
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import PlanDrawn
from fieldloop.model.plan import Plan, Quota, WorkOrder
from fieldloop.plan import fill, initial_conditions, read_templates


@dataclass(frozen=True, slots=True)
class Start:
    """How one demonstration of an order begins."""

    number: int
    conditions: tuple[tuple[str, float], ...]


def from_templates(workspace: Workspace, file: Path) -> Plan:
    """Make the next plan from templates that a house keeps for work that comes again.

    Arguments:
        file: a TOML file with a table for each piece of work: stratum, demonstrations, protocol, site, slots …
    """
    require_complete_audit(workspace)
    templates = read_templates(read_whole(file), file.name)
    if not templates:
        raise BadInput(f"{file.name} has no table; write one for each piece of work.")
    name, settings = workspace.ids.new("plan"), workspace.operations["plan"]
    orders, warnings = fill(templates, crew_of(workspace), settings, name, workspace.ids)
    why = f"asked for by {file.name}"
    quotas = tuple(Quota(t.stratum, t.demonstrations, 0.0, 0.0, 0.0, f"{why}.", t.kind) for t in templates)
    asked = sum(t.demonstrations for t in templates)
    made = Plan(
        name, asked, "templates", quotas, orders, 0.0, workspace.clock(), settings.fingerprint, warnings, cost=asked
    )
    workspace.write(PlanDrawn(made))
    return made


def starts(workspace: Workspace, order: str, *, seed: int = 0) -> tuple[Start, ...]:
    """Draw the initial conditions of an order's demonstrations, spread evenly over what it asks for.

    Arguments:
        order: the work order's id, or the beginning of it
        seed: another seed draws others
    """
    found = [o for o in workspace.store.find(WorkOrder) if o.id.startswith(order)]
    if len(found) != 1:
        known = [o.id for o in workspace.store.find(WorkOrder)]
        raise BadInput(f"{UnknownName('work order', order, known)} {len(found)} begin with it.")
    drawn = initial_conditions(found[0], np.random.default_rng(seed))
    return tuple(Start(number, tuple(one.items())) for number, one in enumerate(drawn, 1))
