"""The report of a plan: what to collect next and why, as sentences and as an HTML page."""

from fieldloop.report.plan.content import PlanReport, write_headline, write_uncovered_share
from fieldloop.report.plan.html import render_plan_page

__all__ = ["PlanReport", "render_plan_page", "write_headline", "write_uncovered_share"]
