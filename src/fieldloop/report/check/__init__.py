"""The report of a check: as JSON that others rely on, as a summary to print, as a page with plots."""

from fieldloop.report.check.content import CheckReport, json_object
from fieldloop.report.check.html import html
from fieldloop.report.check.sketch import Sketch, sketch
from fieldloop.report.check.summary import Look, Summary, rank, summarise

__all__ = ["CheckReport", "Look", "Sketch", "Summary", "html", "json_object", "rank", "sketch", "summarise"]
