"""What to collect next: draw a plan, hand it out as work orders, follow it, and hold it against what came of it."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audit import latest_deployment, require_complete_audit
from fieldloop.loop.audited_map import map_changed
from fieldloop.loop.live_sites import live_without_a_set
from fieldloop.loop.order_counts import order_counts
from fieldloop.loop.order_sheets import read_sheet, write_orders
from fieldloop.loop.plan_asked import asked_for
from fieldloop.loop.plan_known import (
    collected_since,
    coverage_now,
    coverage_under,
    crew_of,
    known_now,
    open_demands,
    scores_of,
)
from fieldloop.loop.policies import named
from fieldloop.loop.rollout import in_production
from fieldloop.loop.whole_file import write_whole
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Deployment
from fieldloop.model.event import PlanDrawn, PlanScored, PolicyTrained
from fieldloop.model.plan import Plan, PlanScore, Progress
from fieldloop.plan import (
    draw,
    forecast,
    learning_curves,
    pace_of,
    progress,
)
from fieldloop.plan.score import score as hold_against
from fieldloop.report.plan import PlanReport
from fieldloop.report.plan import html as page_of


@dataclass(frozen=True, slots=True)
class PlanNow(PlanReport):
    """The plan in force, how far it is, what it stands on, and where its page was written."""

    html: str = ""


@dataclass(frozen=True, slots=True)
class OrdersWritten:
    """The work orders of a plan as a file for those who collect."""

    plan: str
    file: str
    orders: int
    demonstrations: int


def plan(
    workspace: Workspace,
    *,
    budget: int | None = None,
    strategy: str = "marginal",
    seed: int = 0,
    html: Path | None = None,
) -> Plan:
    """Draw the next collection plan from coverage, failures in production and open demands.

    With a budget of 0 it only names what is missing: nothing is ordered, and the plan in force stays in force.

    Arguments:
        budget: what it may cost, in ordinary demonstrations; operations' plan.budget unless given
        strategy: marginal (expected gain), failure_frequency, frequency, uniform or failure_index
        seed: for the draws behind the intervals
        html: write it as a page with pictures to this file too
    """
    require_complete_audit(workspace)
    settings = asked_for(workspace.operations["plan"], budget, strategy)
    drawn = draw(
        known_now(workspace), open_demands(workspace), crew_of(workspace), settings, workspace.ids, workspace.clock(),
        np.random.default_rng(seed), strategy,
    )  # fmt: skip
    early = (*map_changed(workspace), *live_without_a_set(workspace, latest_deployment(workspace), drawn.sites))
    drawn = replace(drawn, warnings=(*early, *drawn.warnings))
    if drawn.budget:
        workspace.write(PlanDrawn(drawn))
    else:
        drawn = replace(drawn, warnings=(_only_a_look(workspace), *drawn.warnings))
    if html:
        write_whole(html, page_of(_now(workspace, drawn)))
    return drawn


def show(workspace: Workspace) -> PlanNow:
    """Show the plan in force with its live progress and forecast, and the coverage of the deployed strata."""
    return _now(workspace, next(iter(workspace.store.find(Plan, newest=True, limit=1)), None))


def page(workspace: Workspace, file: Path) -> PlanNow:
    """Write the plan in force as one page with pictures: what to collect, why, how far it is.

    Arguments:
        file: where to write it, such as plan.html
    """
    now = replace(show(workspace), html=str(file))
    write_whole(file, page_of(now))
    return now


def orders(workspace: Workspace, file: Path, *, site: str = "", operator: str = "") -> OrdersWritten:
    """Write the work orders of the plan in force for those who collect, as CSV or JSON by the file's ending.

    Arguments:
        file: where to write them, such as orders.csv or orders.json
        site: only those of one site
        operator: only those of one operator
    """
    latest = _latest(workspace)
    wanted = [o for o in latest.orders if site in ("", o.site) and operator in ("", o.operator)]
    if not wanted:
        known = sorted({o.site for o in latest.orders} | {o.operator for o in latest.orders} - {""})
        raise BadInput(f"The plan has no such work order. It has some for: {', '.join(known) or 'nobody'}.")
    write_orders(file, wanted)
    return OrdersWritten(latest.id, str(file), len(wanted), sum(o.demonstrations for o in wanted))


def returned(workspace: Workspace, file: Path, *, surplus: bool = False) -> tuple[Progress, ...]:
    """Hold a returned orders file against what has come in: what its collectors count beside what was accepted.

    The sheet may be of an earlier plan: collectors come back days later. What names no order counts by its conditions.

    Arguments:
        file: the CSV or JSON that `plan orders` wrote, with `collected` filled in
        surplus: counts far beyond what was ordered are right
    """
    plans = workspace.store.find(Plan, newest=True)
    known = {order.id: order for drawn in plans for order in drawn.orders}
    told = read_sheet(file, known.values(), workspace.operations["plan"], surplus=surplus)
    of = {known[one.order].plan for one in told}
    if len(of) > 1:
        raise BadInput(f"{file.name} has orders of {len(of)} plans; return the sheets one by one.")
    held = next((drawn for drawn in plans if drawn.id in of), _latest(workspace))
    return order_counts(workspace, held, told)


def score(workspace: Workspace, policy: str = "", *, plan: str = "") -> PlanScore:
    """Hold a plan against what came of it: what it promised, and what production gained. Later plans learn from it.

    Both versions are compared on the mix of the map in force, by what each was trained on.

    Arguments:
        policy: the version that was trained on what the plan collected; the one in production unless given
        plan: the plan's id; the last one drawn before that version was trained unless given
    """
    chosen = policy or in_production(workspace)
    if not chosen:
        raise Refused("No version is in production. Name the policy that was trained on what the plan collected.")
    after = named(workspace, chosen)
    held = _plan_before(workspace, after.id, plan)
    made = hold_against(
        held,
        coverage_under(workspace, held.policy),
        coverage_under(workspace, after.id),
        workspace.operations["plan"],
        after.id,
    )
    workspace.write(PlanScored(made))
    return made


def _now(workspace: Workspace, latest: Plan | None) -> PlanNow:
    coverages, scores = coverage_now(workspace), scores_of(workspace)
    if latest is None:
        return PlanNow(None, (), coverages, scores=scores)
    settings = workspace.operations["plan"]
    episodes, statuses = collected_since(workspace, latest)
    far = progress(latest, episodes, statuses)
    left, accepted = pace_of(latest, episodes, statuses)
    # a log may be older than the plan that counts it: it came in after
    came_in = [max(at_ns, latest.drawn_ns) for at_ns in accepted]
    ahead = forecast(left, came_in, latest.drawn_ns, workspace.clock(), settings, _zone_of(workspace, latest))
    curves = learning_curves(coverages, latest.quotas, settings, scores)
    return PlanNow(latest, far, coverages, ahead, scores, curves)


def _zone_of(workspace: Workspace, drawn: Plan) -> str:
    """The time zone whose days the collecting is counted in: that of the site where most of it is to be done."""
    mapped: Deployment | None = workspace.newest(Deployment)
    zones = mapped.time_zones if mapped else {}
    asked = Counter[str]()
    for order in drawn.orders:
        asked[order.site] += order.demonstrations
    return next((zones[site] for site, _ in asked.most_common() if site in zones), "UTC")


def _only_a_look(workspace: Workspace) -> str:
    now = next(iter(workspace.store.find(Plan, newest=True, limit=1)), None)
    stays = f"{now.id} stays in force" if now else "no plan is in force"
    return f"A budget of 0 only names what is missing: nothing is ordered, this is not kept, and {stays}."


def _latest(workspace: Workspace) -> Plan:
    latest = next(iter(workspace.store.find(Plan, newest=True, limit=1)), None)
    if latest is None:
        raise Refused("No plan is drawn yet. Run: fieldloop plan")
    return latest


def _plan_before(workspace: Workspace, policy: str, wanted: str) -> Plan:
    """Return the plan to hold a version against: drawn from another version's failures before it was trained."""
    drawn = [p for p in workspace.store.find(Plan, newest=True) if p.id.startswith(wanted)]
    if wanted and not drawn:
        raise BadInput(f"No plan's id begins with {wanted!r}.")
    trained_ns = max((r.at_ns for r in workspace.store.events(PolicyTrained) if r.event.policy.id == policy), default=0)
    for candidate in drawn:
        if candidate.policy not in ("", policy) and (wanted or candidate.drawn_ns < trained_ns):
            return candidate
    raise Refused(
        "No plan was drawn from the failures of an earlier version before this one was trained, so there is nothing "
        "to compare with: a plan is scored once a policy trained on it works in production."
    )
