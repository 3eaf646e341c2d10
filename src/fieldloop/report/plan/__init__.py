"""The report of a plan: what to collect next and why, as sentences and as an HTML page."""

from fieldloop.report.plan.content import PlanReport, write_headline, write_uncovered_share
from fieldloop.report.plan.html import html

__all__ = ["PlanReport", "html", "write_headline", "write_uncovered_share"]
