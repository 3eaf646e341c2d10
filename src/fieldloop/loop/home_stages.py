"""The stages of the loop as they are now, and what leads from the last back to the plan."""

from collections.abc import Iterator
from dataclasses import dataclass

from fieldloop.loop.home_marks import BAD, GOOD, IDLE, MARK, RUN, WARN
from fieldloop.loop.home_now import Now
from fieldloop.model.finding import Status
from fieldloop.model.rollout import Rung
from fieldloop.report.diagnose.content import in_short

RUNG_MARK = {None: IDLE, Rung.BACK: BAD, Rung.FLEET: GOOD}
GATE_WORD = {Status.PASSED: "admitted", Status.FAILED: "held back", Status.CANNOT_TELL: "more needed"}


@dataclass(frozen=True, slots=True)
class StageNow:
    """One stage of the loop: its mark, a count, one fact, and the page that shows more."""

    key: str
    name: str
    mark: str
    count: str
    fact: str
    page: str


def stages(now: Now) -> Iterator[StageNow]:
    """Say of each stage what is in it, in loop order."""
    yield from _data_stages(now)
    gate, climb, found = now.decision, now.rollout, now.diagnosis
    fact = f"trials, {GATE_WORD.get(gate.status, gate.status.value)}" if gate else "no trial yet"
    trials = f"{sum(t.trials for t in gate.tests) if gate else 0:,}"
    yield StageNow("gate", "Gate", MARK[gate.status] if gate else IDLE, trials, fact, "/policies")
    fact = f"{100 * climb.share:.0f} % of tasks" if climb else "nothing rolled out"
    rung = climb.rung if climb else None
    yield StageNow("serve", "Serve", RUNG_MARK.get(rung, RUN), rung.value if rung else "none", fact, "/floor")
    last, base = now.success.points[-1] if now.success.points else None, now.success.baseline
    mark = IDLE if last is None else BAD if last.rate < (now.success.alarm or 0.0) else GOOD
    beside = "" if base is None else f", base {100 * base:.0f} %"
    fact = f"{now.success.window_days:g} days{beside}" if last else "too few outcomes"
    yield StageNow("monitor", "Monitor", mark, f"{100 * last.rate:.1f} %" if last else "none", fact, "/floor")
    mark = BAD if now.unexplained else MARK[found.status] if found else IDLE
    fact = "an alarm waits" if now.unexplained else in_short(found) if found else "nothing to explain"
    yield StageNow("diagnose", "Diagnose", mark, str(len(found.causes)) if found else "0", fact, "/incidents")


def _data_stages(now: Now) -> Iterator[StageNow]:
    audit, release, sites = now.audit, now.release, len(now.deployment.sites) if now.deployment else 0
    mark = IDLE if audit is None else GOOD if audit.complete else WARN if audit.overridden_by else BAD
    fact = f"{'site' if sites == 1 else 'sites'}, audit {100 * audit.score:.0f} %" if audit else "no map yet"
    yield StageNow("map", "Map", mark, str(sites), fact, "/deployment")
    planned = sum(p.planned for p in now.progress)
    accepted = planned - sum(p.left for p in now.progress)
    mark, fact = (RUN if now.left else GOOD, f"of {planned:,} demos") if now.plan else (IDLE, "no plan yet")
    yield StageNow("plan", "Plan", mark, f"{accepted:,}", fact, "/plan")
    mark, fact = (
        (RUN, f"episodes, {now.sessions} live") if now.sessions else (GOOD if now.episodes else IDLE, "episodes")
    )
    yield StageNow("collect", "Collect", mark, f"{now.episodes:,}", fact, "/episodes")
    mark, fact = (
        (WARN if now.held else GOOD, f"passed, {now.held:,} held")
        if now.passed + now.held
        else (IDLE, "nothing judged")
    )
    yield StageNow("check", "Check", mark, f"{now.passed:,}", fact, "/quality")
    queue = max(0, now.passed - now.annotated)
    mark = IDLE if not now.annotated else RUN if queue else GOOD
    yield StageNow("annotate", "Annotate", mark, f"{now.annotated:,}", f"done, {queue:,} queued", "/annotate")
    mark, count = (GOOD, release.name) if release else (IDLE, "none")
    fact = f"{len(release.episodes):,} episodes" if release else "nothing frozen"
    yield StageNow("release", "Release", mark, count, fact, "/releases")


def way_back(now: Now) -> str:
    """Say what production asks of the next plan."""
    if now.demands:
        asked = sum(d.demonstrations for d in now.demands)
        return f"Back to plan: {asked:,} demonstrations asked for, {now.asked_why}"
    if now.plan:
        how, unsure = ("assumed", ", no outcome yet") if now.plan.assumed else ("expected", "")
        gain = f"{how} {100 * now.plan.expected_gain:+.1f} points on the floor{unsure}"
        return f"Back to plan: {now.plan.budget:,} demonstrations, {gain}"
    return "Back to plan: what production shows becomes the next plan"
