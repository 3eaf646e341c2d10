"""Diagnose and plan from a folder of plain files (a case), without a workspace."""

import secrets
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from fieldloop.audit import list_unusual_values
from fieldloop.diagnose import Evidence, demonstrations_of
from fieldloop.diagnose import diagnose as explain
from fieldloop.errors import BadInput
from fieldloop.loop.audit.live_sites import note_live_sites_without_set_in_tables
from fieldloop.loop.plan.order_sheets import write_orders
from fieldloop.loop.plan.plan import make_plan_settings
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.work.case_files import Case, read_case
from fieldloop.loop.workspace import Workspace
from fieldloop.model.diagnosis import Diagnosis
from fieldloop.model.identity import Ids
from fieldloop.model.outcome_columns import list_texts
from fieldloop.model.plan import Plan
from fieldloop.monitor import count_daily_rates
from fieldloop.plan import (
    Crew,
    Known,
    compute_coverage,
    compute_coverage_elsewhere,
    compute_learning_curves,
    draw_plan,
    read_demonstration_costs,
)
from fieldloop.protocol import default_operations
from fieldloop.report.diagnose import DiagnosisReport
from fieldloop.report.diagnose import render_diagnosis_page as diagnosis_page
from fieldloop.report.plan import PlanReport
from fieldloop.report.plan import render_plan_page as plan_page


def diagnose_folder(
    workspace: Workspace | None, folder: Path, *, site: str = "", seed: int = 0, html: Path | None = None
) -> Diagnosis:
    """Diagnose a policy from a folder of tables: demonstrations, baseline trials and production outcomes.

    Arguments:
        folder: contains production.jsonl or .csv, and optionally baseline, demonstrations, deployment.toml, skus.csv,
            lags.json, agreements.json and columns.toml
        site: diagnose this site only (default: all sites)
        seed: seed of the random draws behind the intervals
        html: also write the report to this HTML file
    """
    operations = workspace.operations if workspace else default_operations()
    case = read_case(folder, operations)
    _refuse_unknown_site(case, site)
    evidence = Evidence(
        policy=case.policy,
        site=site,
        baseline=case.baseline,
        production=case.production,
        demonstrations=None if case.demonstrations is None else demonstrations_of(case.demonstrations),
        time_zones=case.deployment.time_zones if case.deployment else None,
        lags=case.lags,
        agreements=case.agreements,
        exposures=case.deployment.exposures if case.deployment else (),
        roles=case.roles,
    )
    made = explain(evidence, operations["diagnose"], _make_id_generator(), time.time_ns(), np.random.default_rng(seed))
    made = replace(made, cannot_tell=(*case.doubts, *made.cannot_tell), columns=(*made.columns, *case.columns))
    if html:
        write_atomically(
            html,
            diagnosis_page(DiagnosisReport(made, count_daily_rates(evidence.after, evidence.time_zones), case.policy)),
        )
    return made


def plan_folder(
    workspace: Workspace | None,
    folder: Path,
    *,
    budget: int | None = None,
    strategy: str = "marginal",
    seed: int = 0,
    html: Path | None = None,
    orders: Path | None = None,
) -> Plan:
    """Make a collection plan from a folder of tables: the deployment map, demonstrations and production outcomes.

    Arguments:
        folder: contains deployment.toml with skus.csv, production.jsonl or .csv, and demonstrations.jsonl or .csv
        budget: largest cost of the plan, in ordinary demonstrations (default: plan.budget of operations)
        strategy: marginal (expected gain), failure_frequency, frequency, uniform or failure_index
        seed: seed of the random draws behind the intervals
        html: also write the report to this HTML file
        orders: also write the work orders to this file, as CSV or JSON by its extension
    """
    operations = workspace.operations if workspace else default_operations()
    settings = make_plan_settings(operations["plan"], budget, strategy)
    case = read_case(folder, operations)
    if case.deployment is None:
        raise BadInput(f"{folder} has no deployment.toml, which a plan needs: it describes where the robot will work.")
    collected, production = case.demonstrations or (), tuple(case.production)
    good = tuple(e for e in collected if e.succeeded is not False)
    covered = compute_coverage(
        case.deployment.exposures, good, production, tried=collected, costs=read_demonstration_costs(settings)
    )
    elsewhere = compute_coverage_elsewhere(
        covered, ((e.stratum_with_site, 1) for e in good), ((e.stratum_with_site, 1) for e in collected)
    )
    known = Known(covered, case.deployment, good, production, case.policy, elsewhere=elsewhere)
    crew = Crew((), (), protocol="", task=case.deployment.task, registers=False)
    made = draw_plan(
        known, (), crew, settings, _make_id_generator(), time.time_ns(), np.random.default_rng(seed), strategy
    )
    odd = list_unusual_values(case.deployment, operations["audit"])
    early = note_live_sites_without_set_in_tables(production, made.sites)
    made = replace(made, warnings=(*case.doubts, *odd, *early, *made.warnings))
    if html:
        curves = compute_learning_curves(covered, made.quotas, settings, elsewhere=elsewhere)
        write_atomically(html, plan_page(PlanReport(made, (), covered, curves=curves, elsewhere=elsewhere)))
    if orders:
        write_orders(orders, made.orders)
    return made


def _refuse_unknown_site(case: Case, site: str) -> None:
    known = sorted(list_texts(case.production, "site") - {""})
    if site and site not in known:
        raise BadInput(f"Production has no attempts at site {site!r}. Sites: {', '.join(known) or 'none'}.")


def _make_id_generator() -> Ids:
    return Ids(time.time_ns, secrets.randbits)
