"""What to do next, the most urgent first: the field, then the loop in its order."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fieldloop.loop.home_marks import BAD, GOOD, IDLE, RUN, WARN
from fieldloop.loop.home_now import Now
from fieldloop.model.finding import Status
from fieldloop.model.incident import Step
from fieldloop.model.rollout import Rung

MOST_STEPS = 5
"""More is no list of what to do next, but of everything."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do: what is so, why it matters, and the command and page for it."""

    mark: str
    sentence: str
    why: str
    command: str
    page: str


def next_steps(now: Now) -> tuple[NextStep, ...]:
    """Return the things to do, the most urgent first; there is always one."""
    found = tuple(islice(_rules(now), MOST_STEPS))
    if found:
        return found
    done = "Production is watched; new outcomes come in here."
    return (NextStep(GOOD, "Nothing waits for you", done, "fieldloop monitor", "/floor"),)


def _rules(now: Now) -> Iterator[NextStep]:
    """What to do, most urgent first: the field, then the loop in its order."""
    yield from _field_rules(now)
    yield from _sensor_rules(now)
    yield from _data_rules(now)
    yield from _quality_rules(now)
    yield from _ship_rules(now)


def _field_rules(now: Now) -> Iterator[NextStep]:
    for incident in now.incidents:
        step, what = (
            next(s for s in Step if not incident.done(s)).value,
            f"Incident at {incident.site}: {incident.what}",
        )
        move = f'fieldloop incident move {incident.id} {step} --note "what was done"'
        yield NextStep(BAD, what, f"It is not {step} yet, and its clock runs.", move, "/incidents")
    if alarm := now.unexplained:
        yield NextStep(BAD, f"Production fell at {alarm.site}", alarm.message, "fieldloop diagnose", "/floor")
    for alarm in now.unattended:
        why = "Clocks run from the alert; an incident that is diagnosed asks the plan for demonstrations."
        start = f"fieldloop incident open --alarm {alarm.id}"
        yield NextStep(BAD, f"The alarm at {alarm.site} has no incident yet", why, start, "/incidents")
    if now.audit is None:
        why = "Everything else is measured against the deployment map."
        yield NextStep(
            IDLE, "Describe where the robot will work", why, "fieldloop audit deployment.toml", "/deployment"
        )
    elif not (now.audit.complete or now.audit.overridden_by):
        gaps, why = sum(len(a.missing) for a in now.audit.answers), f"Its score is {100 * now.audit.score:.0f} %."
        yield NextStep(WARN, f"The map leaves {gaps} gaps", why, "fieldloop audit", "/deployment")
    for changed in now.map_changed:
        what, _, run = changed.partition(" Run: ")
        why = "Plans, gates and diagnoses stand on the map as it was audited."
        yield NextStep(WARN, what, why, run or "fieldloop audit", "/deployment")
    if now.demands:
        asked = f"The field asks for {sum(d.demonstrations for d in now.demands):,} demonstrations"
        yield NextStep(WARN, asked, now.asked_why, "fieldloop plan", "/plan")


def _sensor_rules(now: Now) -> Iterator[NextStep]:
    for slipped in now.slipped:
        seen = slipped.seen
        which = f"{seen.sensor} of {seen.robot}"
        said = f"Stop collecting and calibrate {which}" if seen.halts else f"Calibrate {which} again soon"
        flagged = f"{slipped.flagged:,} episode{' is' if slipped.flagged == 1 else 's are'} flagged"
        why = f"Its last verification was not good; {flagged} because of it."
        yield NextStep(BAD if seen.halts else WARN, said, why, slipped.command, "/quality")


def _data_rules(now: Now) -> Iterator[NextStep]:
    if now.plan is None:
        why = "Coverage says what is missing, stratum by stratum."
        yield NextStep(RUN, "Draw the first plan", why, "fieldloop plan", "/plan")
    elif now.left:
        how, unsure = ("assumed", ", no outcome yet") if now.plan.assumed else ("expected", "")
        why = f"The plan is {how} to bring {100 * now.plan.expected_gain:+.1f} points on the floor{unsure}."
        yield NextStep(RUN, f"Collect {now.left:,} more demonstrations", why, "fieldloop ingest PATH", "/plan")
    if now.passed > now.annotated:
        waiting = f"{now.passed - now.annotated:,} accepted episodes have no phases yet"
        yield NextStep(RUN, waiting, "A release holds annotated episodes.", "fieldloop annotate", "/annotate")
    if now.annotated and (now.release is None or len(now.release.episodes) < now.annotated):
        why = f"{now.annotated:,} accepted episodes are annotated."
        yield NextStep(RUN, "Freeze a release", why, "fieldloop release NAME", "/releases")


def _quality_rules(now: Now) -> Iterator[NextStep]:
    """What stands against the data as a whole, and what changed suddenly, in one line."""
    if now.dataset is None:
        return
    failed = [f for f in now.dataset.wrong if f.status in (Status.FAILED, Status.ERRORED)]
    metrics = [series.metric for series in now.dataset.trends]
    if metrics:
        more = f" and {len(metrics) - 1} more" if len(metrics) > 1 else ""
        said = f"{metrics[0]}{more} changed suddenly from one batch to the next"
        yield NextStep(WARN, said, "Something about how data are made may have changed.", "fieldloop check", "/quality")
    if failed:
        many = "1 thing is" if len(failed) == 1 else f"{len(failed)} things are"
        said = f"{many} wrong with the dataset as a whole"
        yield NextStep(WARN, said, failed[0].message, "fieldloop check", "/quality")


def _ship_rules(now: Now) -> Iterator[NextStep]:
    release, policy, gate, climb = now.release, now.policy, now.decision, now.rollout
    if release and (policy is None or policy.release != release.id):
        train = f"fieldloop train {release.name}"
        yield NextStep(RUN, f"Train on release {release.name}", "No policy has seen it yet.", train, "/policies")
    if policy is None:
        return
    if climb and climb.candidate == policy.id and climb.rung not in (Rung.FLEET, Rung.BACK):
        said = f"{policy.name} is on rung {climb.rung.value}"
        yield NextStep(RUN, said, climb.reason, "fieldloop rollout advance", "/floor")
    if gate is None or gate.policy != policy.id:
        run = f"fieldloop gate {policy.name}"
        yield NextStep(RUN, f"Put {policy.name} through the gate", "It has no decision yet.", run, "/policies")
    elif gate.status is Status.CANNOT_TELL:
        more = f"The gate needs {sum(t.more_trials for t in gate.tests):,} more trials of {policy.name}"
        how = f"Record them with stage gate, or have them simulated: fieldloop gate {policy.name} --simulate"
        yield NextStep(WARN, more, how, f"fieldloop gate trials {policy.name}", "/policies")
    elif gate.status is not Status.PASSED:
        why = next((f"{t.name}: {t.message}" for t in gate.tests if t.status is gate.status), "")
        yield NextStep(BAD, f"The gate held {policy.name} back", why, "fieldloop plan", "/policies")
    elif climb is None or climb.candidate != policy.id:
        start = f"fieldloop rollout start {policy.name}"
        yield NextStep(RUN, f"Roll {policy.name} out", "The gate admitted it.", start, "/floor")
