"""The collection plan: draw it, write work orders, follow its progress, and score it."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.audit.audit import require_complete_audit, require_latest_deployment
from fieldloop.loop.audit.audited_map import find_edited_map_files
from fieldloop.loop.audit.live_sites import note_live_sites_without_set
from fieldloop.loop.plan.known import (
    compute_coverage_and_elsewhere,
    compute_coverage_for_policy,
    find_collected_since,
    find_crew,
    find_open_demands,
    find_plan_scores,
    read_plan_inputs,
)
from fieldloop.loop.plan.order_counts import count_episodes_by_order
from fieldloop.loop.plan.order_sheets import read_sheet, write_orders
from fieldloop.loop.run.policies import find_policy
from fieldloop.loop.run.rollout import find_version_in_production
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.deployment import Deployment
from fieldloop.model.event import PlanDrawn, PlanScored, PolicyAdded, PolicyTrained
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Plan, PlanScore, Progress, WorkOrder
from fieldloop.plan import (
    STRATEGIES,
    compute_learning_curves,
    compute_quota_progress,
    count_accepted_outside_quotas,
    draw_plan,
    forecast_completion,
    measure_pace,
)
from fieldloop.plan.score import score_plan
from fieldloop.protocol import Section
from fieldloop.report.plan import PlanReport
from fieldloop.report.plan import render_plan_page as page_of
from fieldloop.report.plan.sheet import OrderSheet, make_order_sheets

STRATEGY_NAMES = tuple(STRATEGIES)
"""How a plan may divide its budget; the first is usual."""


@dataclass(frozen=True, slots=True)
class PlanNow(PlanReport):
    """The plan in force, its progress and basis, and where its page was written."""

    html: str = ""


@dataclass(frozen=True, slots=True)
class OrdersWritten:
    """The file of work orders that was written."""

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
    """Make the next collection plan from coverage, failures in production and open demands.

    With a budget of 0 it only names what is missing. Nothing is ordered, and the plan in force stays.

    Arguments:
        budget: largest cost of the plan, in ordinary demonstrations (default: plan.budget of operations)
        strategy: marginal (expected gain), failure_frequency, frequency, uniform or failure_index
        seed: seed of the random draws behind the intervals
        html: also write the plan as an HTML page to this file
    """
    require_complete_audit(workspace)
    settings = make_plan_settings(workspace.operations["plan"], budget, strategy)
    drawn = draw_plan(
        read_plan_inputs(workspace), find_open_demands(workspace), find_crew(workspace), settings, workspace.ids,
        workspace.clock(), np.random.default_rng(seed), strategy,
    )  # fmt: skip
    early = (
        *find_edited_map_files(workspace),
        *note_live_sites_without_set(workspace, require_latest_deployment(workspace), drawn.sites),
    )
    drawn = replace(drawn, warnings=(*early, *drawn.warnings))
    if drawn.budget:
        workspace.write(PlanDrawn(drawn))
    else:
        drawn = replace(drawn, warnings=(_note_not_saved(workspace), *drawn.warnings))
    if html:
        write_atomically(html, page_of(_make_plan_with_progress(workspace, drawn)))
    return drawn


def make_plan_settings(settings: Section, budget: int | None, strategy: str) -> Section:
    """Return the settings of a plan with the requested budget; refuse an unknown strategy or a negative budget."""
    if strategy not in STRATEGIES:
        raise BadInput(f"{UnknownName('strategy', strategy, STRATEGIES)} Known: {', '.join(STRATEGIES)}.")
    if budget is not None and budget < 0:
        raise BadInput(f"A budget of {budget} demonstrations is not valid; give a number from 0.")
    return settings if budget is None else settings.replace_values(budget=budget)


def show_plan(workspace: Workspace) -> PlanNow:
    """Show the plan in force with its live progress and forecast, and the coverage of the deployed strata."""
    return _make_plan_with_progress(workspace, workspace.find_newest(Plan))


def write_plan_page(workspace: Workspace, file: Path) -> PlanNow:
    """Write the plan in force as an HTML page: what to collect, why, and progress.

    Arguments:
        file: the file to write, such as plan.html
    """
    now = replace(show_plan(workspace), html=str(file))
    write_atomically(file, page_of(now))
    return now


def write_work_orders(workspace: Workspace, file: Path, *, site: str = "", operator: str = "") -> OrdersWritten:
    """Write the work orders of the plan in force as CSV, JSON or sheets to print, by the file's ending.

    Sheets (.html) begin on a new page for each operator.

    Arguments:
        file: the file to write, such as orders.csv, orders.json or orders.html
        site: only the orders of this site
        operator: only the orders of this operator
    """
    latest = _require_latest_plan(workspace)
    wanted = _select_orders(latest, site, operator)
    write_orders(file, wanted, str(workspace.operations["plan"]["currency"]))
    return OrdersWritten(latest.id, str(file), len(wanted), sum(o.demonstrations for o in wanted))


def show_order_sheet(workspace: Workspace, *, operator: str = "") -> tuple[OrderSheet, ...]:
    """Show the work orders of the plan in force by operator, with hours, cost and due day.

    Arguments:
        operator: only the orders of this operator
    """
    wanted = _select_orders(_require_latest_plan(workspace), "", operator)
    return make_order_sheets(wanted, str(workspace.operations["plan"]["currency"]))


def compare_returned_sheet(workspace: Workspace, file: Path, *, surplus: bool = False) -> tuple[Progress, ...]:
    """Compare a returned order sheet with what was ingested and accepted.

    The sheet may belong to an earlier plan. Episodes that name no order count by their conditions.

    Arguments:
        file: the CSV or JSON that `plan orders` wrote, with `collected` filled in
        surplus: accept counts far above the number ordered
    """
    plans = workspace.store.find(Plan, newest=True)
    known = {order.id: order for drawn in plans for order in drawn.orders}
    sheet = read_sheet(file, known.values(), workspace.operations["plan"], surplus=surplus)
    of = {known[one.order].plan for one in sheet}
    if len(of) > 1:
        raise BadInput(f"{file.name} has orders of {len(of)} plans; return the sheets one by one.")
    held = next((drawn for drawn in plans if drawn.id in of), _require_latest_plan(workspace))
    return count_episodes_by_order(workspace, held, sheet)


def score_earlier_plan(workspace: Workspace, policy: str = "", *, plan: str = "") -> PlanScore:
    """Score a plan: compare the promised gain with the gain measured in production. Later plans learn from it.

    Both versions are compared on the mix of the map in force.

    Arguments:
        policy: the policy version trained on what the plan collected (default: the version in production)
        plan: the plan's id (default: the last plan made before that version was trained)
    """
    chosen = policy or find_version_in_production(workspace)
    if not chosen:
        raise Refused("No version is in production. Name the policy that was trained on what the plan collected.")
    after = find_policy(workspace, chosen)
    held = _find_plan_to_score(workspace, after.id, plan)
    made = score_plan(
        held,
        compute_coverage_for_policy(workspace, held.policy),
        compute_coverage_for_policy(workspace, after.id),
        workspace.operations["plan"],
        after.id,
    )
    workspace.write(PlanScored(made))
    return made


def _make_plan_with_progress(workspace: Workspace, latest: Plan | None) -> PlanNow:
    (coverages, elsewhere), scores = compute_coverage_and_elsewhere(workspace), find_plan_scores(workspace)
    if latest is None:
        return PlanNow(None, (), coverages, scores=scores, elsewhere=elsewhere)
    settings = workspace.operations["plan"]
    episodes, statuses = find_collected_since(workspace, latest)
    far = compute_quota_progress(latest, episodes, statuses)
    left, accepted = measure_pace(latest, episodes, statuses)
    # a log may be older than the plan but ingested after it
    came_in = [max(at_ns, latest.drawn_ns) for at_ns in accepted]
    ahead = forecast_completion(
        left, came_in, latest.drawn_ns, workspace.clock(), settings, _find_time_zone(workspace, latest)
    )
    curves = compute_learning_curves(coverages, latest.quotas, settings, scores, elsewhere)
    beside = count_accepted_outside_quotas(latest, episodes, statuses)
    by_order = count_episodes_by_order(workspace, latest)
    return PlanNow(latest, far, coverages, ahead, scores, curves, elsewhere, by_order, beside)


def _find_time_zone(workspace: Workspace, drawn: Plan) -> str:
    """Return the time zone of the site where most is to be collected; its days count."""
    mapped: Deployment | None = workspace.find_newest(Deployment)
    zones = mapped.time_zones if mapped else {}
    asked = Counter[str]()
    for order in drawn.orders:
        asked[order.site] += order.demonstrations
    return next((zones[site] for site, _ in asked.most_common() if site in zones), "UTC")


def _note_not_saved(workspace: Workspace) -> Note:
    now = workspace.find_newest(Plan)
    stays = note("plan.stays_in_force", plan=now.id) if now else note("plan.none_in_force")
    return note("plan.only_names_gaps", stays)


def _select_orders(latest: Plan, site: str, operator: str) -> list[WorkOrder]:
    wanted = [o for o in latest.orders if site in ("", o.site) and operator in ("", o.operator)]
    if not wanted:
        known = sorted({o.site for o in latest.orders} | {o.operator for o in latest.orders} - {""})
        raise BadInput(f"The plan has no such work orders. It has orders for: {', '.join(known) or 'none'}.")
    return wanted


def _require_latest_plan(workspace: Workspace) -> Plan:
    latest = workspace.find_newest(Plan)
    if latest is None:
        raise Refused("No plan was made yet. Run: fieldloop plan")
    return latest


def _find_plan_to_score(workspace: Workspace, policy: str, wanted: str) -> Plan:
    """Return the plan to score a version by: drawn from another version's failures before it was trained."""
    drawn = [p for p in workspace.store.find(Plan, newest=True) if p.id.startswith(wanted)]
    if wanted and not drawn:
        raise BadInput(f"No plan's id begins with {wanted!r}.")
    known = {r.event.policy.id: r.at_ns for r in workspace.store.events(PolicyAdded)}
    known |= {r.event.policy.id: r.at_ns for r in workspace.store.events(PolicyTrained)}
    trained_ns = known.get(policy, 0)
    for candidate in drawn:
        if candidate.policy not in ("", policy) and (wanted or candidate.drawn_ns < trained_ns):
            return candidate
    raise Refused(
        "No plan was made from the failures of an earlier version before this version was trained. A plan is "
        "scored once a policy trained on it works in production."
    )
