"""The report of a plan: what to collect next and why, as sentences to print and as a page with pictures."""

from fieldloop.report.plan.content import PlanReport, sentence, uncovered
from fieldloop.report.plan.html import html

__all__ = ["PlanReport", "html", "sentence", "uncovered"]
