"""The report of a check: as JSON that others rely on, as a summary to print, as a page with plots."""

from fieldloop.report.check.content import CheckReport, json_object
from fieldloop.report.check.html import html
from fieldloop.report.check.shortlist import Shortlist
from fieldloop.report.check.sketch import Sketch, sketch
from fieldloop.report.check.summary import Look, Summary, summarise

__all__ = ["CheckReport", "Look", "Shortlist", "Sketch", "Summary", "html", "json_object", "sketch", "summarise"]
