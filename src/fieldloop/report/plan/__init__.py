"""The report of a plan: what to collect next and why, as sentences and as an HTML page."""

from fieldloop.report.plan.content import PlanReport, headline, uncovered_text
from fieldloop.report.plan.html import html

__all__ = ["PlanReport", "headline", "html", "uncovered_text"]
