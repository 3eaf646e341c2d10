"""The Policies page: what each version was trained on, and the decisions of the gate."""

from collections.abc import Sequence

from fieldloop.loop.home.policies import show_policies, show_policy
from fieldloop.model.comparison import Question
from fieldloop.model.decision import Decision, GateTest
from fieldloop.model.finding import Status
from fieldloop.model.policy import PolicyVersion
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_status, get_status_level
from fieldloop.say.numbers import (
    format_count,
    format_number,
    format_plural,
    format_time,
    percent_range,
    shorten_content_ids,
    shorten_ids,
)
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_answer_card,
    draw_button,
    draw_copyable_command,
    draw_empty_state,
    draw_form,
    draw_interval_bar,
    draw_key_values,
    draw_panel,
    draw_table,
)
from fieldloop.ui.pages.policies_served import draw_servers
from fieldloop.ui.pages.policy_forms import draw_add_forms
from fieldloop.ui.visit import Drawn, Visit

WORDS = {Status.PASSED: "passed the gate", Status.FAILED: "failed the gate", Status.CANNOT_TELL: "needs more trials"}
ORDER = {status: place for place, status in enumerate(Status)}


def draw(visit: Visit) -> Drawn:
    """Draw the list of policies, with the gate's last decision in full."""
    now = show_policies(visit.workspace)
    known, gated, names = now.policies, now.decisions, now.releases
    if not known:
        nothing = draw_empty_state(
            "No policy yet",
            "Train one on a release, or add one that was trained elsewhere.",
            join(draw_copyable_command("fieldloop train RELEASE"), draw_copyable_command("fieldloop policy add NAME")),
        )
        return Drawn(escape("Policies"), (nothing, *draw_add_forms(names)))
    rows = [
        (
            tag("a", p.name, href=f"/policies/{p.id}"),
            tag("span", shorten_content_ids(p.id), class_="mono"),
            _draw_release_link(p, names.get(p.release, "")),
            format_count(p.episodes) if p.release else "–",
            p.trainer,
            format_number(p.validation_error),
            _format_control_rate(p),
            _draw_verdict(gated.get(p.id)),
        )
        for p in known
    ]
    columns = (
        "Policy",
        "Id",
        "Release",
        Column("Episodes", "num"),
        "Trainer",
        Column("Validation error", "num"),
        Column("Control", "num"),
        "Gate",
    )
    newest = gated.get(known[0].id)
    gate = (_draw_gate_decision(newest),) if newest else ()
    return Drawn(
        escape("Policies"),
        (
            _draw_answer_card(known[0], newest),
            draw_panel("Policies", draw_table(columns, rows), note="newest first", flush=True),
            *draw_servers(now.servers, known),
            *gate,
            *_draw_compare_form(known),
            *draw_add_forms(names),
        ),
    )


def _draw_compare_form(known: Sequence[PolicyVersion]) -> tuple[Markup, ...]:
    """Draw the form that compares two versions by their trials; with one version there is nothing to compare."""
    names = tuple(dict.fromkeys(policy.name for policy in known))
    if len(names) < 2:  # noqa: PLR2004  a comparison needs two
        return ()
    fields = (
        Field("policy", "Candidate", "choice", value=names[0], choices=names, required=True),
        Field("against", "Compare with", "choice", value=names[1], choices=names, required=True),
        Field("question", "Question", "choice", value=Question.BETTER, choices=tuple(Question)),
    )
    ask = Submit("Compare", show="message")
    simulate = Submit("Simulate until it is decided", {"simulate": True}, kind="", show="message")
    return (
        draw_panel(
            "Compare two versions", draw_form("/api/gate/compare", fields, ask, simulate),
            note="by their trials of stage gate and lab; ask after every pair if you like",
        ),
    )  # fmt: skip


def draw_policy(visit: Visit) -> Drawn:
    """Draw one policy with every decision about it."""
    now = show_policy(visit.workspace, visit.path["policy"])
    policy, decisions = now.policy, now.decisions
    facts = [
        ("Id", tag("span", policy.id, class_="mono")),
        ("Release", _draw_release_link(policy, now.release)),
        ("Trainer", policy.trainer),
        ("Episodes", policy.episodes if policy.release else "–"),
        ("Seed", "–" if policy.validation_error is None else policy.seed),
        ("Validation error", format_number(policy.validation_error)),
        ("Control rate", _format_control_rate(policy)),
        ("Guard limits", policy.guard or "not stated"),
        ("Weights", "stored here" if policy.bundle else policy.source or "elsewhere"),
    ]
    title = join(tag("a", "Policies", href="/policies"), " / ", policy.name)
    return Drawn(
        title,
        (
            _draw_answer_card(policy, decisions[0] if decisions else None),
            _draw_links(policy, decided=bool(decisions)),
            *map(_draw_gate_decision, decisions),
            draw_panel("Policy", draw_key_values(facts)),
        ),
    )


def _draw_links(policy: PolicyVersion, *, decided: bool) -> Markup:
    """Link what belongs to a policy's gate: its trials, and the report of the last decision."""
    report = draw_button("Report of the gate", f"/policies/{policy.id}/report") if decided else None
    return tag("div", draw_button("Trials of the gate", f"/policies/{policy.id}/trials"), report, class_="chips")


def _draw_release_link(policy: PolicyVersion, name: str) -> Markup | str:
    """Link the release that a policy was trained on, where it is known here."""
    if not policy.release:
        return "not known"
    return tag("a", name or shorten_ids(policy.release), href=f"/releases/{policy.release}")


def _format_control_rate(policy: PolicyVersion) -> str:
    return "not stated" if policy.control_hz is None else f"{format_number(policy.control_hz, 6)} Hz"


def _draw_answer_card(policy: PolicyVersion, decision: Decision | None) -> Markup:
    if decision is None:
        return draw_answer_card(
            "idle",
            f"The gate has not judged {policy.name} yet",
            "A policy cannot go into production before the gate has judged it.",
            draw_copyable_command(f"fieldloop gate {policy.name}"),
        )
    more = sum(test.more_trials for test in decision.tests)
    held = [test for test in decision.tests if test.status is not Status.PASSED]
    why = (
        f"All {format_plural(len(decision.tests), 'test')} passed."
        if not held
        else f"{held[0].name}: {write_sentence(held[0].message)}"
    )
    do = (
        f"fieldloop rollout start {policy.name}"
        if decision.status is Status.PASSED
        else f"fieldloop gate {policy.name}"
    )
    verdict = WORDS.get(decision.status, decision.status.value) + (
        f": {format_count(more)} more" if decision.status is Status.CANNOT_TELL and more else ""
    )
    return draw_answer_card(
        get_status_level(decision.status),
        f"{policy.name} {verdict}",
        why,
        draw_copyable_command(do),
    )


def _draw_verdict(decision: Decision | None) -> Markup:
    return escape("not gated") if decision is None else draw_status(decision.status, WORDS.get(decision.status, ""))


def _draw_gate_decision(decision: Decision) -> Markup:
    columns = (
        "Verdict",
        "Test",
        Column("Required", "text"),
        Column("Seen", "num"),
        Column("", "slim"),
        "Interval",
        Column("More trials", "num"),
        Column("What", "text"),
    )
    note = f"{format_time(decision.at_ns)}, operations {decision.operations}"
    return draw_panel("Gate", draw_table(columns, _make_test_rows(decision.tests)), note=note, flush=True)


def _make_test_rows(tests: Sequence[GateTest]) -> list[tuple[object, ...]]:
    return [
        (
            draw_status(t.status),
            t.name,
            write_sentence(t.required),
            f"{t.successes} of {t.trials}" if t.trials else "–",
            draw_interval_bar(t.low, t.successes / t.trials, t.high) if t.bounds_rate else "",
            percent_range(t.low, t.high, 0) if t.bounds_rate else "–",
            t.more_trials or "–",
            write_sentence(t.message),
        )
        for t in sorted(tests, key=lambda t: ORDER[t.status])
    ]
