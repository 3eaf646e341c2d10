"""The audit of a map as one page with pictures."""

from fieldloop.report.audit.html import html

__all__ = ["html"]
