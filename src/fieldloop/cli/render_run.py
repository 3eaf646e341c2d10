"""Terminal output of gates, monitoring, rollouts and incidents."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fieldloop.cli.render import show_noun, show_noun_table
from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import (
    format_status,
    format_value,
    make_facts_table,
    make_heading,
    make_styled_text,
    make_table,
)
from fieldloop.cli.tables import get_field_label as words_of
from fieldloop.model.alarm import Watch, note_standing_alarm
from fieldloop.model.decision import Decision
from fieldloop.model.finding import Status
from fieldloop.model.incident import Step
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.say import write_sentence
from fieldloop.say.findings import write_finding
from fieldloop.say.numbers import format_duration, format_fixed, format_time, percent, shorten_ids


def print_policy(result: PolicyVersion, screen: Screen) -> None:
    """Print a policy; what is not known of one that was trained elsewhere is a dash."""
    show_noun(_blank_unknown_facts(result), screen)


def print_policies(results: Sequence[PolicyVersion], screen: Screen) -> None:
    """Print policies as a table."""
    show_noun_table([_blank_unknown_facts(policy) for policy in results], screen)


def _blank_unknown_facts(policy: PolicyVersion) -> PolicyVersion:
    """Return a policy to print: without a release its episodes are not known, nor its seed unless trained here."""
    unknown: dict[str, Any] = {} if policy.release else {"episodes": None}
    unknown |= {"seed": None} if policy.validation_error is None else {}
    return replace(policy, **unknown)


def print_gate_decision(result: Decision, screen: Screen) -> None:
    """Print a gate decision: one row per test with requirement, result and missing trials."""
    more = sum(test.more_trials for test in result.tests)
    words = {Status.PASSED: "passed the gate", Status.FAILED: "failed the gate"}
    words[Status.CANNOT_TELL] = f"needs {more} more trials"
    screen.print(
        format_status(result.status, words.get(result.status, "")).append(
            f"  policy {shorten_ids(result.policy)}", style="bold default"
        )
    )
    rows = [
        (
            t.status,
            t.name,
            write_sentence(t.required),
            f"{t.successes} of {t.trials}" if t.trials else "–",
            _format_rate_interval(t.low, t.high) if t.bounds_rate else "–",
            t.more_trials or "",
            write_sentence(t.message),
        )
        for t in sorted(result.tests, key=lambda t: list(Status).index(t.status))
    ]
    columns = ("status", "test", "required", "seen", "interval", "more trials", "what")
    screen.print(make_table(columns, rows, right=("seen", "more trials")))


def print_production_rates(result: Watch, screen: Screen) -> None:
    """Print the rates of production, the alarms first."""
    for alarm in result.alarms:
        screen.print(make_styled_text(f"✗ Alarm at {alarm.site}: {write_sentence(alarm.message)}", "bold red"))
    for alarm in result.standing:
        screen.print(make_styled_text(f"✗ {write_sentence(note_standing_alarm(alarm, result.rates))}", "bold red"))
    if not (result.alarms or result.standing):
        screen.print(format_status(result.status, "no alarm" if result.status is Status.PASSED else ""))
    screen.print(make_styled_text(f"Window: {format_time(result.start_ns)} to {format_time(result.end_ns)}", "dim"))
    rows = [
        (r.site, shorten_ids(r.policy), percent(r.rate), _format_rate_interval(r.low, r.high), r.episodes)
        for r in result.rates
    ]
    columns = ("site", "policy", "success", "95 % interval", "episodes")
    screen.print(make_table(columns, rows, right=("success", "episodes")))
    for reason in result.cannot_tell:
        screen.print(make_styled_text(f"▲ Cannot tell: {write_sentence(reason)}", "yellow"))
    for reason in result.unknown:
        screen.print(make_styled_text(write_sentence(reason), "dim"))


def print_rollout(result: Rollout, screen: Screen) -> None:
    """Print the state of a rollout."""
    rungs = [rung for rung in Rung if rung is not Rung.BACK]
    ladder = "  ".join(f"[{rung}]" if rung is result.rung else str(rung) for rung in rungs)
    screen.print(make_heading(ladder if result.rung is not Rung.BACK else f"{ladder}  [back]"))
    screen.print(
        make_facts_table(
            [
                ("candidate", shorten_ids(result.candidate)),
                ("incumbent", shorten_ids(result.incumbent or "") or "none; compared with its own trials"),
                ("share of tasks", percent(result.share, 0)),
                ("since", format_time(result.since_ns)),
                ("verdict", result.verdict),
                ("candidate", f"{result.candidate_successes} of {result.candidate_episodes}"),
                ("incumbent", f"{result.incumbent_successes} of {result.incumbent_episodes}"),
                ("why", write_sentence(result.reason)),
            ]
        )
    )


def print_incident(now: Any, screen: Screen) -> None:
    """Print an incident: what, where, and its deadlines."""
    opened = now.incident
    late = any(clock.met is False for clock in now.clocks)
    closed = opened.find_done_step(Step.REVIEWED) is not None
    word = "reviewed" if closed else "a deadline was missed" if late else "open"
    status = Status.FAILED if late else Status.PASSED if closed else Status.CANNOT_TELL
    screen.print(format_status(status, word).append(f"  {write_sentence(opened.what)}", style="bold default"))
    place = f"{shorten_ids(opened.id)}, {opened.site}, {format_value(opened.stratum)}"
    where = f"{place}, policy {shorten_ids(opened.policy)}, alerted {format_time(opened.alerted_ns)}"
    screen.print(make_styled_text(where, "dim"))
    states = {True: Status.PASSED, False: Status.FAILED, None: Status.CANNOT_TELL}
    words = {True: "met", False: "missed", None: "running"}
    rows = [
        (
            c.step.value,
            format_status(states[c.met], words[c.met]),
            format_duration(c.elapsed_s),
            format_duration(c.limit_s),
            c.owner.replace("_", " "),
        )
        for c in now.clocks
    ]
    screen.print(make_table(("step", "deadline", "elapsed", "limit", "owner"), rows, right=("elapsed", "limit")))
    for asked in now.demands:
        what = f"{asked.demonstrations} demonstrations of {format_value(asked.stratum)}"
        screen.write(f"Demand: {what}. {write_sentence(asked.why)}")


def print_policy_health(result: Any, screen: Screen) -> None:
    """Print a policy's health and latency, and whether a controller may use it."""
    screen.print(format_status(result.status).append(f"  policy {shorten_ids(result.policy)}", style="bold default"))
    screen.write(write_finding(result.admission))
    timed = result.latency
    times = [(n, f"{format_fixed(getattr(timed, n), 2)} ms") for n in ("p50_ms", "p95_ms", "p99_ms", "max_ms")]
    screen.print(make_facts_table([("calls", timed.calls), *((words_of(name), value) for name, value in times)]))


def _format_rate_interval(low: float, high: float, digits: int = 1) -> str:
    """Write an interval of rates.

    >>> _format_rate_interval(0.5, 0.75)
    '50.0 to 75.0 %'
    """
    return f"{percent(low, digits).removesuffix(' %')} to {percent(high, digits)}"
