"""The report of a check: as stable JSON, as a printed summary, and as a page with plots."""

from fieldloop.report.check.content import CheckReport, json_object, link_to
from fieldloop.report.check.html import html
from fieldloop.report.check.sketch import Sketch, sketch
from fieldloop.report.check.summary import Summary, episodes_by_cost, summarise

__all__ = [
    "CheckReport",
    "Sketch",
    "Summary",
    "episodes_by_cost",
    "html",
    "json_object",
    "link_to",
    "sketch",
    "summarise",
]
