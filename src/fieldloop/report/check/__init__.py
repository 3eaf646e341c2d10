"""The report of a check: as stable JSON, as a printed summary, and as a page with plots."""

from fieldloop.report.check.causes import Cause, Causes, group_by_cause
from fieldloop.report.check.content import CheckReport
from fieldloop.report.check.html import html
from fieldloop.report.check.json_form import json_object, link_to
from fieldloop.report.check.sketch import Sketch, sketch
from fieldloop.report.check.summary import Summary, episodes_by_cost, summarise

__all__ = [
    "Cause",
    "Causes",
    "CheckReport",
    "Sketch",
    "Summary",
    "episodes_by_cost",
    "group_by_cause",
    "html",
    "json_object",
    "link_to",
    "sketch",
    "summarise",
]
