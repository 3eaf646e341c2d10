"""What to do next, the most urgent first: the field, then the loop in its order."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from fieldloop.loop.home.now import Now
from fieldloop.model.finding import Status
from fieldloop.model.incident import Step
from fieldloop.model.note import Note, note
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.rollout import Rung
from fieldloop.say.marks import BAD, GOOD, IDLE, RUN, WARN
from fieldloop.say.numbers import format_id_for_command

MOST_STEPS = 5
"""A longer list would name everything, not what to do next."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do: the situation, why it matters, and the command and page for it."""

    mark: str
    sentence: Note
    why: Note
    command: str
    page: str


def list_next_steps(now: Now) -> tuple[NextStep, ...]:
    """Return the things to do, the most urgent first; there is always one."""
    found = tuple(islice(_propose_steps(now), MOST_STEPS))
    if found:
        return found
    nothing = note("home.nothing_to_do")
    return (NextStep(GOOD, nothing, note("home.production_watched"), "fieldloop monitor", "/floor"),)


def _propose_steps(now: Now) -> Iterator[NextStep]:
    yield from _propose_field_steps(now)
    yield from _propose_map_steps(now)
    yield from _propose_sensor_steps(now)
    yield from _propose_data_steps(now)
    yield from _propose_quality_steps(now)
    yield from _propose_ship_steps(now)


def _propose_field_steps(now: Now) -> Iterator[NextStep]:
    for incident in now.incidents:
        step = next(s for s in Step if not incident.find_done_step(s)).value
        what = note("home.incident_open", site=incident.site, what=incident.what)
        move = f'fieldloop incident move {format_id_for_command(incident.id)} {step} --note "what was done"'
        yield NextStep(BAD, what, note("home.incident_step_due", step=step), move, "/incidents")
    if alarm := now.unexplained_alarm:
        fell = note("home.production_fell", site=alarm.site)
        yield NextStep(BAD, fell, alarm.message, "fieldloop diagnose", "/floor")
    for alarm in now.unattended:
        what, why = note("home.alarm_without_incident", site=alarm.site), note("home.alarm_without_incident_why")
        yield NextStep(
            BAD, what, why, f"fieldloop incident open --alarm {format_id_for_command(alarm.id)}", "/incidents"
        )


def _propose_map_steps(now: Now) -> Iterator[NextStep]:
    if now.audit is None:
        start = "fieldloop audit" if now.map_written else "fieldloop audit --example"
        what = note("home.map_to_audit") if now.map_written else note("home.no_map")
        yield NextStep(IDLE, what, note("home.no_map_why"), start, "/deployment")
    elif not (now.audit.complete or now.audit.overridden_by):
        gaps = note("home.map_gaps", gaps=sum(len(a.missing) for a in now.audit.answers))
        yield NextStep(WARN, gaps, note("home.map_score", score=now.audit.score), "fieldloop audit", "/deployment")
    for changed in now.map_changed:
        why = note("home.map_changed_why")
        yield NextStep(WARN, replace(changed, details=()), why, str(changed["command"]), "/deployment")
    if now.demands:
        asked = note("home.demonstrations_asked", demonstrations=sum(d.demonstrations for d in now.demands))
        yield NextStep(WARN, asked, now.largest_demand_reason, "fieldloop plan", "/plan")


def _propose_sensor_steps(now: Now) -> Iterator[NextStep]:
    for slipped in now.slipped:
        sensor, robot, halts = slipped.seen.sensor, slipped.seen.robot, slipped.seen.halts_collection
        stop = note("home.sensor_stop", sensor=sensor, robot=robot)
        what = stop if halts else note("home.sensor_again", sensor=sensor, robot=robot)
        why = note("home.sensor_flagged", episodes=slipped.flagged)
        yield NextStep(BAD if halts else WARN, what, why, slipped.command, "/quality")


def _propose_data_steps(now: Now) -> Iterator[NextStep]:
    if now.plan is None:
        yield NextStep(RUN, note("home.no_plan"), note("home.no_plan_why"), "fieldloop plan", "/plan")
    elif now.left:
        gain = now.plan.expected_gain
        why = note("home.gain_assumed", gain=gain) if now.plan.assumed else note("home.gain_expected", gain=gain)
        yield NextStep(RUN, note("home.collect", left=now.left), why, "fieldloop ingest PATH", "/plan")
    if now.passed > now.annotated:
        waiting = note("home.no_phases", episodes=now.passed - now.annotated)
        yield NextStep(RUN, waiting, note("home.no_phases_why"), "fieldloop annotate", "/annotate")
    if (out := now.held - now.repaired) and not now.passed:
        what = note("home.held_out", held=out, release=now.release.name) if now.release else None
        why = now.held_why or note("home.all_held_why")
        yield NextStep(WARN, what or note("home.all_held", held=out), why, "fieldloop check", "/quality")
    # phases are asked for only once annotation has begun
    ready, why_ready = (now.annotated, "home.freeze_why") if now.annotated else (now.passed, "home.freeze_passed_why")
    ready = min(ready, now.passed)
    if ready and (now.release is None or len(now.release.episodes) < ready):
        why = note(why_ready, episodes=ready)
        yield NextStep(RUN, note("home.freeze"), why, "fieldloop release NAME", "/releases")


def _propose_quality_steps(now: Now) -> Iterator[NextStep]:
    """Report failed checks of the dataset as a whole, and metrics that changed suddenly."""
    if now.dataset is None:
        return
    failed = [f for f in now.dataset.wrong if f.status in (Status.FAILED, Status.ERRORED)]
    metrics = [series.metric for series in now.dataset.trends]
    if metrics:
        jumped = note("home.metric_jumped", metric=metrics[0], more=len(metrics) - 1 or None)
        yield NextStep(WARN, jumped, note("home.metric_jumped_why"), "fieldloop check", "/quality")
    if failed:
        why = note("home.dataset_failed_why", message=failed[0].fact)
        yield NextStep(WARN, note("home.dataset_failed", findings=len(failed)), why, "fieldloop check", "/quality")


def _propose_ship_steps(now: Now) -> Iterator[NextStep]:
    release, policy, climb = now.release, now.policy, now.rollout
    if release and not now.release_trained:
        what = note("home.train", release=release.name)
        yield NextStep(RUN, what, note("home.train_why"), f"fieldloop train {release.name}", "/policies")
    if policy is None:
        return
    if climb and climb.candidate == policy.id and climb.rung not in (Rung.FLEET, Rung.BACK):
        what = note("home.on_rung", policy=policy.name, rung=climb.rung.value)
        yield NextStep(RUN, what, climb.reason, "fieldloop rollout advance", "/floor")
    yield from _propose_gate_steps(now, policy)


def _propose_gate_steps(now: Now, policy: PolicyVersion) -> Iterator[NextStep]:
    gate, climb, name = now.decision, now.rollout, policy.name
    if gate is None or gate.policy != policy.id:
        what = note("home.not_gated", policy=name)
        yield NextStep(RUN, what, note("home.not_gated_why"), f"fieldloop gate {name}", "/policies")
    elif gate.status is Status.CANNOT_TELL:
        more = note("home.gate_trials", trials=sum(t.more_trials for t in gate.tests), policy=name)
        how = note("home.gate_trials_how", policy=name)
        yield NextStep(WARN, more, how, f"fieldloop gate trials {name}", "/policies")
    elif gate.status is not Status.PASSED:
        failed = next((t for t in gate.tests if t.status is gate.status), None)
        test, message = (failed.name, failed.message) if failed else ("", "")
        why = note("home.gate_failed_why", test=test, message=message)
        yield NextStep(BAD, note("home.gate_failed", policy=name), why, "fieldloop plan", "/policies")
    elif climb is None or climb.candidate != policy.id:
        start = f"fieldloop rollout start {name}"
        yield NextStep(RUN, note("home.roll_out", policy=name), note("home.gate_passed"), start, "/floor")
