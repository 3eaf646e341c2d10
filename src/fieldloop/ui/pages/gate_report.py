"""The report of a policy's last gate decision, as it is printed."""

from fieldloop.loop.ship.gate_report import show_gate_report
from fieldloop.report.gate.page import draw_report
from fieldloop.say.html import Markup, join, tag
from fieldloop.ui.visit import Drawn, Visit

STYLE = """
.report{display:grid;gap:12px}.report>*{min-width:0}.report .panel{padding:10px 12px 12px;display:grid;gap:8px}
.report .panel>header{padding:0}.report table{width:100%;border-collapse:collapse}.report ul{padding-left:20px}
.report th{text-align:left;color:var(--ink-3);font-weight:500}.report td,.report th{padding:5px 8px 5px 0;
border-bottom:1px solid var(--line);vertical-align:top}.report .lead{font-size:17px;font-weight:500}
"""


def draw(visit: Visit) -> Drawn:
    """Draw the report of a policy's last gate decision."""
    report = show_gate_report(visit.workspace, visit.path["policy"])
    policy = tag("a", report.policy.name, href=f"/policies/{report.policy.id}")
    title = join(tag("a", "Policies", href="/policies"), " / ", policy, " / Report of the gate")
    body = tag("div", *draw_report(report), class_="report")
    return Drawn(title, (tag("style", Markup(STYLE)), body))
