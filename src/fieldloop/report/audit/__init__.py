"""The audit of a map as an HTML page."""

from fieldloop.report.audit.html import render_audit_page

__all__ = ["render_audit_page"]
