"""The report of a gate's decision: the verdict first, then what an assessor asks for, then every trial.

It has the parts that ISO/IEC 17025 clause 7.8 asks of a test report. It does not claim accreditation.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Status
from fieldloop.model.gate_report import GateReport
from fieldloop.model.policy import Outcome
from fieldloop.report.gate.method import draw_method
from fieldloop.report.gate.results import draw_arms, draw_results, draw_trials
from fieldloop.report.gate.words import SIMULATED, describe_scenario, join_scenarios
from fieldloop.report.markup import draw_panel, draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count, format_number, format_plural, format_time, join_names

VERDICTS = {
    Status.PASSED: "meets every requirement of the gate",
    Status.FAILED: "does not meet the gate",
    Status.CANNOT_TELL: "has not shown yet that it meets the gate",
}
STYLE = """
.verdict{display:grid;gap:6px}.verdict .lead .st{font:inherit}
.facts td:first-child{color:var(--ink-3);width:14em;white-space:normal}
.sign{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:28px 24px;padding-top:24px}
.sign div{border-top:1px solid var(--ink-3);padding-top:4px;font:12px/16px var(--sans);color:var(--ink-3)}
.strip{display:block;height:auto;max-width:100%}.end{text-align:center;letter-spacing:.06em}
"""


def render_gate_report(report: GateReport) -> str:
    """Write the report as one HTML file that fetches nothing."""
    title = f"Test report: gate of {report.policy.name}"
    return render_page(title, draw_report(report), kind="fieldloop gate", foot=report.decision.id)


def draw_report(report: GateReport) -> list[Markup]:
    """Draw the parts of a report, in order."""
    return [
        tag("style", Markup(STYLE + _write_page_rules(report))),
        _draw_verdict(report),
        _draw_identification(report),
        draw_results(report),
        *_draw_conformity(report),
        *draw_arms(report),
        *draw_method(report),
        _draw_deviations(report),
        _draw_opinions(report),
        *draw_trials(report),
        _draw_authorisation(report),
        draw_paragraph(f"End of report {report.decision.id}", "end dim"),
    ]


def write_verdict(report: GateReport) -> str:
    """Write the decision in one sentence."""
    decision, where = report.decision, f" at {report.decision.site}" if report.decision.site else ""
    verdict = VERDICTS.get(decision.status, decision.status.value)
    if decision.status is Status.PASSED:
        return f"{report.policy.name} {verdict}{where}: all {format_plural(len(decision.tests), 'requirement')} passed."
    failed = [t.name for t in decision.tests if t.status is decision.status]
    return f"{report.policy.name} {verdict}{where}: {join_scenarios(failed)}."


def _draw_verdict(report: GateReport) -> Markup:
    """Draw what a manager reads: the verdict, what it means, and what to do."""
    decision = report.decision
    more = sum(t.more_trials for t in decision.tests)
    passed = sum(t.status is Status.PASSED for t in decision.tests)
    counts = f"{passed} of {format_plural(len(decision.tests), 'requirement')} passed, over {decision.trials} trials."
    do = {
        Status.PASSED: "It may go into production by the rollout's steps.",
        Status.FAILED: "It must not go into production. More trials of the same version will not change this.",
        Status.CANNOT_TELL: f"It must not go into production yet. About {format_count(more)} more trials would decide.",
    }.get(decision.status, "")
    return draw_panel(
        "Verdict",
        [
            tag("p", draw_status(decision.status), class_="lead"),
            draw_paragraph(write_verdict(report), "lead"),
            draw_paragraph(f"{counts} {do}"),
            *_draw_simulated(report),
        ],
        f"decided {format_time(decision.at_ns)}",
    )


def _draw_simulated(report: GateReport) -> Iterator[Markup]:
    """State how many trials no robot made."""
    made = sum(o.judged_by == SIMULATED for o in report.outcomes)
    if made:
        trials = format_plural(len(report.outcomes), "trial")
        yield draw_paragraph(f"{format_count(made)} of {trials} were simulated: no robot made them.")


def _draw_identification(report: GateReport) -> Markup:
    """Draw what was tested, by whom, where and when."""
    policy, outcomes = report.policy, report.outcomes
    times = [o.at_ns for o in outcomes]
    facts = [
        ("Report", report.decision.id),
        ("Item tested", f"policy version {policy.name}"),
        ("SHA-256 of its content", policy.id),
        ("Bundle", policy.bundle or f"not stored here: {policy.source or 'source not stated'}"),
        ("Guard limits", policy.guard or "not stated"),
        ("Trained on release", f"{report.release} ({policy.release})" if policy.release else "not known"),
        ("Control rate", "not stated" if policy.control_hz is None else f"{format_number(policy.control_hz, 6)} Hz"),
        ("Tested for", f"workspace {report.workspace}"),
        ("Site covered", report.decision.site or "the whole deployment"),
        ("Sites of the trials", join_names(sorted({o.site for o in outcomes if o.site})) or "not stated"),
        ("Robots", join_names(sorted({o.robot for o in outcomes if o.robot})) or "not stated"),
        ("Judged by", join_names(sorted({o.judged_by for o in outcomes})) or "no trial yet"),
        (
            "Trials made",
            f"{format_time(min(times))} to {format_time(max(times))}" if times else "no trial yet",
        ),
        ("Decided", f"{format_time(report.decision.at_ns)}, asked for by {report.decided_by or 'not kept'}"),
        ("Written", f"{format_time(report.written_ns)} by fieldloop {report.fieldloop}"),
    ]
    table = draw_table(("", ""), [(name, tag("span", value, class_="id")) for name, value in facts])
    return draw_panel(
        "What was tested",
        [tag("div", table, class_="facts"), draw_paragraph("The results relate only to this version.", "dim")],
    )


def _draw_conformity(report: GateReport) -> Iterator[Markup]:
    decision = report.decision
    rule = (
        f"A requirement is met if the exact one-sided confidence bound reaches its limit, and not met if the bound on "
        f"the other side misses it. All looks at the trials together err with a probability of at most "
        f"{format_number(100 * report.alpha, 3)} % for each requirement. Between the two bounds no statement is made."
    )
    yield draw_panel(
        "Statement of conformity",
        [
            tag("p", draw_status(decision.status), " ", write_verdict(report)),
            draw_paragraph(f"Decision rule: {rule}"),
            draw_paragraph(
                f"Specification: section gate of the operations, fingerprint {decision.operations}; limits below."
            ),
        ],
    )


def _draw_deviations(report: GateReport) -> Markup:
    rows = [
        tag("li", f"{plan.id}: {write_sentence(deviation)}") for plan in report.plans for deviation in plan.deviations
    ]
    rows += [tag("li", write_sentence(remark)) for remark in report.remarks]
    unknown = report.decision.unknown
    if unknown:
        rows.append(tag("li", f"{format_plural(unknown, 'attempt')} without a known result counted for nothing."))
    unplanned = len(report.outcomes) and not report.plans
    if unplanned:
        rows.append(tag("li", "The trials were recorded one by one, without a plan made before them."))
    body = tag("ul", *rows) if rows else draw_paragraph("None is on record.")
    return draw_panel("Deviations from the plan", [body])


def _draw_opinions(report: GateReport) -> Markup:
    """Draw interpretations apart from results: how attempts failed where the version is held back, and what decides."""
    held = [t for t in report.decision.tests if t.status is not Status.PASSED]
    rows = [tag("li", f"{describe_scenario(t.name)}: {explain_test(t, report.outcomes)}") for t in held]
    return draw_panel(
        "Opinions and interpretations",
        [
            draw_paragraph("They are not part of the statement of conformity.", "dim"),
            tag("ul", *rows) if rows else draw_paragraph("Nothing is open."),
        ],
    )


def explain_test(test: GateTest, outcomes: Sequence[Outcome]) -> str:
    """Write what holds a version back in a requirement: what would decide, and how its attempts failed."""
    tried = [o for o in outcomes if o.scenario == test.name]
    failed = [o for o in tried if o.succeeded is False]
    if test.status is Status.FAILED:
        written = "The evidence excludes the limit."
    elif test.more_trials:
        written = f"About {format_plural(test.more_trials, 'more trial')} would decide at the rate seen so far."
    else:
        return write_sentence(test.message)
    if failed:
        kinds = Counter(o.failure.value if o.failure else "no class stated" for o in failed)
        classes = ", ".join(f"{kind} {n}" for kind, n in kinds.most_common())
        written += f" Of {format_plural(len(tried), 'trial')}, {len(failed)} failed ({classes})."
    if helped := sum(o.interventions > 0 for o in tried):
        written += f" A person or the guard intervened in {helped}."
    return written


def _draw_authorisation(report: GateReport) -> Markup:
    lines = (
        "Laboratory: name, address", "Customer: name, contact", "Trials conducted by: name, date, signature",
        "Report authorised by: name, date, signature",
    )  # fmt: skip
    note = (
        f"The decision was computed by fieldloop {report.fieldloop}, asked for by {report.decided_by or 'not kept'}. "
        "A person who authorises it signs here."
    )
    sign = tag("div", *(tag("div", line) for line in lines), class_="sign")
    return draw_panel("Authorisation", [draw_paragraph(note), sign])


def _write_page_rules(report: GateReport) -> str:
    """Number the pages on paper, and name the report on each."""
    return (
        "@page{margin:14mm 12mm 16mm;"
        f'@bottom-left{{content:"{report.decision.id}";font:9px sans-serif}}'
        '@bottom-right{content:"page " counter(page) " of " counter(pages);font:9px sans-serif}}'
    )
