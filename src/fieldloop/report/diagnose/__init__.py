"""The report of a diagnosis: is the drop real, what caused it, what to do; as sentences and as a page with pictures."""

from fieldloop.report.diagnose.content import DiagnosisReport, main_cause, sentence
from fieldloop.report.diagnose.html import html

__all__ = ["DiagnosisReport", "html", "main_cause", "sentence"]
