"""The report of agreement: what to do, the vector, and where annotators differ."""

from fieldloop.report.agree.html import render_agreement_page

__all__ = ["render_agreement_page"]
