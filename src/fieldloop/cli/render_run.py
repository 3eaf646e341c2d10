"""Terminal output of gates, monitoring, rollouts and incidents."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import facts, heading, mark, styled, table, value_text
from fieldloop.cli.tables import field_label as words_of
from fieldloop.model.alarm import Watch
from fieldloop.model.decision import Decision, GateTest
from fieldloop.model.finding import Status
from fieldloop.model.incident import Step
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.say import sentence
from fieldloop.say.findings import message
from fieldloop.say.numbers import fixed, format_duration, format_time, percent, shorten_ids


def decision(made: Decision, screen: Screen) -> None:
    """Print a gate decision: one row per test with requirement, result and missing trials."""
    more = sum(test.more_trials for test in made.tests)
    words = {Status.PASSED: "passed the gate", Status.FAILED: "failed the gate"}
    words[Status.CANNOT_TELL] = f"needs {more} more trials"
    screen.print(
        mark(made.status, words.get(made.status, "")).append(
            f"  policy {shorten_ids(made.policy)}", style="bold default"
        )
    )
    rows = [
        (
            t.status,
            t.name,
            sentence(t.required),
            f"{t.successes} of {t.trials}" if t.trials else "–",
            _interval(t.low, t.high) if _is_rate(t) else "–",
            t.more_trials or "",
            sentence(t.message),
        )
        for t in sorted(made.tests, key=lambda t: list(Status).index(t.status))
    ]
    columns = ("status", "test", "required", "seen", "interval", "more trials", "what")
    screen.print(table(columns, rows, right=("seen", "more trials")))


def watch(seen: Watch, screen: Screen) -> None:
    """Print the rates of production, the alarms first."""
    for alarm in seen.alarms:
        screen.print(styled(f"✗ Alarm at {alarm.site}: {sentence(alarm.message)}", "bold red"))
    if not seen.alarms:
        screen.print(mark(Status.PASSED, "no alarm"))
    rows = [(r.site, shorten_ids(r.policy), percent(r.rate), _interval(r.low, r.high), r.episodes) for r in seen.rates]
    columns = ("site", "policy", "success", "95 % interval", "episodes")
    screen.print(table(columns, rows, right=("success", "episodes")))
    for reason in seen.cannot_tell:
        screen.print(styled(f"▲ Cannot tell: {sentence(reason)}", "yellow"))
    for reason in seen.unknown:
        screen.print(styled(sentence(reason), "dim"))


def rollout(climb: Rollout, screen: Screen) -> None:
    """Print the state of a rollout."""
    rungs = [rung for rung in Rung if rung is not Rung.BACK]
    ladder = "  ".join(f"[{rung}]" if rung is climb.rung else str(rung) for rung in rungs)
    screen.print(heading(ladder if climb.rung is not Rung.BACK else f"{ladder}  [back]"))
    screen.print(
        facts(
            [
                ("candidate", shorten_ids(climb.candidate)),
                ("incumbent", shorten_ids(climb.incumbent or "") or "none; compared with its own trials"),
                ("share of tasks", percent(climb.share, 0)),
                ("since", format_time(climb.since_ns)),
                ("verdict", climb.verdict),
                ("candidate", f"{climb.candidate_successes} of {climb.candidate_episodes}"),
                ("incumbent", f"{climb.incumbent_successes} of {climb.incumbent_episodes}"),
                ("why", sentence(climb.reason)),
            ]
        )
    )


def incident(now: Any, screen: Screen) -> None:
    """Print an incident: what, where, and its deadlines."""
    opened = now.incident
    late = any(clock.met is False for clock in now.clocks)
    closed = opened.done(Step.REVIEWED) is not None
    word = "reviewed" if closed else "a deadline was missed" if late else "open"
    status = Status.FAILED if late else Status.PASSED if closed else Status.CANNOT_TELL
    screen.print(mark(status, word).append(f"  {sentence(opened.what)}", style="bold default"))
    place = f"{shorten_ids(opened.id)}, {opened.site}, {value_text(opened.stratum)}"
    where = f"{place}, policy {shorten_ids(opened.policy)}, alerted {format_time(opened.alerted_ns)}"
    screen.print(styled(where, "dim"))
    states = {True: Status.PASSED, False: Status.FAILED, None: Status.CANNOT_TELL}
    words = {True: "met", False: "missed", None: "running"}
    rows = [
        (
            c.step.value,
            mark(states[c.met], words[c.met]),
            format_duration(c.elapsed_s),
            format_duration(c.limit_s),
            c.owner.replace("_", " "),
        )
        for c in now.clocks
    ]
    screen.print(table(("step", "deadline", "elapsed", "limit", "owner"), rows, right=("elapsed", "limit")))
    for asked in now.demands:
        screen.write(
            f"Demand: {asked.demonstrations} demonstrations of {value_text(asked.stratum)}. {sentence(asked.why)}"
        )


def health(found: Any, screen: Screen) -> None:
    """Print a policy's health and latency, and whether a controller may use it."""
    screen.print(mark(found.status).append(f"  policy {shorten_ids(found.policy)}", style="bold default"))
    screen.write(message(found.admission))
    timed = found.latency
    times = [(n, f"{fixed(getattr(timed, n), 2)} ms") for n in ("p50_ms", "p95_ms", "p99_ms", "max_ms")]
    screen.print(facts([("calls", timed.calls), *((words_of(name), value) for name, value in times)]))


def _is_rate(test: GateTest) -> bool:
    """Return whether the interval is one of the success rate; latency, cycle time and patterns have others."""
    return test.trials > 0 and test.low <= test.successes / test.trials <= test.high


def _interval(low: float, high: float, digits: int = 1) -> str:
    """Write an interval of rates.

    >>> _interval(0.5, 0.75)
    '50.0 to 75.0 %'
    """
    return f"{percent(low, digits).removesuffix(' %')} to {percent(high, digits)}"
