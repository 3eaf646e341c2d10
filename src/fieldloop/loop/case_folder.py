"""A case: one policy's story as plain files in a folder, to be diagnosed and planned for without a workspace.

`deployment.toml` and `skus.csv` are the map; `demonstrations`, `baseline` and `production` are tables (.jsonl or .csv);
`lags.json` and `agreements.json` say what was measured of the data, where somebody did. Only production is needed.
"""

import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fieldloop.audit import parse
from fieldloop.diagnose import Evidence, demonstrations_of
from fieldloop.diagnose import diagnose as explain
from fieldloop.errors import BadInput
from fieldloop.loop.attempt_files import read_demonstrations, read_outcomes, telemetry_of
from fieldloop.loop.by_tier import episodes_by_tier, outcomes_by_tier
from fieldloop.loop.data_measured import read_agreements, read_lags
from fieldloop.loop.live_sites import live_in_tables
from fieldloop.loop.order_sheets import write_orders
from fieldloop.loop.plan_asked import asked_for
from fieldloop.loop.whole_file import read_whole, write_whole
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Agreement
from fieldloop.model.deployment import Deployment
from fieldloop.model.diagnosis import Diagnosis, Lag
from fieldloop.model.episode import Episode
from fieldloop.model.identity import Ids
from fieldloop.model.plan import Plan
from fieldloop.model.policy import Outcome, Stage
from fieldloop.monitor import daily
from fieldloop.plan import Crew, Known, coverage, draw, learning_curves, stated_costs
from fieldloop.protocol import Operations, default_operations
from fieldloop.report.diagnose import DiagnosisReport
from fieldloop.report.diagnose import html as diagnosis_page
from fieldloop.report.plan import PlanReport
from fieldloop.report.plan import html as plan_page

POLICY = "policy"
"""What a policy is called whose table does not name it."""
ENDINGS = (".jsonl", ".csv")
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Case:
    """What a folder says: the map, what was shown, how the policy fared before and in production."""

    policy: str
    production: tuple[Outcome, ...]
    baseline: tuple[Outcome, ...]
    demonstrations: tuple[Episode, ...] | None
    deployment: Deployment | None
    lags: tuple[Lag, ...]
    agreements: tuple[Agreement, ...]


def read_case(folder: Path, operations: Operations) -> Case:
    """Read a folder; whatever is not there is not known."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder. A case is a folder with production.jsonl or production.csv in it.")
    shown, before, after = (_table(folder, name) for name in ("demonstrations", "baseline", "production"))
    if after is None:
        there = ", ".join(sorted(f.name for f in folder.iterdir() if f.is_file())[:SHOWN]) or "nothing"
        raise BadInput(f"{folder} has no production.jsonl and no production.csv: one row an attempt. There is {there}.")
    deployment = _map(folder, operations)
    few = int(operations["diagnose"].number("table_levels"))
    telemetry = telemetry_of([table for table in (shown, before, after) if table], few)
    production = outcomes_by_tier(read_outcomes(after, POLICY, Stage.PRODUCTION, telemetry), deployment)
    policy = production[0].policy
    return Case(
        policy,
        production,
        outcomes_by_tier(read_outcomes(before, policy, Stage.LAB, telemetry), deployment) if before else (),
        episodes_by_tier(read_demonstrations(shown, telemetry), deployment) if shown else None,
        deployment,
        read_lags(folder / "lags.json"),
        read_agreements(folder / "agreements.json"),
    )


def diagnose_folder(
    workspace: Workspace | None, folder: Path, *, site: str = "", seed: int = 0, html: Path | None = None
) -> Diagnosis:
    """Diagnose a policy from files alone: tables of what it was shown, how it fared before and in production.

    Arguments:
        folder: has production.jsonl or .csv, and what else there is of baseline, demonstrations, deployment.toml,
            skus.csv, lags.json and agreements.json
        site: one site only; all unless given
        seed: for the bootstrap behind the intervals
        html: write it as a page with pictures to this file too
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
        time_zones={place.id: place.time_zone for place in case.deployment.sites} if case.deployment else None,
        lags=case.lags,
        agreements=case.agreements,
        exposures=case.deployment.exposures if case.deployment else (),
    )
    made = explain(evidence, operations["diagnose"], _ids(), time.time_ns(), np.random.default_rng(seed))
    if html:
        write_whole(
            html, diagnosis_page(DiagnosisReport(made, daily(evidence.after, evidence.time_zones), case.policy))
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
    """Draw a collection plan from files alone: the map, what was shown, and how production fared.

    Arguments:
        folder: has deployment.toml with skus.csv, production.jsonl or .csv, and demonstrations.jsonl or .csv
        budget: what it may cost, in ordinary demonstrations; operations' plan.budget unless given
        strategy: marginal (expected gain), failure_frequency, frequency, uniform or failure_index
        seed: for the draws behind the intervals
        html: write it as a page with pictures to this file too
        orders: write the work orders to this file too, as CSV or JSON by its ending
    """
    operations = workspace.operations if workspace else default_operations()
    settings = asked_for(operations["plan"], budget, strategy)
    case = read_case(folder, operations)
    if case.deployment is None:
        raise BadInput(f"{folder} has no deployment.toml: a plan starts from where the robot will work.")
    collected = case.demonstrations or ()
    good = tuple(e for e in collected if e.succeeded is not False)
    covered = coverage(case.deployment.exposures, good, case.production, tried=collected, costs=stated_costs(settings))
    known = Known(covered, case.deployment, good, case.production, case.policy)
    crew = Crew((), (), protocol="", task=case.deployment.task)
    made = draw(known, (), crew, settings, _ids(), time.time_ns(), np.random.default_rng(seed), strategy)
    made = replace(made, warnings=(*live_in_tables(case.production, made.sites), *made.warnings))
    if html:
        curves = learning_curves(covered, made.quotas, settings)
        write_whole(html, plan_page(PlanReport(made, (), covered, curves=curves)))
    if orders:
        write_orders(orders, made.orders)
    return made


def _refuse_unknown_site(case: Case, site: str) -> None:
    known = sorted({one.site for one in case.production} - {""})
    if site and site not in known:
        raise BadInput(f"There is no site {site!r} in production; there are: {', '.join(known) or 'none'}.")


def _table(folder: Path, name: str) -> Path | None:
    there = [folder / f"{name}{ending}" for ending in ENDINGS if (folder / f"{name}{ending}").is_file()]
    if len(there) > 1:
        raise BadInput(f"{folder} has {' and '.join(f.name for f in there)}; keep one, so that nobody has to guess.")
    return there[0] if there else None


def _map(folder: Path, operations: Operations) -> Deployment | None:
    chart, catalogue = folder / "deployment.toml", folder / "skus.csv"
    if not chart.is_file():
        return None
    skus = read_whole(catalogue) if catalogue.is_file() else ""
    return parse(read_whole(chart), skus, operations["audit"])


def _ids() -> Ids:
    return Ids(time.time_ns, secrets.randbits)
