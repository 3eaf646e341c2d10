"""The current stages of the loop, and what production demands from the next plan."""

from collections.abc import Iterator
from dataclasses import dataclass

from fieldloop.loop.home.now import Now
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.rollout import Rung
from fieldloop.report.diagnose.content import name_first_cause
from fieldloop.say.marks import BAD, GOOD, IDLE, MARKS, RUN, WARN
from fieldloop.say.numbers import format_count, percent

RUNG_MARK = {None: IDLE, Rung.BACK: BAD, Rung.FLEET: GOOD}
GATE_FACT = {
    Status.PASSED: note("home.stage_gate_passed"),
    Status.FAILED: note("home.stage_gate_failed"),
    Status.CANNOT_TELL: note("home.stage_gate_cannot_tell"),
    Status.ERRORED: note("home.stage_gate_errored"),
    Status.NOT_APPLICABLE: note("home.stage_gate_not_applicable"),
}


@dataclass(frozen=True, slots=True)
class StageNow:
    """One stage of the loop: its mark, a count, one fact, and the page that shows more."""

    key: str
    name: str
    mark: str
    count: str
    fact: Note
    page: str


def list_stages(now: Now) -> Iterator[StageNow]:
    """Yield each stage with what is in it, in loop order."""
    yield from _describe_data_stages(now)
    gate, climb, diagnosis = now.decision, now.rollout, now.diagnosis
    fact = GATE_FACT[gate.status] if gate else note("home.stage_no_trial")
    mark = MARKS[gate.status].level if gate else IDLE
    yield StageNow("gate", "Gate", mark, format_count(now.gate_trials), fact, "/policies")
    fact = note("home.stage_share", share=climb.share) if climb else note("home.stage_not_rolled_out")
    rung = climb.rung if climb else None
    yield StageNow("serve", "Serve", RUNG_MARK.get(rung, RUN), rung.value if rung else "none", fact, "/floor")
    yield _describe_monitor_stage(now)
    mark = BAD if now.unexplained_alarm else MARKS[diagnosis.status].level if diagnosis else IDLE
    fact = (
        note("home.stage_diagnosed", cause=name_first_cause(diagnosis))
        if diagnosis
        else note("home.stage_no_diagnosis")
    )
    fact = note("home.stage_alarm") if now.unexplained_alarm else fact
    yield StageNow("diagnose", "Diagnose", mark, str(len(diagnosis.causes)) if diagnosis else "0", fact, "/incidents")


def _describe_monitor_stage(now: Now) -> StageNow:
    """State the rate in the window of the monitor, marked as the monitor marks it."""
    success, unknown = now.success, now.unknown_results or None
    if success.current is None:
        few = note("home.stage_few_outcomes", unknown=unknown)
        return StageNow("monitor", "Monitor", IDLE, "none", few, "/floor")
    mark, last = MARKS[success.status].level, success.rate_in_window
    if last is None:
        nothing = note("home.stage_no_recent", days=success.window_days, unknown=unknown)
        return StageNow("monitor", "Monitor", mark, "none", nothing, "/floor")
    if mark == GOOD and last.rate < (success.alarm or 0.0):
        mark = WARN  # below the limit, within chance or not evaluated yet
    fact = note("home.stage_window", days=success.window_days, baseline=success.baseline, unknown=unknown)
    return StageNow("monitor", "Monitor", mark, percent(last.rate), fact, "/floor")


def _describe_data_stages(now: Now) -> Iterator[StageNow]:
    audit, release, sites = now.audit, now.release, len(now.deployment.sites) if now.deployment else 0
    mark = IDLE if audit is None else GOOD if audit.complete else WARN if audit.overridden_by else BAD
    fact = note("home.stage_sites", sites=sites, score=audit.score) if audit else note("home.stage_no_map")
    yield StageNow("map", "Map", mark, str(sites), fact, "/deployment")
    planned = sum(p.planned for p in now.progress)
    accepted = planned - sum(p.left for p in now.progress)
    fact = (
        note("home.stage_planned", planned=planned, beside=now.beside or None)
        if now.plan
        else note("home.stage_no_plan")
    )
    yield StageNow(
        "plan", "Plan", (RUN if now.left else GOOD) if now.plan else IDLE, format_count(accepted), fact, "/plan"
    )
    mark = RUN if now.sessions else GOOD if now.episodes else IDLE
    fact = note("home.stage_episodes", live=now.sessions or None, aside=now.set_aside or None)
    yield StageNow("collect", "Collect", mark, format_count(now.episodes), fact, "/episodes")
    judged = now.passed + now.held
    mark = (WARN if now.held else GOOD) if judged else IDLE
    fact = (
        note("home.stage_judged", held=now.held, repaired=now.repaired or None)
        if judged
        else note("home.stage_not_judged")
    )
    yield StageNow("check", "Check", mark, format_count(now.passed), fact, "/quality")
    queue = max(0, now.passed - now.annotated)
    mark = IDLE if not now.annotated else RUN if queue else GOOD
    fact = note("home.stage_annotated", queue=queue)
    yield StageNow("annotate", "Annotate", mark, format_count(now.annotated), fact, "/annotate")
    fact = note("home.stage_release", episodes=len(release.episodes)) if release else note("home.stage_no_release")
    yield StageNow(
        "release", "Release", GOOD if release else IDLE, release.name if release else "none", fact, "/releases"
    )


def describe_demands_on_plan(now: Now) -> Note:
    """Return what production demands from the next plan."""
    if now.demands:
        asked = sum(d.demonstrations for d in now.demands)
        return note("home.back_demands", demonstrations=asked, why=now.largest_demand_reason)
    if now.plan is None:
        return note("home.back")
    budget, gain = now.plan.budget, now.plan.expected_gain
    if now.plan.assumed:
        return note("home.back_assumed", budget=budget, gain=gain)
    return note("home.back_expected", budget=budget, gain=gain)
