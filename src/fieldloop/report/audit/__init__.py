"""The audit of a map as an HTML page."""

from fieldloop.report.audit.html import html

__all__ = ["html"]
